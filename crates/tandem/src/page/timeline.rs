//! Who worked when: a bar for each piece of work, a row for each worker.

use std::fmt::Write;

use super::escape;
use super::plot::COLOURS;

pub struct Bar {
    pub who: String,
    pub from: f64,
    pub to: f64,
    pub title: String,
    /// Whether something came of it.
    pub fruitful: bool,
}

const WIDTH: f64 = 1100.0;
const NAMES: f64 = 170.0;
const ROW: f64 = 26.0;

pub fn draw(bars: &[Bar]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for bar in bars {
        if !names.contains(&bar.who.as_str()) {
            names.push(&bar.who);
        }
    }
    let end = bars.iter().map(|bar| bar.to).fold(0.001, f64::max);
    let height = ROW * names.len() as f64 + 34.0;
    let across = |time: f64| NAMES + (WIDTH - NAMES - 20.0) * time / end;
    let mut out = format!(
        "<div class=\"timeline scroll\"><svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"system-ui, sans-serif\" font-size=\"13\" role=\"img\">\n"
    );
    for part in 0..=5 {
        let time = end * f64::from(part) / 5.0;
        let x = across(time);
        let _ = writeln!(
            out,
            "<line x1=\"{x:.1}\" y1=\"4\" x2=\"{x:.1}\" y2=\"{:.1}\" stroke=\"#e2e5e9\"/>",
            height - 26.0
        );
        let _ = writeln!(
            out,
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#555\">{} s</text>",
            height - 8.0,
            seconds(time)
        );
    }
    for (row, name) in names.iter().enumerate() {
        let y = 6.0 + ROW * row as f64;
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#222\">{}</text>",
            NAMES - 8.0,
            y + 15.0,
            escape(name)
        );
        let colour = COLOURS[row % COLOURS.len()];
        for bar in bars.iter().filter(|bar| bar.who == *name) {
            let (from, to) = (across(bar.from), across(bar.to));
            let strength = if bar.fruitful { "0.9" } else { "0.35" };
            let _ = writeln!(
                out,
                "<rect x=\"{from:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"20\" rx=\"3\" fill=\"{colour}\" fill-opacity=\"{strength}\"><title>{}</title></rect>",
                (to - from).max(2.0),
                escape(&bar.title)
            );
        }
    }
    out + "</svg></div>"
}

fn seconds(time: f64) -> String {
    match time {
        0.0 => "0".into(),
        0.0..1.0 => format!("{time:.3}"),
        1.0..10.0 => format!("{time:.2}"),
        _ => format!("{time:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_for_each_worker() {
        let bar = |who: &str, from, to| Bar { who: who.into(), from, to, title: "gave <2>".into(), fruitful: true };
        let picture = draw(&[bar("bmc", 0.0, 1.0), bar("value", 0.0, 2.0), bar("bmc", 1.0, 2.0)]);
        assert_eq!((picture.matches(">bmc</text>").count(), picture.matches("<rect").count()), (1, 3));
        assert!(picture.contains("gave &lt;2&gt;"));
        assert_eq!([0.0, 0.25, 2.5, 25.0].map(seconds), ["0", "0.250", "2.50", "25"]);
    }
}
