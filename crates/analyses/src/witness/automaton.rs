//! Witnesses of format 1.0: a chain of steps to the violation, and loop heads with invariants.

use std::collections::BTreeMap;

use tandem_artifact::{AutomatonMetadata, Invariant, WitnessAutomaton, WitnessEdge};
use tandem_base::Span;
use tandem_cfa::{Callee, EdgeId, Op, Program};

use super::path::{Passed, PathOfRun, is_place};

/// A chain of inputs and branches; every branch that is not taken leads to the sink.
pub fn violation(program: &Program, path: &PathOfRun, metadata: AutomatonMetadata) -> WitnessAutomaton {
    let mut automaton = WitnessAutomaton::new(metadata);
    let sink = automaton.add_sink();
    let Some(mut at) = automaton.entry() else { return automaton };
    for step in &path.steps {
        let next = automaton.add_node();
        match step {
            Passed::Input { edge, value } => {
                let scope = &program.functions[program.function_of(*edge)].name;
                let written = automaton.add_edge(at, next);
                place(program, program.edges[*edge].span, written);
                written.assumption = Some(format!("\\result == {value};"));
                written.assumption_scope = Some(scope.to_string());
                written.assumption_result_function = callee(program, *edge).map(str::to_string);
            }
            Passed::Branch { edge, truth } => {
                for (target, truth) in [(next, *truth), (sink, !*truth)] {
                    let written = automaton.add_edge(at, target);
                    place(program, controlling(program, *edge), written);
                    written.control = Some(truth);
                }
            }
        }
        at = next;
    }
    let violation = automaton.add_violation();
    let written = automaton.add_edge(at, violation);
    place(program, path.target.0, written);
    automaton
}

/// The name of the function that is called.
fn callee(program: &Program, edge: EdgeId) -> Option<&str> {
    match &program.edges[edge].op {
        Op::Call { callee: Callee::Direct(function), .. } => Some(&program.functions[*function].name),
        _ => None,
    }
}

fn controlling(program: &Program, edge: EdgeId) -> Span {
    program.edges[edge].outcome.map_or(program.edges[edge].span, |(decision, _)| program.decisions[decision].span)
}

/// One node for each loop that has invariants.
pub fn correctness(program: &Program, invariants: &[Invariant], metadata: AutomatonMetadata) -> WitnessAutomaton {
    let mut automaton = WitnessAutomaton::new(metadata);
    let Some(entry) = automaton.entry() else { return automaton };
    let mut by_loop: BTreeMap<Span, Vec<&Invariant>> = BTreeMap::new();
    for invariant in invariants.iter().filter(|invariant| is_place(program, invariant.at)) {
        by_loop.entry(invariant.at).or_default().push(invariant);
    }
    for (span, together) in by_loop {
        let node = automaton.add_node();
        let parts: Vec<String> = together.iter().map(|invariant| format!("({})", invariant.value)).collect();
        automaton.nodes[node].invariant = Some(parts.join(" && "));
        let function = &program.functions[together[0].function].name;
        automaton.nodes[node].invariant_scope = Some(function.to_string());
        let written = automaton.add_edge(entry, node);
        place(program, span, written);
        written.enter_loop_head = true;
    }
    automaton
}

/// Lines, and offsets where the text is the user's file as it is.
fn place(program: &Program, span: Span, edge: &mut WitnessEdge) {
    let source = &program.source;
    edge.start_line = Some(source.position(span.lo).line);
    edge.end_line = Some(source.position(span.hi.saturating_sub(1).max(span.lo)).line);
    if !source.is_preprocessed() {
        edge.start_offset = Some(span.lo);
        edge.end_offset = Some(span.hi.saturating_sub(1).max(span.lo));
    }
}
