//! `tandem gia combine`: what several automata know, in one file. A contradiction is refused with a path that shows it.

use std::path::PathBuf;

use tandem_artifact::format::gia_yaml;
use tandem_artifact::gia::{EdgeNames, EdgeSet, Gia, GuardId, Mark, StateId, combine, contradiction};
use tandem_base::Id;
use tandem_cfa::Program;

use super::files::{About, write};
use crate::arguments_gia::GiaCombine;
use crate::message::{Exit, Failure};

pub fn run(arguments: &GiaCombine) -> Result<Exit, Failure> {
    let about = About::load(&arguments.reading.common(&arguments.program))?;
    let mut automata: Vec<(&PathBuf, Gia)> = Vec::new();
    for path in &arguments.automata {
        automata.push((path, about.read(path)?));
    }
    for (index, (path, gia)) in automata.iter().enumerate() {
        for (before, other) in &automata[..index] {
            if let Some(shown) = contradicting_path(gia, other, &about.program) {
                let message =
                    format!("contradicts {}: one calls a path unreachable, the other reached", before.display());
                return Err(Failure::file(&path.display().to_string(), message, format!("the path is {shown}")));
            }
        }
    }
    let all: Vec<&Gia> = automata.iter().map(|(_, gia)| gia).collect();
    let combined = combine(&all).map_err(|mismatch| {
        Failure::file(&arguments.program.display().to_string(), mismatch.to_string(), "automata about this program")
    })?;
    write(&arguments.output, &gia_yaml::write(&combined, &about.program))?;
    Ok(Exit::Success)
}

/// A path that one automaton calls unreachable and the other reached, in the names of its edges.
fn contradicting_path(one: &Gia, other: &Gia, program: &Program) -> Option<String> {
    let common = contradiction(one, other);
    if !common.has_candidates() {
        return None;
    }
    let path = without_conditions(&common).or_else(|| with_conditions(&common, program))?;
    let names = EdgeNames::of(program);
    let words: Vec<String> = path.iter().map(|edges| described(edges, &names)).collect();
    Some(if words.is_empty() { "every path".to_string() } else { words.join("; ") })
}

/// A path to a candidate that no condition guards: no solver need be asked about it.
fn without_conditions(gia: &Gia) -> Option<Vec<EdgeSet>> {
    let mut before: Vec<Option<usize>> = vec![None; gia.states().len()];
    let mut seen = vec![false; gia.states().len()];
    let mut open = std::collections::VecDeque::from([Gia::INITIAL]);
    seen[Gia::INITIAL.index()] = true;
    while let Some(state) = open.pop_front() {
        if gia.mark(state) == Some(Mark::Candidate) {
            return Some(back(gia, &before, state));
        }
        for (index, transition) in gia.transitions().iter().enumerate().filter(|(_, step)| step.source == state) {
            let is_free = gia.label(transition) == [GuardId::TRUE, GuardId::TRUE];
            if is_free && !std::mem::replace(&mut seen[transition.target.index()], true) {
                before[transition.target.index()] = Some(index);
                open.push_back(transition.target);
            }
        }
    }
    None
}

fn back(gia: &Gia, before: &[Option<usize>], mut state: StateId) -> Vec<EdgeSet> {
    let mut path = Vec::new();
    while let Some(index) = before[state.index()] {
        let transition = &gia.transitions()[index];
        path.push(transition.edges.clone());
        state = transition.source;
    }
    path.reverse();
    path
}

/// A path to a candidate whose conditions can be met: only a solver can tell, and none is asked yet.
fn with_conditions(_gia: &Gia, _program: &Program) -> Option<Vec<EdgeSet>> {
    None
}

fn described(edges: &EdgeSet, names: &EdgeNames) -> String {
    let list = edges.named().iter().map(|edge| names.name(*edge)).collect::<Vec<_>>().join(", ");
    match (edges.is_rest(), edges.is_all()) {
        (_, true) => "any edge".to_string(),
        (true, false) => format!("any edge but {list}"),
        (false, _) => list,
    }
}
