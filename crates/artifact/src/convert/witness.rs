//! Exchange automata as witnesses: one path to a target as a violation, or the invariants as a claim of correctness.

use std::collections::{BTreeMap, VecDeque};

use tandem_base::{Id, Span};
use tandem_cfa::{Callee, DecisionKind, EdgeId, NodeId, Op, PlaceKind, Program};

use super::Converted;
use super::places::Places;
use super::value::asked;
use crate::gia::{EdgeSet, Gia, GuardId, Mark, Transition, words};
use crate::{
    AutomatonMetadata, Branch, Segment, Waypoint, WitnessAutomaton, WitnessContent, WitnessEdge, WitnessInvariant,
    WitnessLocation,
};

/// What a witness can say of an automaton.
#[derive(Clone, PartialEq, Debug)]
pub enum Claim {
    /// A path to a target.
    Violation { steps: Vec<ClaimStep>, target: EdgeId },
    /// Conditions at loops (by their spans) and statements.
    Correctness(Vec<ClaimInvariant>),
}

/// A step that a witness names.
#[derive(Clone, PartialEq, Debug)]
pub enum ClaimStep {
    /// The call returns a value that meets this condition over `\result`.
    Input { edge: EdgeId, condition: String },
    /// The controlling expression of a statement comes out so.
    Branch { edge: EdgeId, truth: bool },
}

#[derive(Clone, PartialEq, Debug)]
pub struct ClaimInvariant {
    /// The loop or statement.
    pub span: Span,
    pub is_loop: bool,
    pub node: NodeId,
    pub value: String,
}

/// The shortest path to a call that is reached; without one, to a candidate; without that, the invariants.
pub fn claim_of(gia: &Gia, program: &Program) -> Converted<Claim> {
    for mark in [Mark::Reached, Mark::Candidate] {
        if let Some((run, target)) = shortest(gia, program, mark) {
            let mut lost = vec!["all paths but one".to_string(), "what is unreachable".to_string()];
            if mark == Mark::Candidate {
                lost.push("that the path is only a candidate".to_string());
            }
            let steps = run.iter().flat_map(|step| steps(gia, program, step)).collect();
            return Converted { value: Claim::Violation { steps, target }, lost };
        }
    }
    let lost = vec!["everything but invariants".to_string()];
    Converted { value: Claim::Correctness(invariants(gia, program)), lost }
}

/// The shortest run to a state with the mark that ends in the call of a target.
fn shortest<'a>(gia: &'a Gia, program: &Program, mark: Mark) -> Option<(Vec<&'a Transition>, EdgeId)> {
    let mut before: Vec<Option<&Transition>> = vec![None; gia.states().len()];
    let mut open = VecDeque::from([Gia::INITIAL]);
    while let Some(state) = open.pop_front() {
        for step in gia.from(state) {
            if gia.mark(step.target) == Some(mark)
                && let EdgeSet::One(edge) = step.edges
                && matches!(program.edges[edge].op, Op::Call { .. })
                && gia.targets.iter().any(|target| target.edges.contains(&edge))
            {
                let mut run = vec![step];
                let mut at = state;
                while let Some(step) = before[at.index()] {
                    run.push(step);
                    at = step.source;
                }
                run.reverse();
                return Some((run, edge));
            }
            let is_new = step.target != Gia::INITIAL && before[step.target.index()].is_none();
            if is_new && step.target != state {
                before[step.target.index()] = Some(step);
                open.push_back(step.target);
            }
        }
    }
    None
}

/// What a witness can name of a step.
fn steps(gia: &Gia, program: &Program, step: &Transition) -> Vec<ClaimStep> {
    let EdgeSet::One(edge) = step.edges else { return Vec::new() };
    let content = &program.edges[edge];
    if !is_own(program, content.span) {
        return Vec::new();
    }
    if let Some((decision, outcome)) = content.outcome {
        return match program.decisions[decision].kind {
            DecisionKind::If | DecisionKind::While | DecisionKind::DoWhile | DecisionKind::For => {
                vec![ClaimStep::Branch { edge, truth: outcome == 1 }]
            }
            DecisionKind::Switch | DecisionKind::Conditional | DecisionKind::Logical | DecisionKind::Computed => {
                Vec::new()
            }
        };
    }
    let Op::Call { callee: Callee::Direct(function), result, .. } = &content.op else { return Vec::new() };
    if program.functions[*function].body.is_some()
        || program.source.text().get(content.span.hi as usize - 1) != Some(&b')')
    {
        return Vec::new();
    }
    let variable = result.and_then(|place| match program.place(place).kind {
        PlaceKind::Variable(variable) => Some(&*program.variables[variable].name),
        PlaceKind::Deref(_) | PlaceKind::Field(..) | PlaceKind::Index(..) => None,
    });
    let conditions = gia.label(step).into_iter().flat_map(|guard| words(gia, guard));
    let about_result = conditions.filter_map(|text| match variable.and_then(|name| asked(&text, name)) {
        Some(value) => Some(format!("\\result == {value}")),
        None => text.contains("\\result").then_some(text),
    });
    let about_result: Vec<String> = about_result.collect();
    let condition = match &about_result[..] {
        [] => return Vec::new(),
        [one] => one.clone(),
        several => several.iter().map(|text| format!("({text})")).collect::<Vec<_>>().join(" && "),
    };
    vec![ClaimStep::Input { edge, condition }]
}

fn is_own(program: &Program, span: Span) -> bool {
    let source = &program.source;
    !span.is_none() && !source.is_appendix(span.lo) && *source.position(span.lo).file == *source.file()
}

/// Invariants of nodes: what holds in the states in which runs come there, if it is known for all ways to the node.
fn invariants(gia: &Gia, program: &Program) -> Vec<ClaimInvariant> {
    let places = Places::new(program);
    let mut texts: BTreeMap<NodeId, Vec<String>> = BTreeMap::new();
    for step in gia.transitions().iter().filter(|step| !step.edges.is_rest()) {
        let invariant = gia.states()[step.target].invariant;
        for edge in step.edges.named().iter().filter(|_| invariant != GuardId::TRUE) {
            let all = texts.entry(program.edges[*edge].target).or_default();
            let text = gia.guards().display(invariant);
            if !all.contains(&text) {
                all.push(text);
            }
        }
    }
    let mut found = Vec::new();
    for (node, texts) in texts {
        let known = |edges: Vec<EdgeId>| {
            edges.into_iter().all(|edge| {
                let here = gia.transitions().iter().filter(|step| step.edges.contains(edge));
                here.into_iter().all(|step| gia.states()[step.target].invariant != GuardId::TRUE)
            })
        };
        let place = places.name_of(node).filter(|(span, _)| is_own(program, *span));
        let Some((span, is_loop)) = place.filter(|_| places.edges_into(node).is_some_and(known)) else { continue };
        let value = match &texts[..] {
            [one] => one.clone(),
            several => several.iter().map(|text| format!("({text})")).collect::<Vec<_>>().join(" || "),
        };
        found.push(ClaimInvariant { span, is_loop, node, value });
    }
    found
}

/// A claim in the words of format 2.
pub fn content_of(claim: &Claim, program: &Program, file: &str) -> WitnessContent {
    let location = |offset: u32, node: NodeId| {
        let position = program.source.position(offset);
        let function = &program.functions[program.nodes[node].function].name;
        WitnessLocation::new(file, position.line, position.column).in_function(function)
    };
    match claim {
        Claim::Violation { steps, target } => {
            let mut segments = Vec::new();
            for step in steps {
                let waypoint = match step {
                    ClaimStep::Input { edge, condition } => {
                        let content = &program.edges[*edge];
                        Waypoint::function_return(location(content.span.hi - 1, content.source), condition.clone())
                    }
                    ClaimStep::Branch { edge, truth } => {
                        let content = &program.edges[*edge];
                        let Some((decision, _)) = content.outcome else { continue };
                        let keyword = program.decisions[decision].statement.lo;
                        Waypoint::branching(location(keyword, content.source), Branch::Condition(*truth))
                    }
                };
                segments.push(Segment::follow(waypoint));
            }
            let content = &program.edges[*target];
            let at = location(statement(program, content.span).lo, content.source);
            segments.push(Segment::follow(Waypoint::target(at)));
            WitnessContent::Violation(segments)
        }
        Claim::Correctness(invariants) => {
            let written = invariants.iter().map(|invariant| {
                let at = location(invariant.span.lo, invariant.node);
                match invariant.is_loop {
                    true => WitnessInvariant::of_loop(at, invariant.value.clone()),
                    false => WitnessInvariant::before_statement(at, invariant.value.clone()),
                }
            });
            WitnessContent::Correctness(written.collect())
        }
    }
}

/// The smallest statement around a span.
fn statement(program: &Program, span: Span) -> Span {
    let around = program.statements.iter().map(|statement| statement.span).filter(|other| other.contains(span));
    around.min_by_key(|other| other.hi - other.lo).unwrap_or(span)
}

/// A claim in the words of format 1. Only invariants of loops have a place there.
pub fn automaton_of(claim: &Claim, program: &Program, metadata: AutomatonMetadata) -> WitnessAutomaton {
    let mut automaton = WitnessAutomaton::new(metadata);
    let Some(entry) = automaton.entry() else { return automaton };
    match claim {
        Claim::Violation { steps, target } => {
            let mut at = entry;
            for step in steps {
                let next = automaton.add_node();
                let written = automaton.add_edge(at, next);
                match step {
                    ClaimStep::Input { edge, condition } => {
                        place(program, program.edges[*edge].span, written);
                        written.assumption = Some(format!("{condition};"));
                        written.assumption_scope = Some(program.functions[program.function_of(*edge)].name.to_string());
                        if let Op::Call { callee: Callee::Direct(function), .. } = &program.edges[*edge].op {
                            written.assumption_result_function = Some(program.functions[*function].name.to_string());
                        }
                    }
                    ClaimStep::Branch { edge, truth } => {
                        let content = &program.edges[*edge];
                        let span =
                            content.outcome.map_or(content.span, |(decision, _)| program.decisions[decision].span);
                        place(program, span, written);
                        written.control = Some(*truth);
                    }
                }
                at = next;
            }
            let violation = automaton.add_violation();
            place(program, statement(program, program.edges[*target].span), automaton.add_edge(at, violation));
        }
        Claim::Correctness(invariants) => {
            for invariant in invariants.iter().filter(|invariant| invariant.is_loop) {
                let node = automaton.add_node();
                automaton.nodes[node].invariant = Some(invariant.value.clone());
                let function = program.nodes[invariant.node].function;
                automaton.nodes[node].invariant_scope = Some(program.functions[function].name.to_string());
                let written = automaton.add_edge(entry, node);
                place(program, invariant.span, written);
                written.enter_loop_head = true;
            }
        }
    }
    automaton
}

/// Lines, and offsets where the text is the user's file as it is.
fn place(program: &Program, span: Span, edge: &mut WitnessEdge) {
    let last = span.hi.saturating_sub(1).max(span.lo);
    edge.start_line = Some(program.source.position(span.lo).line);
    edge.end_line = Some(program.source.position(last).line);
    if !program.source.is_preprocessed() {
        (edge.start_offset, edge.end_offset) = (Some(span.lo), Some(last));
    }
}
