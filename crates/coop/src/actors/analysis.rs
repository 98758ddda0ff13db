//! An analysis as an actor: it looks at what is not settled yet, and says what it has settled.

use tandem_analyses::export::all_unreachable;
use tandem_analyses::{Hint, Outcome, Task, verify};
use tandem_artifact::convert::{error_targets, reached_path};
use tandem_artifact::gia::{Gia, Mark, Subject};
use tandem_artifact::{Invariant, Verdict};
use tandem_base::Budget;
use tandem_cfa::Program;
use tandem_cfa::expression::{Context, Names, parse_formula};

use crate::cooperation::{Actor, Delivery, Known, Setting};
use crate::settled::{Settled, is_small};

pub struct Analysis {
    name: &'static str,
}

impl Analysis {
    pub fn new(name: &'static &'static str) -> Analysis {
        Analysis { name }
    }
}

impl<'a> Actor<'a> for Analysis {
    fn act(&mut self, setting: Setting<'a>, known: &Known, budget: &Budget) -> Delivery {
        let settled = known.gia.has(Mark::Unreachable) && is_small(&known.gia);
        let observer = settled.then(|| Settled::new(&known.gia, false));
        let suggested: Vec<&Invariant> = known.invariants.iter().chain(&known.precision).collect();
        let (program, hints) = with_hints(setting.program, &suggested);
        let task = Task {
            exchange: Some(setting.subject),
            observer: observer.as_ref().map(|observer| observer as _),
            hints: &hints,
            ..Task::new(program.as_ref().unwrap_or(setting.program), setting.error, setting.threads)
        };
        let Some(outcome) = verify(self.name, task, budget) else { return Delivery::default() };
        let note = if settled { "on what is not settled" } else { "" };
        Delivery { note: note.into(), ..deliver(setting, outcome) }
    }
}

/// The conditions that are worth tracking, understood; and the program that has their expressions, if there are any.
pub fn with_hints(program: &Program, suggested: &[&Invariant]) -> (Option<Program>, Vec<Hint>) {
    if suggested.is_empty() {
        return (None, Vec::new());
    }
    let mut program = program.clone();
    let names = Names::of(&program);
    let mut hints = Vec::new();
    for invariant in suggested {
        let body = program.functions[invariant.function].body.as_ref();
        let found = body.and_then(|body| body.loops.iter().find(|statement| statement.span == invariant.at));
        let Some(node) = found.map(|statement| statement.head) else { continue };
        let context = Context { names: &names, function: invariant.function, at: invariant.at.lo, result: None };
        if let Ok(formula) = parse_formula(&mut program, context, &invariant.value) {
            hints.push(Hint { node, formula });
        }
    }
    (Some(program), hints)
}

/// What an outcome says about paths.
pub fn deliver(setting: Setting<'_>, outcome: Outcome) -> Delivery {
    let targets = || error_targets(setting.program, setting.error);
    let gia = match (&outcome.verdict, &outcome.violation) {
        (Verdict::True, _) => Some(all_unreachable(setting.subject.clone(), targets())),
        (_, Some(violation)) => reached(setting.program, setting.subject, &targets(), violation),
        _ => outcome.gia,
    };
    let invariants = if outcome.verdict == Verdict::True { outcome.invariants } else { Vec::new() };
    Delivery { gia, violation: outcome.violation, invariants, caveats: outcome.caveats, ..Delivery::default() }
}

/// The path of a run as an automaton, if it can be told.
pub fn reached(
    program: &Program,
    subject: &Subject,
    targets: &[tandem_artifact::gia::Target],
    violation: &tandem_artifact::Violation,
) -> Option<Gia> {
    reached_path(program, subject.clone(), targets, &violation.run).ok()
}
