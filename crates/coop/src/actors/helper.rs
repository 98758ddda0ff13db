//! Actors that help others: a generator of invariants, and a tester that confirms candidates.

use tandem_analyses::interval::loop_facts;
use tandem_analyses::{Task, verify};
use tandem_base::Budget;

use super::analysis::deliver;
use crate::cooperation::{Actor, Delivery, Known, Setting};
use crate::settled::Settled;

/// Bounds of variables at the heads of loops.
pub struct Invariants;

impl<'a> Actor<'a> for Invariants {
    fn act(&mut self, setting: Setting<'a>, _: &Known, budget: &Budget) -> Delivery {
        let task = Task::new(setting.program, setting.error, setting.threads);
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

/// Executes the candidates symbolically, and replays what comes of it. Says nothing about those it does not find.
pub fn confirm(setting: Setting<'_>, known: &Known, budget: &Budget) -> Delivery {
    let Some(request) = &known.request else { return Delivery::default() };
    let observer = Settled::new(request, true);
    let task = Task { observer: Some(&observer), ..Task::new(setting.program, setting.error, setting.threads) };
    let Some(outcome) = verify("symbolic", task, budget) else { return Delivery::default() };
    match outcome.violation {
        Some(_) => deliver(setting, outcome),
        None => Delivery { note: "no run was found on the candidates".into(), ..Delivery::default() },
    }
}
