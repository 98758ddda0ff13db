//! The results as a table for spreadsheets and statistics programs (RFC 4180).

use super::answer::word;
use super::saved::Saved;

const HEADER: [&str; 8] = ["set", "task", "expected", "verdict", "status", "time_s", "analysis", "reason"];

pub fn write(run: &Saved) -> String {
    let mut text = line(HEADER.map(str::to_string));
    for record in &run.records {
        text += &line([
            record.set.clone(),
            record.name.clone(),
            record.expected.map_or(String::new(), |expected| word(Some(expected)).to_string()),
            word(record.answer.verdict).to_string(),
            record.mark().word().to_string(),
            format!("{:.3}", record.seconds()),
            record.answer.analysis.clone(),
            record.answer.reason.clone(),
        ]);
    }
    text
}

fn line(cells: [String; 8]) -> String {
    cells.map(|cell| quoted(&cell)).join(",") + "\r\n"
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_string() }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn cells_stay_cells() {
        assert_eq!((quoted("a b"), quoted("a,\"b\"")), ("a b".into(), "\"a,\"\"b\"\"\"".into()));
    }
}
