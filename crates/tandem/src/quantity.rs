//! Durations and sizes as people write them on the command line. Knows no option.

use std::time::Duration;

pub fn parse_time(text: &str) -> Result<Duration, String> {
    let (number, unit) = split_unit(text);
    let seconds = match unit {
        "ms" => 0.001,
        "" | "s" | "sec" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("unknown unit `{unit}`; accepted are ms, s, min and h")),
    };
    let number: f64 = number.parse().map_err(|_| "accepted is a number and a unit, such as 60s".to_string())?;
    Duration::try_from_secs_f64(number * seconds).map_err(|error| error.to_string())
}

pub fn parse_size(text: &str) -> Result<u64, String> {
    let (number, unit) = split_unit(text);
    let bytes: u64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kb" | "k" => 1000,
        "mb" | "m" => 1_000_000,
        "gb" | "g" => 1_000_000_000,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        _ => return Err(format!("unknown unit `{unit}`; accepted are B, kB, MB, GB, KiB, MiB and GiB")),
    };
    let number: f64 = number.parse().map_err(|_| "accepted is a number and a unit, such as 4GB".to_string())?;
    if number.is_finite() && number >= 0.0 { Ok((number * bytes as f64) as u64) } else { Err("not a size".into()) }
}

fn split_unit(text: &str) -> (&str, &str) {
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    (&text[..at], text[at..].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits() {
        assert_eq!(parse_time("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(parse_time("2 min"), Ok(Duration::from_secs(120)));
        assert!(parse_time("-1s").is_err() && parse_time("s").is_err() && parse_time("1 week").is_err());
        assert_eq!(parse_size("4GB"), Ok(4_000_000_000));
        assert_eq!(parse_size("1.5KiB"), Ok(1536));
        assert!(parse_size("4 bananas").is_err() && parse_size("GB").is_err());
    }
}
