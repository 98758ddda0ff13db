//! Fingerprints and forgetting, on the states of real explorations. The laws of analyses are in `tests/laws.rs`.

use std::rc::Rc;
use std::time::Duration;

use tandem_base::{Budget, SourceText};
use tandem_cfa::{DataModel, Program, build};
use tandem_cpa::{Analysis, Flow, Found, Point, Search, begin, explore_until};

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
        match explore_until(values, flow, &mut reached, |_, _, _| false, &budget) {
            Found::Everything | Found::Stopped(_) => break,
            Found::Target(_) | Found::Unsupported(..) => {}
        }
    }
    let compared = reached.entries.iter().filter(|entry| matches!(entry.state, State::At(_, true)));
    compared.take(400).map(|entry| (entry.point, entry.state.clone())).collect()
}

/// The same state, whose objects are looked at for the first time.
fn without_notes(state: &State) -> State {
    let State::At(store, compared) = state else { return state.clone() };
    let mut store = (**store).clone();
    store.objects = store.objects.iter().map(|(base, object)| (*base, Rc::new((**object).clone()))).collect();
    State::At(Rc::new(store), *compared)
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
            assert_eq!(values.fingerprint(one), values.fingerprint(&without_notes(one)));
        }
    }
}

#[test]
fn forgetting_covers() {
    for text in PROGRAMS {
        let program = program(text);
        let mut flow = Flow::new(&program, &["reach_error"], true).unwrap();
        let mut values = Values::new(&flow);
        for (point, state) in states(&mut values, &mut flow, None) {
            let State::At(store, _) = &state else { continue };
            let mut less = (**store).clone();
            Precision::default().forget(&values.executor, &mut less, point.node);
            let less = State::At(Rc::new(less), true);
            assert!(values.covers(&less, &state));
        }
    }
}

/// A program whose first state cannot be modelled is not proved because nothing follows from it.
#[test]
fn a_start_that_is_not_modelled_is_no_proof() {
    let text = "char big[0x70000000], more[0x70000000], most[0x70000000];\n\
                extern void reach_error(void); int main(void) { big[1] = 1; reach_error(); return more[1] + most[1]; }";
    let built = build(SourceText::plain("program.c", text.as_bytes().to_vec()), DataModel::Ilp32);
    let program = built.program.unwrap();
    let error = tandem_artifact::ErrorCall::Usual;
    let outcome = super::value(crate::Task::new(&program, &error, 1), &Budget::with_time(Duration::from_secs(5)));
    assert_ne!(outcome.verdict, tandem_artifact::Verdict::True);
}

/// A variable is kept at the locations that need it, and in the whole function if three do.
#[test]
fn variables_are_kept_where_they_are_needed() {
    let text = "int main(void) { int x = 1; while (x) { x++; } while (x) { x++; } while (x) { x++; } while (x) { x++; } return x; }";
    let program = program(text);
    let flow = Flow::new(&program, &["reach_error"], true).unwrap();
    let values = Values::new(&flow);
    let heads: Vec<_> = program.nodes.ids().filter(|node| flow.is_head(*node)).collect();
    let variable = program.variables.ids().find(|id| &*program.variables[*id].name == "x").unwrap();
    let touched = crate::store::Touched::Slot { depth: 1, variable };
    let mut precision = Precision::default();
    let keeps = |precision: &Precision| -> Vec<bool> {
        heads.iter().map(|node| !precision.clone().add(&values.executor, *node, touched)).collect()
    };
    assert_eq!(keeps(&precision), [false; 4]);
    assert!(precision.add(&values.executor, heads[0], touched));
    assert_eq!(keeps(&precision), [true, false, false, false]);
    assert!(precision.add(&values.executor, heads[1], touched));
    assert!(precision.add(&values.executor, heads[2], touched));
    assert_eq!(keeps(&precision), [true; 4]);
}

/// A refinement makes only the states again that lack something: the long loop before them is explored once.
#[test]
fn a_refinement_leaves_what_it_does_not_concern() {
    let text = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
                int main(void) {\n\
                  unsigned char i = 0; int n = 0, flag = 0, other = 0;\n\
                  while (__VERIFIER_nondet_int()) { i++; n = n + 3; }\n\
                  if (__VERIFIER_nondet_int()) flag = 1;\n\
                  while (__VERIFIER_nondet_int()) { n++; }\n\
                  if (flag == 2) reach_error();\n\
                  other = 5;\n\
                  while (__VERIFIER_nondet_int()) { n++; }\n\
                  if (other != 5) reach_error();\n\
                  return n; }";
    let program = program(text);
    let error = tandem_artifact::ErrorCall::Usual;
    let outcome = super::value(crate::Task::new(&program, &error, 1), &Budget::with_time(Duration::from_secs(5)));
    assert_eq!(outcome.verdict, tandem_artifact::Verdict::True);
    assert!(outcome.statistics["refinements"] >= 2);
    // All three loops have few states when only what matters is kept.
    assert!(outcome.statistics["kept"] <= 8, "{:?}", outcome.statistics);
}
