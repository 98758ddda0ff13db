//! Violation witnesses as candidates: the paths that match the witness and reach a target, perhaps.

use std::collections::HashMap;

use tandem_cfa::expression::Names;
use tandem_cfa::{Callee, EdgeId, Op, Program};

use super::Converted;
use super::places::Places;
use crate::gia::{EdgeSet, Gia, GiaBuilder, GuardId, Mark, StateId, Subject, Target, guard_formula, is_path_step};
use crate::{
    ExpressionFormat, Segment, Waypoint, WaypointKind, WitnessAutomaton, WitnessEdge, WitnessLocation, WitnessNodeId,
};

/// Conditions of others, taken if they mean something behind every edge where they are asked.
pub(super) struct Conditions {
    program: Program,
    names: Names,
}

impl Conditions {
    pub fn new(program: &Program) -> Conditions {
        Conditions { program: program.clone(), names: Names::of(program) }
    }

    pub fn mean(&mut self, text: &str, edges: &[EdgeId]) -> bool {
        edges.iter().all(|edge| guard_formula(&mut self.program, &self.names, *edge, text).is_ok())
    }
}

/// The candidates of a violation witness of format 2.
pub fn gia_of_violation(
    program: &Program,
    subject: Subject,
    targets: Vec<Target>,
    segments: &[Segment],
) -> Converted<Gia> {
    let mut chain = Chain::new(program, subject, targets);
    for segment in segments {
        chain.segment(segment);
    }
    chain.finish()
}

/// A chain of states, each with a transition to itself for what the witness does not name.
struct Chain<'a> {
    program: &'a Program,
    places: Places<'a>,
    conditions: Conditions,
    builder: GiaBuilder,
    at: StateId,
    /// The transitions that lead to the last state: what comes next may be about the same step.
    ways: Vec<(StateId, EdgeSet, GuardId)>,
    targets: Vec<EdgeId>,
    lost: Vec<String>,
}

impl<'a> Chain<'a> {
    fn new(program: &'a Program, subject: Subject, targets: Vec<Target>) -> Chain<'a> {
        let edges = targets.iter().flat_map(|target| target.edges.iter().copied()).collect();
        let mut builder = GiaBuilder::new(subject, targets);
        let at = builder.state(None);
        let (places, conditions) = (Places::new(program), Conditions::new(program));
        Chain { program, places, conditions, builder, at, ways: Vec::new(), targets: edges, lost: Vec::new() }
    }

    fn segment(&mut self, segment: &Segment) {
        let avoided: Vec<EdgeId> = segment.avoid.iter().flat_map(|waypoint| self.avoided(waypoint)).collect();
        let mark = (segment.follow.kind == WaypointKind::Target).then_some(Mark::Candidate);
        let Some((edges, texts)) = self.followed(&segment.follow) else { return };
        let guards = self.builder.guards();
        let mut guard = GuardId::TRUE;
        for text in texts {
            let one = guards.text(&text);
            guard = guards.and(guard, one);
        }
        self.builder.transition(self.at, EdgeSet::all_but(avoided), GuardId::TRUE, self.at);
        let next = self.builder.state(mark);
        let edges = EdgeSet::these(edges);
        let mut ways = vec![(self.at, edges.clone(), guard)];
        // An assumption about a place may be met by the step that the waypoint before it has named.
        if matches!(segment.follow.kind, WaypointKind::Assumption(_)) {
            for (source, before, other) in &self.ways {
                let both = self.builder.guards().and(*other, guard);
                ways.push((*source, before.intersect(&edges), both));
            }
        }
        ways.retain(|(_, edges, _)| !edges.is_empty());
        for (source, edges, guard) in &ways {
            self.builder.transition(*source, edges.clone(), *guard, next);
        }
        (self.at, self.ways) = (next, ways);
    }

    /// The edges that pass a waypoint and the conditions they ask; nothing if the waypoint has to be left out.
    fn followed(&mut self, waypoint: &Waypoint) -> Option<(Vec<EdgeId>, Vec<String>)> {
        let location = &waypoint.location;
        let found = match &waypoint.kind {
            WaypointKind::Branching(branch) => Some((self.places.branches_at(location, *branch), Vec::new())),
            WaypointKind::FunctionEnter => Some((self.places.calls_at(location), Vec::new())),
            WaypointKind::FunctionReturn(expression) => {
                let edges = self.places.calls_at(location);
                let texts = vec![expression.value.clone()];
                if self.conditions.mean(&expression.value, &edges) {
                    Some((edges, texts))
                } else {
                    self.lose(location, "the value that a function with a body returns");
                    Some((edges, Vec::new()))
                }
            }
            WaypointKind::Assumption(expression) => {
                let edges = self.places.statement_at(location).and_then(|(spot, _)| self.places.edges_into(spot.node));
                let is_c = expression.format == ExpressionFormat::C;
                let usable = edges.filter(|edges| is_c && self.conditions.mean(&expression.value, edges));
                usable.map(|edges| (edges, vec![expression.value.clone()]))
            }
            WaypointKind::Target => return Some((self.target(location), Vec::new())),
        };
        let found = found.filter(|(edges, _)| !edges.is_empty());
        if found.is_none() {
            self.lose(location, "a waypoint that is no step of the program");
        }
        found
    }

    /// The targets in the statement there; all of them if it has none.
    fn target(&mut self, location: &WitnessLocation) -> Vec<EdgeId> {
        let statement = self.places.statement_at(location).map(|(_, span)| span);
        let is_there = |edge: &EdgeId| {
            let span = self.program.edges[*edge].span;
            statement.is_some_and(|statement| statement.contains(span))
                || self.places.is_at(span.lo, location.line, location.column)
        };
        let there: Vec<EdgeId> = self.targets.iter().copied().filter(is_there).collect();
        if !there.is_empty() {
            return there;
        }
        self.lose(location, "where the target is");
        self.targets.clone()
    }

    fn avoided(&mut self, waypoint: &Waypoint) -> Vec<EdgeId> {
        let location = &waypoint.location;
        match &waypoint.kind {
            WaypointKind::Branching(branch) => self.places.branches_at(location, *branch),
            WaypointKind::FunctionEnter => self.places.calls_at(location),
            WaypointKind::Assumption(_) | WaypointKind::FunctionReturn(_) | WaypointKind::Target => {
                self.lose(location, "a condition to avoid");
                Vec::new()
            }
        }
    }

    fn lose(&mut self, location: &WitnessLocation, what: &str) {
        self.lost.push(format!("line {}: {what}", location.line));
    }

    fn finish(self) -> Converted<Gia> {
        finished(self.builder, self.lost)
    }
}

/// The automaton; builders of this folder break no rule.
pub(super) fn finished(mut builder: GiaBuilder, mut lost: Vec<String>) -> Converted<Gia> {
    let empty = Gia::empty(builder.subject().clone(), Vec::new());
    let value = builder.finish().unwrap_or_else(|flaw| {
        lost.push(flaw.to_string());
        empty
    });
    Converted { value, lost }
}

/// The candidates of a violation witness of format 1: its states, each with a transition to itself for what it does not name.
pub fn gia_of_automaton(
    program: &Program,
    subject: Subject,
    targets: Vec<Target>,
    witness: &WitnessAutomaton,
) -> Converted<Gia> {
    let mut builder = GiaBuilder::new(subject, targets);
    let mut lost = Vec::new();
    let Some(entry) = witness.entry() else { return finished(builder, lost) };
    let order = std::iter::once(entry).chain(witness.nodes.ids().filter(|node| *node != entry));
    let mut states: HashMap<WitnessNodeId, StateId> = HashMap::new();
    for node in order {
        let content = &witness.nodes[node];
        let state = builder.state(content.violation.then_some(Mark::Candidate));
        if !content.violation && !content.sink {
            builder.transition(state, EdgeSet::all(), GuardId::TRUE, state);
        }
        states.insert(node, state);
    }
    let (places, mut conditions) = (Places::new(program), Conditions::new(program));
    for edge in &witness.edges {
        if witness.nodes[edge.target].sink {
            continue;
        }
        let edges = matching(program, &places, edge);
        if edges.is_empty() {
            lost.push(format!("line {}: an edge that is no step of the program", edge.start_line.unwrap_or(0)));
        }
        let mut guard = GuardId::TRUE;
        let assumptions = edge.assumption.iter().flat_map(|text| text.split(';')).map(str::trim);
        for text in assumptions.filter(|text| !text.is_empty()) {
            if conditions.mean(text, &edges) && !edges.is_empty() {
                let one = builder.guards().text(text);
                guard = builder.guards().and(guard, one);
            } else {
                lost.push(format!("line {}: the assumption `{text}`", edge.start_line.unwrap_or(0)));
            }
        }
        let edges = if edges.is_empty() { EdgeSet::all() } else { EdgeSet::these(edges) };
        builder.transition(states[&edge.source], edges, guard, states[&edge.target]);
    }
    finished(builder, lost)
}

/// The steps of the program that an edge of a witness may mean; none if it says nothing that is understood.
fn matching(program: &Program, places: &Places<'_>, wanted: &WitnessEdge) -> Vec<EdgeId> {
    let steps: Vec<EdgeId> = program.edges.ids().filter(|edge| is_path_step(program, *edge)).collect();
    let fits = |edge: EdgeId, exact: bool| {
        let content = &program.edges[edge];
        let control = content.outcome.map(|(decision, outcome)| (program.decisions[decision].span, outcome == 1));
        let span = control.filter(|_| wanted.control.is_some()).map_or(content.span, |(span, _)| span);
        let starts = match (wanted.start_offset.filter(|_| exact), wanted.start_line) {
            (Some(offset), _) => span.lo == offset,
            (None, Some(line)) => places.is_at(span.lo, line, None),
            (None, None) => true,
        };
        let truth = match (wanted.control, &content.op) {
            (None, _) => true,
            (Some(wanted), Op::Assume { truth, .. }) => control.map_or(*truth, |(_, outcome)| outcome) == wanted,
            (Some(_), _) => false,
        };
        let calls = |name: &String| match &content.op {
            Op::Call { callee: Callee::Direct(function), .. } => *program.functions[*function].name == **name,
            _ => false,
        };
        let returns = |name: &String| {
            matches!(content.op, Op::Return { .. }) && *program.functions[program.function_of(edge)].name == **name
        };
        starts
            && truth
            && wanted.enter_function.as_ref().is_none_or(calls)
            && wanted.return_from_function.as_ref().is_none_or(returns)
            && wanted.assumption_result_function.as_ref().is_none_or(calls)
    };
    let is_exact = wanted.start_offset.is_some() && !program.source.is_preprocessed();
    let exact: Vec<EdgeId> = steps.iter().copied().filter(|edge| is_exact && fits(*edge, true)).collect();
    if !exact.is_empty() {
        return exact;
    }
    steps.into_iter().filter(|edge| fits(*edge, false)).collect()
}
