//! Component-based CEGAR with exchange automata (CC-GIA): an explorer of the abstract model, a checker of candidates, a refiner. What they tell
//! each other is in the automata; reasons are collected by the combiner, so none is lost.

use std::collections::HashSet;

use tandem_analyses::Task;
use tandem_analyses::predicate::components::{Candidate, Checked, Components, Model};
use tandem_artifact::convert::error_targets;
use tandem_artifact::gia::{Mark, Target};
use tandem_artifact::{Caveat, Verdict};
use tandem_base::{Budget, StopReason};
use tandem_cfa::NodeId;

use super::Shared;
use super::analysis::{deliver, reached};
use super::candidate::{automaton, candidate, candidates, facts};
use crate::cooperation::{Actor, Delivery, Known, Setting};

/// Lets somebody work with the shared encoding; a delivery if there is none.
pub fn with<'a, T>(
    shared: &Shared<'a>,
    setting: Setting<'a>,
    budget: &Budget,
    work: impl FnOnce(&mut Components<'a>) -> T,
) -> Result<T, Box<Delivery>> {
    let mut shared = shared.borrow_mut();
    if shared.is_none() {
        let task = Task { exchange: Some(setting.subject), hints: setting.hints, ..setting.task(setting.threads) };
        match Components::new(task, budget) {
            Ok(components) => *shared = Some(components),
            Err(outcome) => return Err(Box::new(deliver(setting, *outcome))),
        }
    }
    match shared.as_mut() {
        Some(components) => Ok(work(components)),
        None => Err(Box::default()),
    }
}

pub fn stopped(reason: StopReason) -> Delivery {
    Delivery { note: reason.to_string(), ..Delivery::default() }
}

fn targets(setting: Setting<'_>) -> Vec<Target> {
    error_targets(setting.program, setting.error)
}

pub struct Explorer<'a> {
    shared: Shared<'a>,
    /// Facts that were learned already.
    learned: HashSet<(NodeId, String)>,
    rounds: u32,
}

impl<'a> Explorer<'a> {
    pub fn new(shared: Shared<'a>) -> Explorer<'a> {
        Explorer { shared, learned: HashSet::new(), rounds: 0 }
    }
}

impl<'a> Actor<'a> for Explorer<'a> {
    fn act(&mut self, setting: Setting<'a>, known: &Known, budget: &Budget) -> Delivery {
        let (learned, rounds) = (&mut self.learned, &mut self.rounds);
        let worked = with(&self.shared, setting, budget, |components| {
            let mut fresh = facts(&components.landmarks, &known.gia);
            fresh.retain(|fact| learned.insert(fact.clone()));
            if *rounds > 0 || !fresh.is_empty() {
                components.learn(&fresh);
            }
            *rounds += 1;
            explored(setting, components, budget, |components, candidate| {
                let gia = automaton(
                    setting.subject,
                    &targets(setting),
                    &components.landmarks,
                    candidate,
                    Mark::Candidate,
                    &[],
                );
                Delivery { gia: Some(gia), ..Delivery::default() }
            })
        });
        worked.unwrap_or_else(|delivery| *delivery)
    }
}

/// Goes on with the exploration, and says what came of it.
pub fn explored<'a>(
    setting: Setting<'a>,
    components: &mut Components<'a>,
    budget: &Budget,
    tell: impl FnOnce(&mut Components<'a>, &Candidate) -> Delivery,
) -> Delivery {
    match components.explore(budget) {
        Err(reason) => stopped(reason),
        Ok(Model::Candidate(candidate)) => {
            let note = format!("a candidate with {} landmarks", candidate.landmarks.len());
            Delivery { note, ..tell(components, &candidate) }
        }
        Ok(Model::Safe | Model::Violated) => {
            let outcome = components.outcome(None, None, budget);
            let note = match outcome.verdict {
                Verdict::True => "the model has no path to an error",
                Verdict::False => "a path that is no candidate violates the property",
                Verdict::Unknown(_) => "what is left of the model was given up",
            };
            Delivery { note: note.into(), ..deliver(setting, outcome) }
        }
    }
}

pub struct Feasibility<'a> {
    shared: Shared<'a>,
}

impl<'a> Feasibility<'a> {
    pub fn new(shared: Shared<'a>) -> Feasibility<'a> {
        Feasibility { shared }
    }
}

impl<'a> Actor<'a> for Feasibility<'a> {
    fn act(&mut self, setting: Setting<'a>, known: &Known, budget: &Budget) -> Delivery {
        let Some(request) = &known.request else { return Delivery::default() };
        let worked =
            with(&self.shared, setting, budget, |components| match candidates(&components.landmarks, request) {
                Some(candidates) => check_all(setting, components, &candidates, budget),
                None => super::helper::confirm(setting, known, budget),
            });
        worked.unwrap_or_else(|delivery| *delivery)
    }
}

/// What a check of candidates says, one after the other, until a run is found.
pub fn check_all<'a>(
    setting: Setting<'a>,
    components: &mut Components<'a>,
    candidates: &[Candidate],
    budget: &Budget,
) -> Delivery {
    let mut all = Delivery::default();
    for candidate in candidates {
        let one = checked(setting, components.check(candidate, budget));
        if one.violation.is_some() || candidates.len() == 1 {
            return one;
        }
        all.caveats.extend(one.caveats);
        all.note = one.note;
    }
    all
}

/// What a check of a candidate says.
pub fn checked(setting: Setting<'_>, checked: Result<Checked, StopReason>) -> Delivery {
    match checked {
        Err(reason) => stopped(reason),
        Ok(Checked::Spurious) => {
            Delivery { note: "no run takes a path of the candidate".into(), ..Delivery::default() }
        }
        Ok(Checked::Unknown(caveat)) => Delivery { caveats: vec![caveat], ..Delivery::default() },
        Ok(Checked::Violation(violation)) => Delivery {
            gia: reached(setting.program, setting.subject, &targets(setting), &violation),
            violation: Some(*violation),
            note: "a run takes a path of the candidate".into(),
            ..Delivery::default()
        },
    }
}

pub struct Refiner<'a> {
    shared: Shared<'a>,
}

impl<'a> Refiner<'a> {
    pub fn new(shared: Shared<'a>) -> Refiner<'a> {
        Refiner { shared }
    }
}

impl<'a> Actor<'a> for Refiner<'a> {
    fn act(&mut self, setting: Setting<'a>, known: &Known, budget: &Budget) -> Delivery {
        let Some(request) = &known.request else { return Delivery::default() };
        let worked = with(&self.shared, setting, budget, |components| {
            let Some(candidate) = candidate(&components.landmarks, request) else {
                let caveat = Caveat::Imprecise("candidates that are not told by landmarks are not refined".into());
                return Delivery { caveats: vec![caveat], ..Delivery::default() };
            };
            match components.refine(&candidate, budget) {
                Err(reason) => stopped(reason),
                Ok(None) => Delivery { note: "no reason was found".into(), ..Delivery::default() },
                Ok(Some(reason)) => {
                    let gia = automaton(
                        setting.subject,
                        &targets(setting),
                        &components.landmarks,
                        &candidate,
                        Mark::Unreachable,
                        &reason.facts,
                    );
                    let note = words(&reason.facts);
                    Delivery { gia: Some(gia), note, ..Delivery::default() }
                }
            }
        });
        worked.unwrap_or_else(|delivery| *delivery)
    }
}

/// The facts of a reason, for the journal.
pub fn words(facts: &[Vec<String>]) -> String {
    let all: Vec<&str> = facts.iter().flatten().map(String::as_str).collect();
    let mut shown: Vec<&str> = Vec::new();
    for fact in all {
        if !shown.contains(&fact) {
            shown.push(fact);
        }
    }
    let more = shown.len().saturating_sub(5);
    let list = shown.iter().take(5).copied().collect::<Vec<_>>().join(", ");
    if more == 0 { list } else { format!("{list}, and {more} more") }
}
