//! Correctness witnesses: every invariant becomes an assertion of the program. A run that breaks one rejects the witness; a proof
//! of the program with its assertions confirms it.

use std::collections::HashMap;
use std::time::Duration;

use tandem_artifact::{ErrorCall, Verdict};
use tandem_base::{Budget, Span};
use tandem_cfa::exec::End;
use tandem_cfa::expression::{Context, Formula, Names, parse_formula};
use tandem_cfa::{EdgeId, NodeId, Program};

use super::formula::is_total;
use super::inductive::are_inductive;
use super::places::Spot;
use super::weave::Weaver;
use super::{Flaw, Judgement, search};
use crate::Task;
use crate::interval::interval;

/// Time for the interval analysis.
const INTERVALS: Duration = Duration::from_secs(2);

/// An expression that holds whenever control is at a place.
pub struct Fact {
    pub spot: Spot,
    pub text: String,
    /// In words.
    pub place: String,
}

/// A program with assertions.
struct Asserted {
    program: Program,
    /// The fact that each new error edge is about.
    errors: HashMap<EdgeId, usize>,
    /// Whether everything that is said was woven in, and can be evaluated everywhere.
    complete: Result<(), String>,
}

pub fn judge(task: Task<'_>, facts: &[Fact], budget: &Budget) -> Judgement {
    let asserted = match assert_all(task, facts) {
        Ok(asserted) => asserted,
        Err(flaw) => return flaw.into(),
    };
    debug_assert_eq!(tandem_cfa::check::check(&asserted.program), Vec::new());
    // It is the way in which k-induction proves, too.
    let asks_induction = task.without != Some(crate::induction::ENTRY.name);
    if asserted.complete.is_ok() && asks_induction && are_inductive(task, facts, &search::share(budget, 50)) {
        return Judgement::Confirmed;
    }
    // Without facts, the program as it is comes next anyway.
    if !facts.is_empty() && asserted.complete.is_ok() && are_bounds(task, facts, budget) {
        // The facts hold; what is left is the program as it is.
        if let Ok(outcome) = search::decide(task, &search::share(budget, 80)) {
            match outcome.verdict {
                Verdict::True => return Judgement::Confirmed,
                Verdict::False => return Judgement::Rejected("the program reaches the error".into()),
                Verdict::Unknown(_) => {}
            }
        }
    }
    let outcome = match search::decide(Task { program: &asserted.program, ..task }, budget) {
        Ok(outcome) => outcome,
        Err(reason) => return Judgement::Unknown(reason),
    };
    let Some(violation) = &outcome.violation else {
        return match (&outcome.verdict, asserted.complete) {
            (Verdict::True, Ok(())) => Judgement::Confirmed,
            (Verdict::True, Err(why)) => Judgement::Unknown(why),
            (Verdict::False | Verdict::Unknown(_), _) => Judgement::Unknown("no analysis could decide".into()),
        };
    };
    let broken = match &violation.run.end {
        End::ErrorReached { edge, .. } | End::AssertFailed { edge } => asserted.errors.get(edge),
        _ => None,
    };
    Judgement::Rejected(match broken {
        Some(fact) => {
            let fact = &facts[*fact];
            format!("{}: the invariant does not hold: {}", fact.place, fact.text)
        }
        None => "the program reaches the error".into(),
    })
}

/// Whether the interval analysis alone shows that all facts hold: those of proofs without invariants of their own are mostly of
/// this kind, and it is soon done.
fn are_bounds(task: Task<'_>, facts: &[Fact], budget: &Budget) -> bool {
    // No function of a program has such a name, so only broken facts are errors.
    let error = ErrorCall::Function("broken fact".into());
    let task = Task { error: &error, ..task };
    let Ok(asserted) = assert_all(task, facts) else { return false };
    let task = Task { program: &asserted.program, exchange: None, ..task };
    interval(task, &budget.within(INTERVALS)).verdict == Verdict::True
}

fn assert_all(task: Task<'_>, facts: &[Fact]) -> Result<Asserted, Flaw> {
    let names = Names::of(task.program);
    let mut weaver = Weaver::new(task.program, task.error);
    let mut complete = Ok(());
    let mut parsed: Vec<(usize, Formula)> = Vec::new();
    for (index, fact) in facts.iter().enumerate() {
        let context = Context { names: &names, function: fact.spot.function, at: fact.spot.scope, result: None };
        let formula = parse_formula(&mut weaver.program, context, &fact.text)
            .map_err(|problem| Flaw::Wrong(format!("{}: {}: {}", fact.place, problem.message, fact.text)))?;
        if !is_total(&weaver.program, &formula) {
            complete = Err(format!("{}: the invariant may be undefined: {}", fact.place, fact.text));
        }
        if fact.spot.ambiguous {
            complete = Err(format!("{}: the place cannot be told from the loop around it", fact.place));
        } else {
            parsed.push((index, formula));
        }
    }
    // Those that are passed less often come first: see `Weaver::before_node`.
    parsed.sort_by_key(|(index, _)| std::cmp::Reverse(widest(&facts[*index].spot)));
    let mut errors = Vec::new();
    for (index, formula) in &parsed {
        let spot = &facts[*index].spot;
        errors.push((assert_one(&mut weaver, spot, formula), *index));
    }
    let (program, map) = weaver.finish();
    let errors = errors.into_iter().filter_map(|(edge, index)| Some((*map.get(&edge)?, index))).collect();
    Ok(Asserted { program, errors, complete })
}

/// How much text is inside of the spans whose edges do not count.
pub fn widest(spot: &Spot) -> u32 {
    spot.except.iter().map(|span| span.hi - span.lo).max().unwrap_or(0)
}

fn assert_one(weaver: &mut Weaver, spot: &Spot, formula: &Formula) -> EdgeId {
    let node: NodeId = spot.node;
    let before = weaver.before_node(node, &spot.except);
    let broken = weaver.node_like(node);
    weaver.decide(before, formula, node, broken);
    weaver.fail(broken, Span::new(spot.scope, spot.scope + 1))
}
