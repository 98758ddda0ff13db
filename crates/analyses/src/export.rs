//! What a reached set says about paths, as an exchange automaton: which of them are proved to reach no error, and which are still open.
//!
//! Every state of the reached set becomes a state of the automaton. From an expanded state, a step that the analysis found impossible,
//! or that leads where no error can be reached any more, leads to "unreachable"; so does a step to a state from which only expanded
//! states are reached, none of them an error and none about to do something that is not modelled. Everything else stays open. A covered
//! state goes on as the one that covers it: whatever is impossible there is impossible here.
//!
//! Steps of library models, and returns, are no steps of a path: the automaton passes over them.

use std::collections::{HashMap, HashSet};

use tandem_artifact::gia::{EdgeSet, Gia, GiaBuilder, GuardId, Mark, StateId as GiaId, Subject, Target, minimise};
use tandem_base::{FastBuild, Id};
use tandem_cfa::{EdgeId, Op, Program};
use tandem_cpa::{Flow, Reached, StateId, Step, StepKind};

/// The automaton of a reached set. `refuted` says which error states were shown to be no errors. Only for explorations that met nothing
/// that is not modelled: what the analysis could not follow looks here as if it were impossible.
pub fn gia_of<S>(
    flow: &Flow<'_>,
    reached: &Reached<S>,
    subject: Subject,
    targets: Vec<Target>,
    refuted: impl Fn(StateId) -> bool,
) -> Gia {
    let export = Export::new(flow, reached, refuted);
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

/// Whether a reached set is small enough to be told in time.
pub fn is_small<S>(reached: &Reached<S>) -> bool {
    reached.entries.len() <= 100_000
}

/// The automaton that says that no path reaches a target.
pub fn all_unreachable(subject: Subject, targets: Vec<Target>) -> Gia {
    let empty = Gia::empty(subject.clone(), targets.clone());
    let mut builder = GiaBuilder::new(subject, targets);
    builder.state(Some(Mark::Unreachable));
    builder.finish().unwrap_or(empty)
}

/// The errors of a program as targets: one for each function whose call is an error.
pub fn error_targets(flow: &Flow<'_>, asserts: bool) -> Vec<Target> {
    use tandem_cfa::Callee;
    use tandem_cfa::library::{Kind, Primitive};
    let program = flow.program;
    let mut targets: Vec<Target> = Vec::new();
    for (edge, content) in program.edges.enumerate() {
        let Op::Call { callee: Callee::Direct(function), .. } = &content.op else { continue };
        let is_error = match flow.kinds[*function] {
            Kind::Error => true,
            Kind::Library(Primitive::AssertFail) => asserts,
            _ => false,
        };
        if !is_error {
            continue;
        }
        let name = &*program.functions[*function].name;
        match targets.iter_mut().find(|target| target.name == name) {
            Some(target) => target.edges.push(edge),
            None => targets.push(Target { name: name.to_string(), edges: vec![edge] }),
        }
    }
    targets
}

struct Export<'a, S> {
    program: &'a Program,
    reached: &'a Reached<S>,
    children: HashMap<StateId, Vec<(Step, StateId)>, FastBuild>,
    /// States from which everything was looked at, and nothing found.
    settled: Vec<bool>,
}

impl<'a, S> Export<'a, S> {
    fn new(flow: &Flow<'a>, reached: &'a Reached<S>, refuted: impl Fn(StateId) -> bool) -> Export<'a, S> {
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
            let is_error = entry.parents.iter().any(|(_, step)| matches!(step.kind, StepKind::Error(_)));
            let found = is_error && !refuted(id);
            let waits = !entry.expanded && entry.covered_by.is_none() && !is_error;
            if found || waits {
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
