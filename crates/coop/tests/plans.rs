//! Plans with actors that lie: whatever they say, the verdict is never wrong, and the journal says what was refused.

use std::time::Duration;

use tandem_analyses::LibraryValues;
use tandem_analyses::export::all_unreachable;
use tandem_artifact::convert::error_targets;
use tandem_artifact::gia::{EdgeSet, Gia, GiaBuilder, GuardId, Mark, Subject};
use tandem_artifact::plan::{Plan, When};
use tandem_artifact::{Caveat, ErrorCall, Invariant, Verdict};
use tandem_base::{Budget, SourceText, Span};
use tandem_cfa::{DataModel, Program, build};
use tandem_coop::actors::Company;
use tandem_coop::cooperation::*;
use tandem_coop::outside::{Order, Outside, Report, Tool};

const WRONG: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n  \
    int x = __VERIFIER_nondet_int();\n  if (x > 5)\n    reach_error();\n  return 0;\n}\n";
const RIGHT: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n  \
    int x = __VERIFIER_nondet_int();\n  if (x > 5)\n    if (x < 3)\n      reach_error();\n  return 0;\n}\n";

fn program(text: &str) -> Program {
    let built = build(SourceText::plain("plan.c", text.as_bytes().to_vec()), DataModel::Lp64);
    built.program.unwrap_or_else(|| panic!("{:?}", built.problems))
}

fn subject() -> Subject {
    Subject::plain("plan.c", b"", DataModel::Lp64)
}

/// What a lie is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Lie {
    AllUnreachable,
    /// The first call of the error is reached on every path.
    Reached,
    /// A fact that does not hold.
    Invariant,
    Nothing,
    Panic,
}

struct Liars(Vec<(&'static str, Lie, Approximation, bool)>);

impl Cast for Liars {
    fn names(&self) -> Vec<String> {
        self.0.iter().map(|(name, ..)| name.to_string()).collect()
    }

    fn declaration(&self, name: &str) -> Option<Declaration> {
        let (_, _, approximates, trusted) = self.0.iter().find(|(known, ..)| *known == name)?;
        Some(Declaration {
            name: name.into(),
            about: "says what is not so".into(),
            needs: vec![Kind::Program],
            gives: vec![Kind::Gia],
            approximates: *approximates,
            trusted: *trusted,
        })
    }

    fn troupe<'a>(&'a self, _: Setting<'a>) -> Box<dyn Troupe<'a> + 'a> {
        Box::new(Gang(self.0.iter().map(|(name, lie, ..)| (*name, Liar(*lie))).collect()))
    }
}

struct Gang(Vec<(&'static str, Liar)>);

impl<'a> Troupe<'a> for Gang {
    fn actor(&mut self, name: &str) -> Option<&mut dyn Actor<'a>> {
        let (_, liar) = self.0.iter_mut().find(|(known, _)| *known == name)?;
        Some(liar)
    }
}

struct Liar(Lie);

impl<'a> Actor<'a> for Liar {
    fn act(&mut self, setting: Setting<'a>, _: &Known, _: &Budget) -> Delivery {
        let targets = error_targets(setting.program, setting.error);
        let gia = match self.0 {
            Lie::AllUnreachable => Some(all_unreachable(setting.subject.clone(), targets)),
            Lie::Reached => {
                let mut builder = GiaBuilder::new(setting.subject.clone(), targets.clone());
                let (start, end) = (builder.state(None), builder.state(Some(Mark::Reached)));
                builder.transition(start, EdgeSet::all_but([targets[0].edges[0]]), GuardId::TRUE, start);
                builder.transition(start, EdgeSet::One(targets[0].edges[0]), GuardId::TRUE, end);
                Some(builder.finish().unwrap())
            }
            Lie::Invariant => {
                let function = setting.program.entry.unwrap();
                let invariant = Invariant { function, at: Span::NONE, value: "x == 0".into() };
                return Delivery { invariants: vec![invariant], ..Delivery::default() };
            }
            Lie::Nothing => None,
            Lie::Panic => panic!("on purpose"),
        };
        Delivery { gia, ..Delivery::default() }
    }
}

fn performed(text: &str, plan: &Plan, casts: &[&dyn Cast], trust: &[String]) -> Performance {
    let (program, error, subject) = (program(text), ErrorCall::Usual, subject());
    let setting = Setting {
        program: &program,
        error: &error,
        subject: &subject,
        threads: 1,
        hints: &[],
        library_values: LibraryValues::Contract,
    };
    assert_eq!(check(plan, casts, None), Ok(()));
    perform(plan, casts, setting, trust, None, &Budget::with_time(Duration::from_secs(20)), &|_, _| {})
}

fn lied(text: &str, lie: Lie, approximates: Approximation, trusted: bool) -> Performance {
    performed(text, &Plan::run("liar"), &[&Liars(vec![("liar", lie, approximates, trusted)])], &[])
}

#[test]
fn what_a_stranger_says_is_checked() {
    let performance = lied(WRONG, Lie::AllUnreachable, Approximation::Both, false);
    assert!(matches!(performance.verdict, Verdict::Unknown(_)), "{performance:?}");
    assert!(performance.journal[0].caveats[0].contains("what is called unreachable is wrong"), "{performance:?}");
    assert!(!performance.known.gia.has(Mark::Unreachable));
    let performance = lied(RIGHT, Lie::Reached, Approximation::Both, false);
    assert!(matches!(performance.verdict, Verdict::Unknown(_)), "{performance:?}");
    assert!(!performance.known.gia.has(Mark::Reached), "{performance:?}");
    assert!(performance.journal[0].caveats.iter().any(|caveat| caveat.contains("what is called reached")));
    // What is so is believed, once it was checked.
    let performance = lied(RIGHT, Lie::AllUnreachable, Approximation::Both, false);
    assert_eq!(performance.verdict, Verdict::True, "{performance:?}");
}

#[test]
fn the_contract_is_kept() {
    for (text, lie, approximates, refused) in [
        (RIGHT, Lie::AllUnreachable, Approximation::Under, "an under-approximating actor calls paths unreachable"),
        (WRONG, Lie::Reached, Approximation::Over, "an over-approximating actor calls paths reached"),
    ] {
        // Even somebody whose word is taken for a fact may say only what he is there for.
        let performance = lied(text, lie, approximates, true);
        assert_eq!(performance.journal[0].refused.as_deref(), Some(refused), "{performance:?}");
        assert!(matches!(performance.verdict, Verdict::Unknown(_)), "{performance:?}");
        assert!(!performance.known.gia.has(Mark::Unreachable) && !performance.known.gia.has(Mark::Reached));
    }
}

#[test]
fn a_fact_of_a_stranger_is_only_worth_tracking() {
    let liars = Liars(vec![("liar", Lie::Invariant, Approximation::Over, false)]);
    let plan = Plan::Sequence(vec![Plan::run("liar"), Plan::run("predicate")]);
    let performance = performed(WRONG, &plan, &[&Company, &liars], &[]);
    assert_eq!(performance.verdict, Verdict::False, "{performance:?}");
    assert!(performance.known.invariants.is_empty(), "{performance:?}");
}

/// Who breaks does not break the plan.
#[test]
fn the_plan_goes_on_behind_a_bug() {
    let liars = Liars(vec![("broken", Lie::Panic, Approximation::Both, false)]);
    for parts in [Plan::Sequence as fn(Vec<Plan>) -> Plan, Plan::Race] {
        let plan = parts(vec![Plan::run("broken"), Plan::run("bmc")]);
        let performance = performed(WRONG, &plan, &[&Company, &liars], &[]);
        assert_eq!(performance.verdict, Verdict::False, "{performance:?}");
    }
}

#[test]
fn repetitions_end_when_nothing_new_comes() {
    let liars = Liars(vec![("idle", Lie::Nothing, Approximation::Both, false)]);
    let plan = Plan::Repeat { rounds: 1000, body: Box::new(Plan::run("idle")) };
    let performance = performed(RIGHT, &plan, &[&liars], &[]);
    assert!(performance.journal.len() < 20, "{performance:?}");
}

/// The run is what counts; the automaton of its million steps would take longer than to find it.
#[test]
fn a_long_run_to_an_error_is_delivered_at_once() {
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n  int i = 0, x = __VERIFIER_nondet_int();\n  \
                while (i < 400000)\n    i++;\n  if (x != i)\n    reach_error();\n  return 0;\n}\n";
    let performance = performed(text, &Plan::run("random"), &[&Company], &[]);
    assert_eq!(performance.verdict, Verdict::False);
    assert!(!performance.known.gia.has(Mark::Reached));
}

#[test]
fn plans_are_checked_before_they_run() {
    let casts: [&dyn Cast; 1] = [&Company];
    let refused = |plan: Plan| check(&plan, &casts, None).unwrap_err().to_string();
    assert_eq!(refused(Plan::run("nobody")), "there is no actor `nobody`");
    assert_eq!(refused(Plan::run("feasibility")), "`feasibility` needs candidates, which nobody before it gives");
    assert_eq!(refused(Plan::Sequence(vec![])), "the plan has no actor");
    let branch = Plan::Branch {
        when: When::Tests,
        then: Box::new(Plan::run("bmc")),
        otherwise: Box::new(Plan::Sequence(vec![])),
    };
    assert_eq!(refused(branch), "the plan asks for tests, which nobody before gives");
    let split = Plan::Split { splitter: "by-weekday".into(), ranges: 2, body: Box::new(Plan::run("bmc")) };
    assert_eq!(refused(split), "there is no splitter `by-weekday`");
    // What only one side of a branch gives, nobody can rely on; nor on what a rival gives.
    let race = Plan::Race(vec![Plan::run("explorer"), Plan::run("refiner")]);
    assert_eq!(refused(race), "`refiner` needs candidates, which nobody before it gives");
}

/// An error that is called through a pointer has no edge of its own: what calls through pointers is left is open.
#[test]
fn a_call_through_a_pointer_is_not_forgotten() {
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n  \
                void (*f)(void) = reach_error;\n  int mode = 0;\n  if (mode == 1)\n    f();\n  if (__VERIFIER_nondet_int() == 7)\n    \
                f();\n  return 0;\n}\n";
    let (program, error, subject) = (program(text), ErrorCall::Usual, subject());
    assert!(error_targets(&program, &error).is_empty());
    let edge = program.edges.ids().find(|edge| tandem_cfa::c_print::edge(&program, *edge) == "[mode == 1]").unwrap();
    let mut builder = GiaBuilder::new(subject.clone(), Vec::new());
    let (start, end) = (builder.state(None), builder.state(Some(Mark::Unreachable)));
    builder.transition(start, EdgeSet::all_but([edge]), GuardId::TRUE, start);
    builder.transition(start, EdgeSet::One(edge), GuardId::TRUE, end);
    let given = builder.finish().unwrap();
    let setting = Setting {
        program: &program,
        error: &error,
        subject: &subject,
        threads: 1,
        hints: &[],
        library_values: LibraryValues::Contract,
    };
    let liars = Liars(vec![("idle", Lie::Nothing, Approximation::Both, false)]);
    let budget = Budget::with_time(Duration::from_secs(20));
    let performance = perform(&Plan::run("idle"), &[&liars], setting, &[], Some(&given), &budget, &|_, _| {});
    assert!(matches!(performance.verdict, Verdict::Unknown(_)), "{performance:?}");
    let performance = perform(&Plan::run("bmc"), &[&Company], setting, &[], Some(&given), &budget, &|_, _| {});
    assert_eq!(performance.verdict, Verdict::False, "{performance:?}");
}

/// A tool that says what it is told to say.
struct Scripted {
    approximates: Approximation,
    report: Report,
}

impl Tool for Scripted {
    fn declaration(&self) -> Declaration {
        Declaration {
            name: "tool".into(),
            about: String::new(),
            needs: vec![Kind::Program],
            gives: vec![Kind::Gia],
            approximates: self.approximates,
            trusted: true,
        }
    }

    fn work(&self, order: &Order<'_>, _: &Budget) -> Report {
        assert!(order.text.contains("reach_error") && order.errors == ["reach_error"]);
        self.report.clone()
    }
}

fn asked(text: &str, plan: &Plan, report: Report, approximates: Approximation, trust: &[String]) -> Performance {
    let tools = Outside { tools: vec![Box::new(Scripted { approximates, report })], trust: trust.to_vec() };
    performed(text, plan, &[&Company, &tools], trust)
}

#[test]
fn what_a_tool_says_is_replayed_or_nothing() {
    let run = Plan::run("tool");
    let holds = Report { claim: Some(true), ..Report::default() };
    let performance = asked(WRONG, &run, holds.clone(), Approximation::Over, &[]);
    assert!(matches!(&performance.verdict, Verdict::Unknown(why) if why.contains("tool: says TRUE without")));
    let performance = asked(RIGHT, &run, holds.clone(), Approximation::Over, &["tool".into()]);
    assert_eq!(performance.verdict, Verdict::True);
    // Trust does not widen what a tester may say.
    let performance = asked(RIGHT, &run, holds, Approximation::Under, &["tool".into()]);
    assert!(performance.journal[0].refused.is_some() && performance.verdict != Verdict::True, "{performance:?}");
    let stream = |bytes: &[u8]| Report { streams: vec![bytes.to_vec()], claim: Some(false), ..Report::default() };
    let performance = asked(WRONG, &run, stream(&[6]), Approximation::Under, &[]);
    assert_eq!(performance.verdict, Verdict::False, "{performance:?}");
    assert!(performance.known.gia.has(Mark::Reached));
    for text in [WRONG, RIGHT] {
        let performance = asked(text, &run, stream(&[4]), Approximation::Under, &[]);
        assert!(matches!(&performance.verdict, Verdict::Unknown(why) if why.contains("tool: says FALSE, but no run")));
        assert_eq!(performance.known.tests.len(), 1, "{performance:?}");
    }
    // A violation is nothing that an over-approximating actor may report.
    let performance = asked(WRONG, &run, stream(&[6]), Approximation::Over, &[]);
    assert!(performance.journal[0].refused.is_some() && performance.known.violation.is_none(), "{performance:?}");
}

/// With candidates a tool sees those alone, and its proof is about those alone.
#[test]
fn a_proof_about_candidates_settles_the_candidates() {
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n  \
                int x = __VERIFIER_nondet_int();\n  if (x > 5) {\n    if (x < 3)\n      reach_error();\n  } else {\n    \
                if (x == 4)\n      reach_error();\n  }\n  return 0;\n}\n";
    let (program, error, subject) = (program(text), ErrorCall::Usual, subject());
    let targets = error_targets(&program, &error);
    let candidates = |index: usize| -> Gia {
        let edge = targets[0].edges[index];
        let mut builder = GiaBuilder::new(subject.clone(), targets.clone());
        let (start, end) = (builder.state(None), builder.state(Some(Mark::Candidate)));
        builder.transition(start, EdgeSet::all_but([edge]), GuardId::TRUE, start);
        builder.transition(start, EdgeSet::One(edge), GuardId::TRUE, end);
        builder.transition(end, EdgeSet::all(), GuardId::TRUE, end);
        builder.finish().unwrap()
    };
    let setting = Setting {
        program: &program,
        error: &error,
        subject: &subject,
        threads: 1,
        hints: &[],
        library_values: LibraryValues::Contract,
    };
    let report = Report { claim: Some(true), ..Report::default() };
    let tools = Outside {
        tools: vec![Box::new(Scripted { approximates: Approximation::Over, report })],
        trust: vec!["tool".into()],
    };
    let budget = Budget::with_time(Duration::from_secs(20));
    let given = candidates(0);
    let performance = perform(&Plan::run("tool"), &[&Company, &tools], setting, &[], Some(&given), &budget, &|_, _| {});
    assert!(performance.known.gia.has(Mark::Unreachable), "{performance:?}");
    assert!(matches!(performance.verdict, Verdict::Unknown(_)), "the other call is open: {performance:?}");
    // The rest is looked at by somebody else.
    let plan = Plan::Sequence(vec![Plan::run("tool"), Plan::run("bmc")]);
    let performance = perform(&plan, &[&Company, &tools], setting, &[], Some(&given), &budget, &|_, _| {});
    assert_eq!(performance.verdict, Verdict::False, "{performance:?}");
}

#[test]
fn what_went_wrong_is_said_by_name() {
    let performance = asked(RIGHT, &Plan::run("tool"), Report::failed("crashed (signal 11)"), Approximation::Both, &[]);
    let expected = Caveat::Imprecise("tool: crashed (signal 11)".into());
    assert_eq!(performance.caveats, [expected]);
}

/// A witness can speak of a variable that is declared below the loop, and of a field of a field: reasons about these are not lost.
#[test]
fn reasons_about_parts_and_later_variables_have_words() {
    let start = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nvoid lock(void);\nvoid unlock(void);\n\
                 int main(void) {\n  while (__VERIFIER_nondet_int()) {\n    lock();\n    unlock();\n  }\n  return 0;\n}\n";
    for (declared, held) in
        [("int held = 0;", "held"), ("struct { char a; struct { long b; int c; } inner; } held;", "held.inner.c")]
    {
        let text = format!(
            "{start}{declared}\nvoid lock(void) {{ if ({held}) reach_error(); {held} = 1; }}\nvoid unlock(void) {{ if (!{held}) reach_error(); {held} = 0; }}\n"
        );
        for name in ["cc-wit", "cc-gia"] {
            let plan = tandem_coop::plans::named(name).unwrap().plan;
            let performance = performed(&text, &plan, &[&Company], &[]);
            let notes: Vec<&str> = performance.journal.iter().map(|entry| entry.note.as_str()).collect();
            assert_eq!(performance.verdict, Verdict::True, "{name} {held} {notes:?}");
            assert!(notes.iter().any(|note| note.contains(&format!("{held} == 0"))), "{name} {held} {notes:?}");
        }
    }
}

/// A reason that a witness cannot tell makes a proof impossible, and hides no error that is further down: a candidate that is given up covers
/// nothing.
#[test]
fn behind_a_lost_reason_errors_are_still_found() {
    let text = "extern void reach_error(void);\nint main(void) {\n  int state = 1, rounds = 0;\n  while (rounds < 100) {\n    \
                if (state == 1) state = 2;\n    else if (state == 2) state = 3;\n    else if (state == 3) state = 4;\n    \
                else reach_error();\n    rounds++;\n  }\n  return 0;\n}\n";
    let plan = tandem_coop::plans::named("cc-wit").unwrap().plan;
    let performance = performed(text, &plan, &[&Company], &[]);
    let notes: Vec<&str> = performance.journal.iter().map(|entry| entry.note.as_str()).collect();
    assert!(notes.iter().any(|note| note.contains("lost")), "{notes:?}");
    assert_eq!(performance.verdict, Verdict::False, "{notes:?}");
}

/// An alarm of which the path cannot be taken stands for others with the same loops: who comes next looks at these first.
#[test]
fn alarms_that_may_be_false_are_candidates() {
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n  \
                for (int i = 0; i < 3; i++) {\n    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();\n    \
                if (x > 10) {}\n    if (y > 10) {}\n    if (x < 5 && y > 20) reach_error();\n  }\n  return 0;\n}\n";
    let plan = tandem_coop::plans::named("cmc").unwrap().plan;
    let performance = performed(text, &plan, &[&Company], &[]);
    let said: Vec<(&str, bool, &str)> =
        performance.journal.iter().map(|one| (one.actor.as_str(), one.violation, one.note.as_str())).collect();
    assert_eq!(said, [("value", false, ""), ("predicate", true, "a run takes a path of the candidate")]);
    assert_eq!(performance.verdict, Verdict::False);
}
