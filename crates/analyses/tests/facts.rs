//! Loop invariants that support proofs hold in every run: also in calls that lead to no error any more.

use std::time::Duration;

use tandem_analyses::{Task, verify};
use tandem_artifact::gia::Subject;
use tandem_artifact::{ErrorCall, Verdict};
use tandem_base::{Budget, SourceText};
use tandem_cfa::{DataModel, build};

#[test]
fn facts_hold_in_calls_behind_the_last_error() {
    let text = "extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int count(int n) { int i = 0; while (i < n) { i++; } return i; }
int main(void) {
  int m = __VERIFIER_nondet_int();
  if (m < 0 || m > 5) return 0;
  if (count(m) > 5) reach_error();
  count(100);
  return 0;
}
";
    let built = build(SourceText::plain("count.c", text.as_bytes().to_vec()), DataModel::Lp64);
    let program = built.program.expect("a program");
    let subject = Subject::plain("count.c", b"", DataModel::Lp64);
    let task = Task { exchange: Some(&subject), ..Task::new(&program, &ErrorCall::Usual, 1) };
    for analysis in ["interval", "bmc", "symbolic"] {
        let outcome = verify(analysis, task, &Budget::with_time(Duration::from_secs(20))).expect("an analysis");
        assert_eq!(outcome.verdict, Verdict::True, "{analysis}");
        let values: Vec<&str> = outcome.invariants.iter().map(|invariant| invariant.value.as_str()).collect();
        assert_eq!(values, ["0 <= n && n <= 100 && 0 <= i && i <= 100"], "{analysis}");
    }
}

/// Every analysis looks at the clock, also one that begins again and again.
#[test]
fn analyses_stop_in_time() {
    let text = "extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int count(int n) { int i = 0; while (i < n) { i++; } return i; }
int main(void) {
  int m = __VERIFIER_nondet_int();
  if (m < 0 || m > 5000) return 0;
  if (count(m) > 5000) reach_error();
  return count(100000);
}
";
    let built = build(SourceText::plain("count.c", text.as_bytes().to_vec()), DataModel::Lp64);
    let program = built.program.expect("a program");
    for analysis in tandem_analyses::NAMES {
        let start = std::time::Instant::now();
        let task = Task::new(&program, &ErrorCall::Usual, 2);
        verify(analysis, task, &Budget::with_time(Duration::from_millis(500))).expect("an analysis");
        assert!(start.elapsed() < Duration::from_secs(5), "{analysis} took {:?}", start.elapsed());
    }
}
