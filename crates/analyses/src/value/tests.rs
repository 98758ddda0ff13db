//! The laws of an analysis, on the states of real explorations.

use std::rc::Rc;
use std::time::Duration;

use tandem_base::{Budget, SourceText};
use tandem_cfa::{DataModel, Program, build};
use tandem_cpa::{Analysis, Callees, Flow, Found, Point, Search, StepKind, begin, explore_until};

use super::precision::Precision;
use super::{State, Values};

const PROGRAMS: &[&str] = &[
    include_str!("../../tests/golden/reactive_true.c"),
    include_str!("../../tests/golden/heap.c"),
    include_str!("../../tests/golden/structs.c"),
    include_str!("../../tests/golden/recursion_false.c"),
    include_str!("../../tests/golden/function_pointers.c"),
    include_str!("../../tests/golden/unimportant_counter.c"),
    include_str!("../../tests/golden/unknown_index.c"),
];

fn program(text: &str) -> Program {
    build(SourceText::plain("program.c", text.as_bytes().to_vec()), DataModel::Lp64).program.unwrap()
}

/// States of an exploration with a precision, at points where they are compared.
fn states(values: &mut Values<'_>, flow: &mut Flow<'_>, precision: Option<Precision>) -> Vec<(Point, State)> {
    values.precision = precision;
    let mut reached = begin(values, flow, Search::BreadthFirst);
    let budget = Budget::with_time(Duration::from_millis(200));
    loop {
        match explore_until(values, flow, &mut reached, |_, _| false, &budget) {
            Found::Everything | Found::Stopped(_) => break,
            Found::Target(_) | Found::Unsupported(..) => {}
        }
    }
    let compared = reached.entries.iter().filter(|entry| matches!(entry.state, State::At(_, true)));
    compared.take(400).map(|entry| (entry.point, entry.state.clone())).collect()
}

/// States of a program, precise ones and ones that have forgotten something.
fn all_states(values: &mut Values<'_>, flow: &mut Flow<'_>) -> Vec<(Point, State)> {
    let mut all = states(values, flow, None);
    all.extend(states(values, flow, Some(Precision::default())));
    values.precision = None;
    assert!(all.len() > 3);
    all
}

#[test]
fn covering_is_reflexive_and_transitive() {
    for text in PROGRAMS {
        let program = program(text);
        let mut flow = Flow::new(&program, &["reach_error"], true).unwrap();
        let mut values = Values::new(&flow);
        let all = all_states(&mut values, &mut flow);
        for (point, state) in &all {
            assert!(values.covers(state, state));
            let here: Vec<&State> =
                all.iter().filter(|(other, _)| other == point).map(|(_, state)| state).take(30).collect();
            for first in &here {
                for second in &here {
                    if values.covers(first, second) && values.covers(second, state) {
                        assert!(values.covers(first, state));
                    }
                }
            }
        }
    }
}

#[test]
fn states_of_equal_content_have_equal_fingerprints() {
    for text in PROGRAMS {
        let program = program(text);
        let mut flow = Flow::new(&program, &["reach_error"], true).unwrap();
        let mut values = Values::new(&flow);
        let (first, second) = (states(&mut values, &mut flow, None), states(&mut values, &mut flow, None));
        for ((point, one), (other, two)) in first.iter().zip(&second) {
            assert_eq!(point, other);
            assert_eq!(values.fingerprint(one), values.fingerprint(two));
        }
    }
}

#[test]
fn forgetting_covers() {
    for text in PROGRAMS {
        let program = program(text);
        let mut flow = Flow::new(&program, &["reach_error"], true).unwrap();
        let mut values = Values::new(&flow);
        for (_, state) in states(&mut values, &mut flow, None) {
            let State::At(store, _) = &state else { continue };
            let mut less = (**store).clone();
            Precision::default().forget(&values.executor, &mut less);
            let less = State::At(Rc::new(less), true);
            assert!(values.covers(&less, &state));
        }
    }
}

fn show(state: &State) -> String {
    match state {
        State::At(store, _) => format!("{:?} {:?} {:?}", store.statics, store.frames, store.objects),
        State::Gap { what, .. } => what.to_string(),
        State::Spent => String::new(),
    }
}

/// What follows from a state in all steps but errors and gaps.
fn successors(values: &mut Values<'_>, flow: &mut Flow<'_>, point: Point, state: &State) -> Vec<(Point, State)> {
    let mut steps = Vec::new();
    let State::At(store, _) = state else { return Vec::new() };
    let mut called = Vec::new();
    for edge in flow.program.out(point.node).iter() {
        called.push((edge, values.executor.callees(store, edge)));
    }
    let find = |edge| called.iter().find(|(other, _)| *other == edge).map(|(_, callees)| callees.clone());
    flow.steps(point, |edge| find(edge).unwrap_or(Callees::Unknown), &mut steps);
    let mut all = Vec::new();
    for step in steps.iter().filter(|step| !matches!(step.kind, StepKind::Error(_) | StepKind::Unsupported)) {
        let mut out = Vec::new();
        values.step(flow, state, step, &mut out);
        all.extend(out.into_iter().map(|next| (step.to, next)));
    }
    all
}

#[test]
fn steps_are_monotone() {
    let mut pairs = 0;
    // Without unions and bit-fields: bytes that are divided into values otherwise are not recognised as the same.
    for text in PROGRAMS.iter().filter(|text| !text.contains("union")) {
        let program = program(text);
        let mut flow = Flow::new(&program, &["reach_error"], true).unwrap();
        let mut values = Values::new(&flow);
        let all = all_states(&mut values, &mut flow);
        for (point, old) in &all {
            for (_, new) in all.iter().filter(|(other, _)| other == point).take(30) {
                if !values.covers(old, new) {
                    continue;
                }
                let after_old = successors(&mut values, &mut flow, *point, old);
                for (to, next) in successors(&mut values, &mut flow, *point, new) {
                    pairs += 1;
                    let covered = after_old.iter().any(|(at, state)| *at == to && values.covers(state, &next));
                    assert!(covered, "a step from {point:?} to {to:?} of\n{text}\n{}\n{}", show(old), show(new));
                }
            }
        }
    }
    assert!(pairs > 100);
}
