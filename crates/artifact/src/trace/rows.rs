//! Steps gathered to rows, one for each line of the source that is passed, and rounds of loops folded.

use std::fmt;

use tandem_cfa::{FunctionId, NodeId, Program};

use super::{Step, What};

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Row {
    Line {
        depth: u32,
        function: FunctionId,
        file: String,
        number: u32,
        text: String,
        notes: Vec<String>,
    },
    /// So many rounds like the ones before and behind.
    Rounds {
        count: usize,
        depth: u32,
    },
    /// Steps that nobody kept.
    Steps {
        count: u64,
    },
}

impl Row {
    /// What makes two rows the same step of a loop: where they are, not what the values were.
    fn is_like(&self, other: &Row) -> bool {
        match (self, other) {
            (
                Row::Line { depth, function, number, .. },
                Row::Line { depth: other_depth, function: other_function, number: other_number, .. },
            ) => depth == other_depth && function == other_function && number == other_number,
            (Row::Rounds { depth, .. }, Row::Rounds { depth: other, .. }) => depth == other,
            _ => false,
        }
    }
}

pub(super) fn rows(program: &Program, steps: &[Step]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    // The nodes of the last row, and whether all was told of the last of them: then its coming again is a new round.
    let mut nodes: Vec<NodeId> = Vec::new();
    let mut settled = false;
    for step in steps {
        if let What::Omitted { steps } = step.what {
            rows.push(Row::Steps { count: steps });
            continue;
        }
        let node = step.edge.map(|edge| program.edges[edge].source);
        let again = node.is_some_and(|node| {
            let goes_on = nodes.last() == Some(&node) && !settled;
            nodes.contains(&node) && !goes_on
        });
        settled = settles(&step.what);
        let joins = matches!(rows.last(), Some(Row::Line { depth, function, number, .. })
            if *depth == step.depth && *function == step.function && *number == step.position.line);
        if !joins || again {
            nodes.clear();
            rows.push(Row::Line {
                depth: step.depth,
                function: step.function,
                file: step.position.file.to_string(),
                number: step.position.line,
                text: step.line.to_string(),
                notes: Vec::new(),
            });
        }
        nodes.extend(node);
        if let Some(Row::Line { notes, .. }) = rows.last_mut() {
            notes.push(step.what.to_string());
        }
    }
    fold(rows)
}

/// Whether nothing more is to be told of an edge behind this.
fn settles(what: &What) -> bool {
    match what {
        What::Assigned { .. } | What::Returned { .. } | What::End { .. } | What::Branch { .. } => true,
        What::Entered { .. } | What::Input { .. } | What::Uninitialised { .. } | What::Omitted { .. } => false,
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::Entered { function, arguments } => {
                let arguments: Vec<String> =
                    arguments.iter().map(|(name, value)| format!("{name} = {value}")).collect();
                write!(f, "enters {function}({})", arguments.join(", "))
            }
            What::Returned { value } => write!(f, "returns {value}"),
            What::Branch { condition, holds: true } => write!(f, "{condition}: yes"),
            What::Branch { condition, holds: false } => write!(f, "{condition}: no"),
            What::Assigned { place, value } => write!(f, "{place} = {value}"),
            What::Input { function, value } => write!(f, "input: {function}() returns {value}"),
            What::Uninitialised { name, value } => write!(f, "uninitialised: {name} is read as {value}"),
            What::Omitted { steps } => write!(f, "{steps} steps"),
            What::End { text } => f.write_str(text),
        }
    }
}

/// The longest round, in rows.
const LONGEST: usize = 40;
/// Rounds from which on some are left out; the first two and the last are kept.
const ROUNDS: usize = 5;

/// Folds rounds, the innermost first.
fn fold(mut rows: Vec<Row>) -> Vec<Row> {
    for _ in 0..4 {
        let folded = fold_once(&rows);
        if folded.len() == rows.len() {
            break;
        }
        rows = folded;
    }
    rows
}

fn fold_once(rows: &[Row]) -> Vec<Row> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < rows.len() {
        let lengths = 1..=LONGEST.min((rows.len() - at) / ROUNDS);
        let found = lengths.map(|length| (length, repeats(&rows[at..], length))).find(|(_, count)| *count >= ROUNDS);
        match found {
            Some((length, count)) => {
                out.extend_from_slice(&rows[at..at + 2 * length]);
                let depth = match &rows[at] {
                    Row::Line { depth, .. } | Row::Rounds { depth, .. } => *depth,
                    Row::Steps { .. } => 1,
                };
                out.push(Row::Rounds { count: count - 3, depth });
                out.extend_from_slice(&rows[at + (count - 1) * length..at + count * length]);
                at += count * length;
            }
            None => {
                out.push(rows[at].clone());
                at += 1;
            }
        }
    }
    out
}

/// How often the first `length` rows come again in a row, the first time included.
fn repeats(rows: &[Row], length: usize) -> usize {
    let (round, rest) = rows.split_at(length);
    let same = |other: &[Row]| round.iter().zip(other).all(|(a, b)| a.is_like(b));
    1 + rest.chunks_exact(length).take_while(|other| same(other)).count()
}
