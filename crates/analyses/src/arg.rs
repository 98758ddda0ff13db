//! The abstract states that a search has found and how they follow from each other, for people to look at: the abstract reachability graph.
//! States between which nothing is decided are left out.

use std::collections::HashMap;

use tandem_base::{FastBuild, Id};
use tandem_cfa::{EdgeId, NodeId};
use tandem_cpa::{Flow, Reached, StateId};

use crate::Task;

/// The first state is the start.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Arg {
    pub states: Vec<ArgState>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct ArgState {
    pub node: NodeId,
    /// The states it follows from, and the first and the last edge of the way, if it is known edge by edge.
    pub from: Vec<(usize, Option<(EdgeId, EdgeId)>)>,
    pub covered_by: Vec<usize>,
    /// Whether nobody has looked further from here.
    pub is_open: bool,
    /// Whether the error, or what else is looked for, is here.
    pub is_target: bool,
    /// What holds here, in C.
    pub holds: Option<String>,
}

/// States that are looked at for that.
const LARGEST: usize = 20_000;

impl Arg {
    /// States of a graph that people can look at.
    pub const MOST: usize = 300;
}

/// The graph of a set of reached states, if somebody is to see it.
pub fn graph_of<S>(task: Task<'_>, flow: &Flow<'_>, reached: &Reached<S>) -> Option<Arg> {
    if task.exchange.is_none() || reached.entries.len() > LARGEST {
        return None;
    }
    let live: Vec<StateId> = reached.entries.enumerate().filter(|(_, e)| !e.removed).map(|(id, _)| id).collect();
    let mut children: HashMap<StateId, usize, FastBuild> = HashMap::default();
    let mut covers: HashMap<StateId, usize, FastBuild> = HashMap::default();
    for entry in live.iter().map(|id| &reached.entries[*id]) {
        entry.parents.iter().for_each(|(parent, _)| *children.entry(*parent).or_default() += 1);
        entry.covered_by.iter().for_each(|by| *covers.entry(*by).or_default() += 1);
    }
    let is_target = |id: StateId| reached.entries[id].parents.iter().any(|(_, step)| flow.is_found(step));
    // What has one state before it and one behind it is only on the way.
    let is_passed = |id: StateId| {
        let entry = &reached.entries[id];
        let alone = children.get(&id) == Some(&1) && entry.parents.len() == 1;
        alone && entry.covered_by.is_none() && !covers.contains_key(&id) && !is_target(id)
    };
    let kept: Vec<StateId> = live.into_iter().filter(|id| !is_passed(*id)).collect();
    if kept.len() > Arg::MOST {
        return None;
    }
    let place: HashMap<StateId, usize, FastBuild> = kept.iter().enumerate().map(|(at, id)| (*id, at)).collect();
    let state = |id: &StateId| {
        let entry = &reached.entries[*id];
        let from = entry.parents.iter().filter_map(|(parent, step)| {
            let (mut at, mut first) = (*parent, step.edge);
            while !place.contains_key(&at) {
                let (before, step) = reached.entries[at].parents.first()?;
                (at, first) = (*before, step.edge);
            }
            Some((place[&at], Some((first, step.edge))))
        });
        let is_target = is_target(*id);
        ArgState {
            node: entry.point.node,
            from: from.collect(),
            covered_by: entry.covered_by.iter().filter_map(|by| place.get(by).copied()).collect(),
            is_open: !entry.expanded && entry.covered_by.is_none() && !is_target,
            is_target,
            holds: None,
        }
    };
    Some(Arg { states: kept.iter().map(state).collect() })
}

impl ArgState {
    /// Where it is and how it stands, in a few words.
    pub fn name(&self) -> String {
        let how = match (self.is_target, self.is_open, self.covered_by.is_empty()) {
            (true, _, _) => " error",
            (false, true, _) => " open",
            (false, false, false) => " covered",
            (false, false, true) => "",
        };
        format!("n{}{how}", self.node.index())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify;
    use tandem_artifact::gia::Subject;
    use tandem_artifact::{ErrorCall, Verdict};
    use tandem_base::{Budget, SourceText};
    use tandem_cfa::{DataModel, build};

    #[test]
    fn states_follow_from_each_other() {
        let text = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\nint main(void) {\n\
            int i = 0, n = __VERIFIER_nondet_int();\nif (n) n = 1;\nwhile (i < 3) i++;\nif (i == 3) return 0;\nreach_error();\n}\n";
        let program = build(SourceText::plain("test.c", text.as_bytes()), DataModel::Lp64).program.unwrap();
        let subject = Subject::plain("test.c", b"", DataModel::Lp64);
        for analysis in ["value", "symbolic", "predicate"] {
            let without = Task::new(&program, &ErrorCall::Usual, 1);
            let task = Task { exchange: Some(&subject), ..without };
            let outcome = verify(analysis, task, &Budget::unlimited()).unwrap();
            assert_eq!(outcome.verdict, Verdict::True);
            let states = outcome.arg.expect(analysis).states;
            assert!(states.len() > 2 && states.len() < 40, "{analysis}: {} states", states.len());
            for (at, state) in states.iter().enumerate() {
                assert_eq!(state.from.is_empty(), at == 0, "{analysis}: {state:?}");
                assert!(state.from.iter().all(|(from, _)| *from < at) && !state.is_open && !state.is_target);
                assert!(state.covered_by.iter().all(|by| *by != at && *by < states.len()));
            }
            assert!(analysis != "predicate" || states.iter().any(|state| state.holds.is_some()));
            assert!(verify(analysis, without, &Budget::unlimited()).unwrap().arg.is_none());
        }
    }
}
