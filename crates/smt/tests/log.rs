//! What the query log writes gives the same answers when it is run as a script.

mod random;

use proptest::prelude::*;
use random::{Builder, Shape};
use tandem_base::Budget;
use tandem_smt::layers::QueryLog;
use tandem_smt::smtlib::read_script;
use tandem_smt::{Answer, Solver, Sort, Terms, Z3Mode, Z3Solver, run_script};

fn z3(terms: &Terms) -> Z3Solver {
    Z3Solver::new(terms, Z3Mode::Incremental)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn replays(seed: u64) {
        let mut builder = Builder::new(seed, Shape { floats: false, arrays: true, functions: true, widths: &[1, 4, 9] });
        (0..25).for_each(|_| drop(builder.step()));
        let terms = builder.terms.clone();
        let mut solver = QueryLog::new(z3(&terms), Vec::new());
        let mut answers = Vec::new();
        for &(condition, _) in builder.pairs.iter().filter(|(term, _)| terms.sort(*term) == Sort::Bool) {
            match seed.rotate_right(condition.index() as u32) % 4 {
                0 => solver.push(),
                1 => solver.assert(condition),
                2 => answers.push(solver.check(&[condition], &Budget::unlimited())),
                _ => solver.pop(1),
            }
        }
        let (_, log) = solver.into_parts();
        let again = Terms::new();
        let script = read_script(&again, "log.smt2", &log);
        let script = script.map_err(|error| TestCaseError::fail(format!("{error}\n{}", String::from_utf8_lossy(&log))))?;
        let mut text = Vec::new();
        let run = run_script(&script, &mut z3(&again), &Budget::unlimited(), &mut |line| text.push(line.to_owned()));
        prop_assert_eq!(run.errors, 0, "{:?}", text);
        prop_assert_eq!(run.answers, answers);
    }
}

#[test]
fn responses() {
    let source = br#"
        (set-option :produce-unsat-cores true)
        (set-info :status sat)
        (declare-const x (_ BitVec 8))
        (declare-fun f ((_ BitVec 8)) (_ BitVec 8))
        (assert (! (bvult x #x03) :named small))
        (assert (= (f x) #x07))
        (push 1)
        (assert (! (= x #x02) :named two))
        (check-sat)
        (get-value (x (bvadd x #x01)))
        (get-model)
        (pop 1)
        (assert (! (bvult #x05 x) :named large))
        (assert (! (= x x) :named trivial))
        (check-sat)
        (get-unsat-core)
        (get-model)
        (reset-assertions)
        (check-sat)
        (echo "done")
        (exit)
        (check-sat)
    "#;
    let terms = Terms::new();
    let script = read_script(&terms, "a.smt2", source).expect("a script");
    let mut text = Vec::new();
    let run = run_script(&script, &mut z3(&terms), &Budget::unlimited(), &mut |line| text.push(line.to_owned()));
    assert_eq!(run.answers, [Answer::Sat, Answer::Unsat, Answer::Sat]);
    assert_eq!((run.errors, run.surprises.len()), (1, 0));
    assert_eq!(text[0], "sat");
    assert_eq!(text[1], "((x #x02)\n ((bvadd x #x01) #x03))");
    assert!(text[2].contains("(define-fun x () (_ BitVec 8) #x02)"), "{}", text[2]);
    assert!(text[2].contains("(define-fun f ((x!0 (_ BitVec 8))) (_ BitVec 8)"), "{}", text[2]);
    assert_eq!(text[3..], ["unsat", "(small large)", text[5].as_str(), "sat", "\"done\""]);
    assert!(text[5].starts_with("(error"));
}
