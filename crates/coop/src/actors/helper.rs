//! Actors that help others: a generator of invariants, and a tester that confirms candidates.

use tandem_analyses::interval::loop_facts;
use tandem_analyses::{Task, symbolic};
use tandem_artifact::Violation;
use tandem_artifact::convert::error_targets;
use tandem_artifact::gia::Gia;
use tandem_base::Budget;

use super::analysis::reached;
use crate::cooperation::{Actor, Delivery, Known, Setting};
use crate::settled::Settled;

/// Bounds of variables at the heads of loops.
pub struct Invariants;

impl<'a> Actor<'a> for Invariants {
    fn act(&mut self, setting: Setting<'a>, _: &Known, budget: &Budget) -> Delivery {
        let task = setting.task(setting.threads);
        let invariants = loop_facts(task, budget);
        Delivery {
            note: format!("{} loops with bounds", invariants.len()),
            precision: invariants.clone(),
            invariants,
            ..Delivery::default()
        }
    }
}

/// Looks for a run on the paths of the candidates.
pub struct Confirm;

impl<'a> Actor<'a> for Confirm {
    fn act(&mut self, setting: Setting<'a>, known: &Known, budget: &Budget) -> Delivery {
        confirm(setting, known, budget)
    }
}

/// A run that takes a path of the candidates of an automaton, if one is found.
pub fn run_of_candidates(setting: Setting<'_>, candidates: &Gia, budget: &Budget) -> Option<Violation> {
    let observer = Settled::new(candidates, true);
    let task = Task { observer: Some(&observer), ..setting.task(setting.threads) };
    symbolic::ENTRY.verify(task, None, budget).violation
}

/// Executes the candidates symbolically, and replays what comes of it. Says nothing about those it does not find.
pub fn confirm(setting: Setting<'_>, known: &Known, budget: &Budget) -> Delivery {
    let Some(request) = &known.request else { return Delivery::default() };
    let Some(violation) = run_of_candidates(setting, request, budget) else {
        return Delivery { note: "no run was found on the candidates".into(), ..Delivery::default() };
    };
    let targets = error_targets(setting.program, setting.error);
    let gia = reached(setting.program, setting.subject, &targets, &violation);
    Delivery { gia, violation: Some(violation), note: "a run takes a candidate".into(), ..Delivery::default() }
}
