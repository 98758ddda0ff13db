//! The table over all sets: text that is Markdown too. Counts, and prints nothing.

use serde_json::{Value, json};

use super::answer::{Answer, Mark};
use super::tasks::BenchTask;

pub const HEADER: [&str; 11] =
    ["set", "tasks", "solved", "TRUE", "FALSE", "time limit", "unsupported", "other", "WRONG", "median s", "total s"];

/// The answers to one set.
#[derive(Default)]
pub struct Row {
    name: String,
    /// Whether it is the sum of the others.
    sum: bool,
    counts: [usize; 6],
    times: Vec<f64>,
}

impl Row {
    fn new(name: &str) -> Row {
        Row { name: name.to_string(), ..Row::default() }
    }

    fn add(&mut self, mark: Mark, time: f64) {
        self.counts[mark as usize] += 1;
        self.times.push(time);
    }

    pub fn count(&self, mark: Mark) -> usize {
        self.counts[mark as usize]
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn is_sum(&self) -> bool {
        self.sum
    }

    pub fn tasks(&self) -> usize {
        self.times.len()
    }

    pub fn solved(&self) -> usize {
        self.count(Mark::SolvedTrue) + self.count(Mark::SolvedFalse)
    }

    fn median(&self) -> f64 {
        let mut times = self.times.clone();
        times.sort_by(f64::total_cmp);
        let middle = times.len() / 2;
        match times.len() {
            0 => 0.0,
            length if length % 2 == 1 => times[middle],
            _ => (times[middle - 1] + times[middle]) / 2.0,
        }
    }

    fn total(&self) -> f64 {
        self.times.iter().sum()
    }

    pub fn cells(&self) -> Vec<String> {
        let marks = [Mark::SolvedTrue, Mark::SolvedFalse, Mark::TimeLimit, Mark::Unsupported, Mark::Other, Mark::Wrong];
        let mut cells = vec![self.name.clone(), self.times.len().to_string(), self.solved().to_string()];
        cells.extend(marks.map(|mark| self.count(mark).to_string()));
        cells.extend([format!("{:.2}", self.median()), format!("{:.1}", self.total())]);
        cells
    }

    pub fn json(&self) -> Value {
        json!({
            "set": self.name,
            "tasks": self.times.len(),
            "solved": self.solved(),
            "true": self.count(Mark::SolvedTrue),
            "false": self.count(Mark::SolvedFalse),
            "time_limit": self.count(Mark::TimeLimit),
            "unsupported": self.count(Mark::Unsupported),
            "other": self.count(Mark::Other),
            "wrong": self.count(Mark::Wrong),
            "median_s": self.median(),
            "total_s": self.total(),
        })
    }
}

/// One row per set, in the order of the tasks, and the sum as the last: from sets, marks and seconds.
pub fn rows<'a>(answers: impl Iterator<Item = (&'a str, Mark, f64)>) -> Vec<Row> {
    let (mut rows, mut sum): (Vec<Row>, Row) = (Vec::new(), Row { sum: true, ..Row::new("all") });
    for (set, mark, time) in answers {
        let index = rows.iter().position(|row| row.name == set).unwrap_or_else(|| {
            rows.push(Row::new(set));
            rows.len() - 1
        });
        rows[index].add(mark, time);
        sum.add(mark, time);
    }
    rows.push(sum);
    rows
}

/// The rows of a run that just ended.
pub fn rows_of(results: &[(&BenchTask, Answer)]) -> Vec<Row> {
    let answer =
        |(task, answer): &(&'_ BenchTask, Answer)| (answer.mark(task.facts.expected), answer.time.as_secs_f64());
    rows(results.iter().map(|result| (result.0.set.as_str(), answer(result).0, answer(result).1)))
}

/// The table, every column as wide as its widest cell.
pub fn render(rows: &[Row]) -> String {
    let mut lines = vec![HEADER.map(str::to_string).to_vec()];
    lines.extend(rows.iter().map(Row::cells));
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..HEADER.len()).map(width).collect();
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        let cells = line.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| match column {
            0 => format!("| {cell:width$} "),
            _ => format!("| {cell:>width$} "),
        });
        text += &(cells.collect::<String>() + "|\n");
        if number == 0 {
            let rule = widths.iter().enumerate().map(|(column, width)| match column {
                0 => format!("|{}", "-".repeat(width + 2)),
                _ => format!("|{}:", "-".repeat(width + 1)),
            });
            text += &(rule.collect::<String>() + "|\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_counts_and_lines_up() {
        let mut row = Row::new("Loops");
        for (mark, time) in
            [(Mark::SolvedTrue, 1.0), (Mark::SolvedTrue, 4.0), (Mark::Wrong, 2.0), (Mark::TimeLimit, 20.0)]
        {
            row.add(mark, time);
        }
        assert_eq!((row.median(), row.total()), (3.0, 27.0));
        let text = render(&[row]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{text}");
        let cells: Vec<&str> = lines[2].split('|').map(str::trim).collect();
        assert_eq!(cells, ["", "Loops", "4", "2", "2", "0", "1", "0", "0", "1", "3.00", "27.0", ""]);
    }
}
