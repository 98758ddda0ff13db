//! What a reached set says about paths, as an exchange automaton: which of them are proved to reach no error, and which are still open.
//!
//! Every state of the reached set becomes a state of the automaton. From an expanded state, a step that the analysis found impossible,
//! or that leads where no error can be reached any more, leads to "unreachable"; so does a step to a state from which only expanded
//! states are reached, none of them an error and none about to do something that is not modelled. Everything else stays open. A covered
//! state goes on as the one that covers it: whatever is impossible there is impossible here.
//!
//! Steps of library models, and returns, are no steps of a path: the automaton passes over them.

use std::collections::{HashMap, HashSet};

use tandem_artifact::Caveat;
use tandem_artifact::convert::error_targets;
use tandem_artifact::gia::{EdgeSet, Gia, GiaBuilder, GuardId, Mark, StateId as GiaId, Subject, Target, minimise};
use tandem_base::{FastBuild, Id};
use tandem_cfa::{EdgeId, Program};
use tandem_cpa::{Flow, Reached, StateId, Step};

use crate::Task;

/// More states than this are not told in time.
const MOST: usize = 100_000;

/// The automaton of a reached set. An error state stays open, whatever became of it. Only for explorations that met nothing
/// that is not modelled: what the analysis could not follow looks here as if it were impossible.
fn gia_of<S>(flow: &Flow<'_>, reached: &Reached<S>, subject: Subject, targets: Vec<Target>) -> Gia {
    let export = Export::new(flow, reached);
    let empty = Gia::empty(subject.clone(), targets.clone());
    let Some(start) = reached.entries.ids().next() else { return empty };
    let mut builder = GiaBuilder::new(subject, targets);
    if export.settled[start.index()] {
        builder.state(Some(Mark::Unreachable));
        return builder.finish().unwrap_or(empty);
    }
    let initial = builder.state(None);
    let sink = builder.state(Some(Mark::Unreachable));
    let mut states: HashMap<StateId, GiaId, FastBuild> = HashMap::from_iter([(start, initial)]);
    let mut open = vec![start];
    while let Some(id) = open.pop() {
        let from = states[&id];
        for edge in export.edges(id) {
            let next = export.after(id, edge);
            if next.iter().all(|next| export.settled[next.index()]) {
                builder.transition(from, EdgeSet::One(edge), GuardId::TRUE, sink);
                continue;
            }
            for next in next.into_iter().filter(|next| !export.settled[next.index()]) {
                let to = *states.entry(next).or_insert_with(|| {
                    open.push(next);
                    builder.state(None)
                });
                builder.transition(from, EdgeSet::One(edge), GuardId::TRUE, to);
            }
        }
    }
    builder.finish().map(|gia| minimise(&gia)).unwrap_or(empty)
}

/// The automaton that says that no path reaches a target.
pub fn all_unreachable(subject: Subject, targets: Vec<Target>) -> Gia {
    let empty = Gia::empty(subject.clone(), targets.clone());
    let mut builder = GiaBuilder::new(subject, targets);
    builder.state(Some(Mark::Unreachable));
    builder.finish().unwrap_or(empty)
}

/// The automaton of what an analysis has done for a task, if it is asked for and the analysis met nothing that is not modelled.
pub fn export<S>(task: Task<'_>, flow: &Flow<'_>, reached: &Reached<S>, caveats: &[Caveat]) -> Option<Gia> {
    let subject = task.exchange?;
    let is_gap = |caveat: &Caveat| matches!(caveat, Caveat::Unsupported { .. } | Caveat::Undefined { .. });
    // What an observer keeps out looks like what is impossible.
    let keeps_out_more = task.observer.is_some_and(|observer| !observer.keeps_out_only_settled());
    // An exploration that was stopped may have met a gap that is not yet recorded as a caveat.
    let has_gap = caveats.iter().any(is_gap) || reached.has_untold_gap();
    if keeps_out_more || reached.entries.len() > MOST || has_gap {
        return None;
    }
    Some(gia_of(flow, reached, subject.clone(), error_targets(task.program, task.error)))
}

struct Export<'a, S> {
    program: &'a Program,
    reached: &'a Reached<S>,
    children: HashMap<StateId, Vec<(Step, StateId)>, FastBuild>,
    /// States from which everything was looked at, and nothing found.
    settled: Vec<bool>,
}

impl<'a, S> Export<'a, S> {
    fn new(flow: &Flow<'a>, reached: &'a Reached<S>) -> Export<'a, S> {
        let mut children: HashMap<StateId, Vec<(Step, StateId)>, FastBuild> = HashMap::default();
        let mut before: HashMap<StateId, Vec<StateId>, FastBuild> = HashMap::default();
        let mut pending = Vec::new();
        for (id, entry) in reached.entries.enumerate().filter(|(_, entry)| !entry.removed) {
            for (parent, step) in &entry.parents {
                children.entry(*parent).or_default().push((*step, id));
                before.entry(id).or_default().push(*parent);
            }
            if let Some(by) = entry.covered_by {
                before.entry(by).or_default().push(id);
            }
            let is_error = entry.parents.iter().any(|(_, step)| flow.is_found(step));
            let waits = !entry.expanded && entry.covered_by.is_none();
            if is_error || waits {
                pending.push(id);
            }
        }
        // A covered state whose coverer is gone is open.
        for (id, entry) in reached.entries.enumerate() {
            if entry.covered_by.is_some_and(|by| reached.entries[by].removed) {
                pending.push(id);
            }
        }
        let mut settled = vec![true; reached.entries.len()];
        while let Some(id) = pending.pop() {
            if std::mem::replace(&mut settled[id.index()], false) {
                pending.extend(before.get(&id).into_iter().flatten());
            }
        }
        Export { program: flow.program, reached, children, settled }
    }

    /// The state that is expanded for this one.
    fn expanded(&self, mut id: StateId) -> StateId {
        let mut steps = 0;
        while let Some(by) = self.reached.entries[id].covered_by {
            id = by;
            steps += 1;
            if steps > self.reached.entries.len() {
                break;
            }
        }
        id
    }

    /// The edges over which it is known what comes after a state.
    fn edges(&self, id: StateId) -> Vec<EdgeId> {
        let id = self.expanded(id);
        let entry = &self.reached.entries[id];
        if !entry.expanded {
            return Vec::new();
        }
        self.program.out(entry.point.node).iter().collect()
    }

    /// The states after an edge, those of library models and the ends of functions passed over.
    fn after(&self, id: StateId, edge: EdgeId) -> Vec<StateId> {
        let id = self.expanded(id);
        let children = self.children.get(&id).into_iter().flatten();
        let mut open: Vec<StateId> = children.filter(|(step, _)| step.edge == edge).map(|(_, child)| *child).collect();
        let mut seen: HashSet<StateId> = open.iter().copied().collect();
        let mut after = Vec::new();
        while let Some(id) = open.pop() {
            let at = self.expanded(id);
            let entry = &self.reached.entries[at];
            if self.is_step_point(at) || !entry.expanded {
                after.push(id);
                continue;
            }
            for (_, child) in self.children.get(&at).into_iter().flatten() {
                if seen.insert(*child) {
                    open.push(*child);
                }
            }
        }
        after
    }

    /// Whether what follows a state are steps of the path.
    fn is_step_point(&self, id: StateId) -> bool {
        let node = self.reached.entries[id].point.node;
        let function = &self.program.functions[self.program.nodes[node].function];
        !function.is_library && !self.program.out(node).is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_artifact::ErrorCall;
    use tandem_base::{Budget, Cancel, SourceText};
    use tandem_cfa::{DataModel, build};
    use tandem_cpa::{Analysis, Callees, Found, Search, begin, explore};

    /// Is stopped in the moment in which it meets a call of which it does not know where it goes.
    struct StoppedAtCall(Cancel);

    impl Analysis for StoppedAtCall {
        type State = ();

        fn start(&mut self, _: &Flow<'_>) {}

        fn step(&mut self, _: &Flow<'_>, _: &(), _: &Step, out: &mut Vec<()>) {
            out.push(());
        }

        fn covers(&mut self, _: &(), _: &()) -> bool {
            true
        }

        fn callees(&mut self, _: &Flow<'_>, _: &(), _: EdgeId) -> Callees {
            self.0.raise();
            Callees::Unknown
        }
    }

    #[test]
    fn a_gap_that_was_not_told_settles_nothing() {
        let text = "extern void reach_error(void); void nothing(void) {}
            int main(void) { void (*call)(void) = nothing; call(); reach_error(); return 0; }";
        let program = build(SourceText::plain("gap.c", text.as_bytes()), DataModel::Lp64).program.unwrap();
        let subject = Subject::plain("gap.c", text.as_bytes(), DataModel::Lp64);
        let task = Task { exchange: Some(&subject), ..Task::new(&program, &ErrorCall::Usual, 1) };
        let mut flow = task.flow().unwrap();
        let budget = Budget::unlimited();
        let mut analysis = StoppedAtCall(budget.cancel.clone());
        let mut reached = begin(&mut analysis, &flow, Search::DepthFirst);
        assert!(matches!(explore(&mut analysis, &mut flow, &mut reached, &budget), Found::Stopped(_)));
        assert_eq!(export(task, &flow, &reached, &[]), None, "the error behind the call is called unreachable");
    }
}
