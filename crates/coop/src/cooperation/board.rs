//! What is known in a plan: the combination of everything that was delivered. Nothing is ever lost from it, and nothing gets on it that its
//! author was not allowed to say.

use tandem_artifact::gia::{Gia, GiaBuilder, GuardId, Mark, Subject, Target, combine, minimise, same};
use tandem_artifact::plan::When;
use tandem_artifact::{Caveat, Invariant, TestCase, Verdict, Violation, WitnessContent};

use super::actor::Setting;
use tandem_analyses::predicate::components::UNSAID;

use super::actor::{Approximation, Delivery, ProofGround};
use crate::check::is_complete;

/// What actors are told.
#[derive(Clone, Debug)]
pub struct Known {
    /// What is settled.
    pub gia: Gia,
    /// The candidates that somebody asked about last.
    pub request: Option<Gia>,
    /// The last alarms that may be false, as candidates.
    pub alarms: Option<Gia>,
    pub violation: Option<Violation>,
    pub tests: Vec<TestCase>,
    /// The last witness of a violation that somebody claims.
    pub witness: Option<WitnessContent>,
    pub invariants: Vec<Invariant>,
    pub precision: Vec<Invariant>,
    /// Of the last time that each actor worked.
    pub caveats: Vec<(String, Vec<Caveat>)>,
    /// Whether all targets are decided.
    pub complete: bool,
    /// A run whose behaviour is undefined, if an actor has found one: nothing is proved then.
    pub undefined: Option<Caveat>,
    /// Whether such a run was looked for in the whole program, and excluded.
    pub undefined_looked_for: bool,
    pub excludes_undefined: bool,
}

impl Known {
    pub fn new(subject: Subject, targets: Vec<Target>) -> Known {
        Known {
            gia: Gia::empty(subject, targets),
            request: None,
            alarms: None,
            violation: None,
            tests: Vec::new(),
            witness: None,
            invariants: Vec::new(),
            precision: Vec::new(),
            caveats: Vec::new(),
            complete: false,
            undefined: None,
            undefined_looked_for: false,
            excludes_undefined: false,
        }
    }

    /// The same, with an automaton that is known from the beginning.
    pub fn beginning(subject: Subject, targets: Vec<Target>, given: Option<&Gia>) -> Known {
        let mut known = Known::new(subject, targets);
        if let Some(gia) = given {
            known.gia = gia.remarked(|mark| mark.is_settled().then_some(mark));
            let request = gia.remarked(|mark| (mark == Mark::Candidate).then_some(mark));
            known.request = gia.has_candidates().then_some(request);
        }
        known
    }

    pub fn is_decided(&self) -> bool {
        self.violation.is_some() || self.complete
    }

    /// The verdict that follows: never that of an actor, always that of what is known.
    pub fn verdict(&self) -> Option<Verdict> {
        match (&self.violation, self.complete) {
            (Some(_), _) => Some(Verdict::False),
            (None, true) => Some(match &self.undefined {
                Some(caveat) => Verdict::Unknown(caveat.to_string()),
                None => Verdict::True,
            }),
            (None, false) => None,
        }
    }

    pub fn has(&self, when: When) -> bool {
        match when {
            When::Candidates => self.request.is_some() || self.witness.is_some(),
            When::Tests => !self.tests.is_empty(),
            When::Invariants => !self.invariants.is_empty(),
            When::Predicates => !self.precision.is_empty(),
            When::Unreachable => self.gia.has(Mark::Unreachable),
        }
    }

    /// Adds what an actor delivered. Whether there was anything new; or why it is refused.
    pub fn add(
        &mut self,
        setting: Setting<'_>,
        actor: &str,
        approximates: Approximation,
        delivery: Delivery,
    ) -> Result<bool, String> {
        let mut new = false;
        if let Some(gia) = &delivery.gia {
            self.keeps_to(approximates, gia)?;
            if gia.has_candidates() {
                let request = gia.remarked(|mark| (mark == Mark::Candidate).then_some(mark));
                new |= self.request.as_ref().is_none_or(|before| !same(before, &request));
                self.request = Some(request);
            }
            let gia = &gia.remarked(|mark| mark.is_settled().then_some(mark));
            let combined = combine(&[&self.gia, gia]).map_err(|mismatch| mismatch.to_string())?;
            if !same(&combined, &self.gia) {
                new = true;
                self.gia = combined;
                // Conditions are mostly those of refuted candidates, one after the other: not worth a look each time.
                let has_conditions = self.gia.transitions().iter().any(|one| one.guard != GuardId::TRUE);
                self.complete = self.says_all() || !has_conditions && self.is_complete(setting);
            }
        }
        if let Some(alarms) = delivery.alarms {
            new |= self.alarms.as_ref().is_none_or(|before| !same(before, &alarms));
            self.alarms = Some(alarms);
        }
        if let Some(violation) = delivery.violation {
            if approximates == Approximation::Over {
                return Err("an over-approximating actor reports a violation".into());
            }
            new |= self.violation.is_none();
            self.violation.get_or_insert(violation);
        }
        for test in delivery.tests {
            if !self.tests.contains(&test) {
                self.tests.push(test);
                new = true;
            }
        }
        for (all, more) in [(&mut self.invariants, delivery.invariants), (&mut self.precision, delivery.precision)] {
            for one in more {
                if !all.contains(&one) {
                    all.push(one);
                    new = true;
                }
            }
        }
        if let Some(witness) = delivery.witness {
            new |= self.witness.as_ref() != Some(&witness);
            self.witness = Some(witness);
        }
        let is_undefined = |caveat: &&Caveat| matches!(caveat, Caveat::Undefined { .. });
        self.undefined = self.undefined.take().or_else(|| delivery.caveats.iter().find(is_undefined).cloned());
        self.undefined_looked_for |= delivery.proof.is_some();
        self.excludes_undefined |= delivery.proof == Some(ProofGround::UndefinedExcluded);
        self.caveats.retain(|(author, _)| author != actor);
        self.caveats.push((actor.to_string(), delivery.caveats));
        Ok(new)
    }

    /// Everything in one automaton: what is settled, and what is still asked about.
    pub fn whole(&self) -> Gia {
        let gia = match &self.request {
            Some(request) => combine(&[&self.gia, request]).unwrap_or_else(|_| self.gia.clone()),
            None => self.gia.clone(),
        };
        minimise(&without_the_unsaid(&gia))
    }

    /// The contract of Definition 5: who over-approximates leaves P_rt alone, who under-approximates P_ut.
    fn keeps_to(&self, approximates: Approximation, gia: &Gia) -> Result<(), String> {
        let (forbidden, what) = match approximates {
            Approximation::Over => (Mark::Reached, "an over-approximating actor calls paths reached"),
            Approximation::Under => (Mark::Unreachable, "an under-approximating actor calls paths unreachable"),
            Approximation::Both => return Ok(()),
        };
        if !gia.has(forbidden) {
            return Ok(());
        }
        let only = |gia: &Gia| gia.remarked(|mark| (mark == forbidden).then_some(mark));
        let before = only(&self.gia);
        let after = combine(&[&before, &only(gia)]).map_err(|mismatch| mismatch.to_string())?;
        if same(&after, &minimise(&before)) { Ok(()) } else { Err(what.into()) }
    }

    fn says_all(&self) -> bool {
        self.gia.mark(Gia::INITIAL) == Some(Mark::Unreachable)
    }

    /// The last word on whether all is decided.
    pub fn complete(&mut self, setting: Setting<'_>) {
        self.complete = self.complete || self.is_complete(setting);
    }

    /// Whether every path to every target is called unreachable.
    fn is_complete(&self, setting: Setting<'_>) -> bool {
        if !self.gia.has(Mark::Unreachable) || self.says_all() {
            return self.says_all();
        }
        is_complete(setting.program, &self.gia, setting.error)
    }
}

/// The automaton without conditions that only those understand who made them. They stand on paths that no run takes, whatever holds there.
fn without_the_unsaid(gia: &Gia) -> Gia {
    let is_said = |guard: GuardId| {
        let literals = gia.guards().literals(guard);
        !literals.iter().any(|literal| gia.guards().literal_text(*literal).contains(UNSAID))
    };
    if gia.transitions().iter().all(|transition| is_said(transition.guard)) {
        return gia.clone();
    }
    let mut builder = GiaBuilder::new(gia.subject.clone(), gia.targets.clone());
    for state in gia.states().iter() {
        let invariant = builder.guards().import(gia.guards(), state.invariant);
        builder.named(&state.name, invariant, state.mark);
    }
    for transition in gia.transitions() {
        let mut kept = GuardId::TRUE;
        for literal in gia.guards().literals(transition.guard) {
            let text = gia.guards().literal_text(*literal);
            if !text.contains(UNSAID) {
                let one = builder.guards().text(&text);
                kept = builder.guards().and(kept, one);
            }
        }
        builder.transition(transition.source, transition.edges.clone(), kept, transition.target);
    }
    builder.finish().unwrap_or_else(|_| Gia::empty(gia.subject.clone(), gia.targets.clone()))
}
