//! Sequences of decisions: their order, and how they are written.

use std::fmt;

use tandem_base::Id;
use tandem_cfa::{Callee, EdgeId, FunctionId, Op, Program};

/// The decisions of a path, or of the beginning of one. The order is that of paths: by the first different decision, and a
/// beginning is smaller than what goes on.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Decisions(pub Vec<u32>);

impl Decisions {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn begins_with(&self, beginning: &Decisions) -> bool {
        self.0.starts_with(&beginning.0)
    }

    /// Reads what [`Display`](fmt::Display) writes; the word that is no decision, if there is one.
    pub fn parse(text: &str) -> Result<Decisions, String> {
        let mut decisions = Vec::new();
        for word in text.split_whitespace() {
            let (rank, times) = word.split_once('*').unwrap_or((word, "1"));
            match (rank.parse::<u32>(), times.parse::<usize>()) {
                (Ok(rank), Ok(times)) if times > 0 && decisions.len() + times <= MOST => {
                    decisions.extend(std::iter::repeat_n(rank, times));
                }
                _ => return Err(word.to_string()),
            }
        }
        Ok(Decisions(decisions))
    }
}

/// More decisions than a bound has.
const MOST: usize = 1 << 24;

/// Ranks, separated by spaces; `3*0`-like repetitions are written `0*3`.
impl fmt::Display for Decisions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, same) in self.0.chunk_by(|one, other| one == other).enumerate() {
            let space = if number > 0 { " " } else { "" };
            match same.len() {
                1 => write!(f, "{space}{}", same[0])?,
                times => write!(f, "{space}{}*{times}", same[0])?,
            }
        }
        Ok(())
    }
}

/// The decisions of a step over an edge, at most two: which edge, and which function a pointer leads to. `callee` is the function that
/// is called, if that is known. False if a decision is taken of which nobody knows the outcome.
pub fn choices_at(program: &Program, edge: EdgeId, callee: Option<FunctionId>, out: &mut Vec<u32>) -> bool {
    let source = program.edges[edge].source;
    let edges = program.out(source);
    if edges.len() > 1 {
        out.push((edge.index() - edges.start.index()) as u32);
    }
    if matches!(program.edges[edge].op, Op::Call { callee: Callee::Pointer(_), .. }) {
        match callee {
            Some(function) => out.push(function.0),
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_is_smaller_than_what_goes_on() {
        let of = |ranks: &[u32]| Decisions(ranks.to_vec());
        assert!(of(&[0, 1]) < of(&[0, 1, 0]));
        assert!(of(&[0, 1, 7]) < of(&[0, 2]));
        assert!(of(&[]) < of(&[0]));
        assert!(of(&[0, 1, 0]).begins_with(&of(&[0, 1])) && !of(&[0, 1]).begins_with(&of(&[1])));
    }

    #[test]
    fn what_is_written_is_read_back() {
        for ranks in [vec![], vec![0], vec![0, 0, 0, 1, 1, 0], vec![7, 7, u32::MAX, 3]] {
            let decisions = Decisions(ranks);
            assert_eq!(Decisions::parse(&decisions.to_string()), Ok(decisions));
        }
        assert_eq!(Decisions(vec![0, 0, 0, 1]).to_string(), "0*3 1");
        assert_eq!(Decisions::parse("0 1 x"), Err("x".to_string()));
        assert_eq!(Decisions::parse("0*99999999999"), Err("0*99999999999".to_string()));
        assert_eq!(Decisions::parse("1*0"), Err("1*0".to_string()));
    }
}
