//! What a run leaves behind about where it went: coverage, and a record of its choices from which the edges come back.

use tandem_base::Id;

use super::Run;
use crate::model::*;

/// A set of edges.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Coverage {
    words: Vec<u64>,
}

impl Coverage {
    pub fn new(edges: usize) -> Coverage {
        Coverage { words: vec![0; edges.div_ceil(64)] }
    }

    pub fn insert(&mut self, edge: EdgeId) {
        let index = edge.index();
        if let Some(word) = self.words.get_mut(index / 64) {
            *word |= 1 << (index % 64);
        }
    }

    pub fn contains(&self, edge: EdgeId) -> bool {
        let index = edge.index();
        self.words.get(index / 64).is_some_and(|word| word & 1 << (index % 64) != 0)
    }

    /// Adds another's edges; whether there were new ones.
    pub fn merge(&mut self, other: &Coverage) -> bool {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        let mut grew = false;
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            grew |= more & !*word != 0;
            *word |= more;
        }
        grew
    }

    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    pub fn iter(&self) -> impl Iterator<Item = EdgeId> + '_ {
        let bits = self.words.iter().enumerate();
        bits.flat_map(|(index, word)| {
            (0..64).filter(move |bit| word & 1 << bit != 0).map(move |bit| EdgeId::from_index(index * 64 + bit))
        })
    }
}

/// The choices of a run: at each node with several edges the number of the one taken, at each call through a pointer
/// the function. Everything else follows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Path {
    pub(super) choices: Vec<u8>,
    /// Whether the record came to its limit before the run ended.
    pub truncated: bool,
}

impl Path {
    /// Bytes of the record.
    pub fn len(&self) -> usize {
        self.choices.len()
    }

    pub fn is_empty(&self) -> bool {
        self.choices.is_empty()
    }

    pub(super) fn choose(&mut self, rank: u32) {
        match u8::try_from(rank) {
            Ok(rank) if rank < u8::MAX => self.choices.push(rank),
            Ok(_) | Err(_) => {
                self.choices.push(u8::MAX);
                self.choices.extend(rank.to_le_bytes());
            }
        }
    }
}

impl Run {
    /// The edges of the run, in order; with a truncated record, the first ones. `None` if no path was recorded.
    pub fn edges(&self, program: &Program) -> Option<Vec<EdgeId>> {
        Some(self.walk(program)?.edges)
    }

    /// The decisions of the run, in order: at each node with several edges the rank of the one taken, at each call through a pointer
    /// the number of the function whose body or model it enters, or else of the function itself. With a truncated record,
    /// the first ones. `None` if no path was recorded.
    pub fn decisions(&self, program: &Program) -> Option<Vec<u32>> {
        Some(self.walk(program)?.decisions)
    }

    fn walk(&self, program: &Program) -> Option<Walk> {
        let path = self.path.as_ref()?;
        let mut walk = Walk { edges: Vec::new(), decisions: Vec::new() };
        let mut choices = path.choices.as_slice();
        let mut node = program.functions[program.entry?].body.as_ref()?.entry;
        let mut callers: Vec<NodeId> = Vec::new();
        while (walk.edges.len() as u64) < self.steps {
            let out = program.out(node);
            let edge = match out.len() {
                0 => match callers.pop() {
                    Some(back) => {
                        node = back;
                        continue;
                    }
                    None => break,
                },
                1 => out.start,
                _ => match take_choice(&mut choices) {
                    Some(rank) if (rank as usize) < out.len() => {
                        walk.decisions.push(rank);
                        EdgeId(out.start.0 + rank)
                    }
                    Some(_) | None => break,
                },
            };
            walk.edges.push(edge);
            let target = program.edges[edge].target;
            node = match entered(program, edge, &mut choices, &mut walk.decisions) {
                Some(Some(body)) => {
                    callers.push(target);
                    body
                }
                Some(None) => target,
                None => break,
            };
        }
        Some(walk)
    }
}

/// Where a run went.
struct Walk {
    edges: Vec<EdgeId>,
    decisions: Vec<u32>,
}

fn take_choice(choices: &mut &[u8]) -> Option<u32> {
    let (&first, rest) = choices.split_first()?;
    *choices = rest;
    if first < u8::MAX { Some(u32::from(first)) } else { take_word(choices) }
}

fn take_word(choices: &mut &[u8]) -> Option<u32> {
    let (word, rest) = choices.split_first_chunk::<4>()?;
    *choices = rest;
    Some(u32::from_le_bytes(*word))
}

/// Where the edge's call goes on: `Some(None)` for behind it, `None` if the record ends here.
fn entered(program: &Program, edge: EdgeId, choices: &mut &[u8], decisions: &mut Vec<u32>) -> Option<Option<NodeId>> {
    let entry = |function: FunctionId| program.functions.get(function)?.body.as_ref().map(|body| body.entry);
    match &program.edges[edge].op {
        Op::Call { callee: Callee::Direct(function), .. } => Some(entry(callee_entered(program, *function))),
        Op::Call { callee: Callee::Pointer(_), .. } => match take_word(choices)? {
            u32::MAX => Some(None),
            number => {
                let function = callee_entered(program, FunctionId(number));
                decisions.push(function.0);
                Some(entry(function))
            }
        },
        _ => Some(None),
    }
}

/// The function whose body a call of this one enters: its own, or that of its model; the function itself if there is none.
fn callee_entered(program: &Program, function: FunctionId) -> FunctionId {
    let has_body = program.functions.get(function).is_some_and(|function| function.body.is_some());
    let model = || crate::library::model_of(program, function);
    if has_body { function } else { model().unwrap_or(function) }
}
