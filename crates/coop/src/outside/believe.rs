//! What is believed of what another program says.

use std::time::{Duration, Instant};

use tandem_analyses::export::all_unreachable;
use tandem_analyses::replay::replay;
use tandem_analyses::validate::{Claim, Judgement, validate};
use tandem_analyses::{Task, symbolic};
use tandem_artifact::convert::{asked, error_targets, gia_of_automaton, gia_of_violation};
use tandem_artifact::gia::{Gia, Mark, by_edges};
use tandem_artifact::{
    AutomatonKind, Caveat, TestCase, TestInputs, Violation, WaypointKind, WitnessAutomaton, WitnessContent, test_of_run,
};
use tandem_base::Budget;
use tandem_cfa::exec::{Inputs, Run};

use super::bytes::ByteInputs;
use super::sites::settled;
use super::{Report, Rest};
use crate::actors::reached;
use crate::cooperation::{Delivery, Known, Setting};
use crate::settled::Settled;

/// How long one run is followed, and how long all of them when the time is over already: what was found must not be lost.
const ONE_RUN: Duration = Duration::from_secs(2);
const LAST_MOMENT: Duration = Duration::from_millis(250);
/// How long somebody looks for the run that a witness describes.
const SEARCH: Duration = Duration::from_secs(20);
/// Runs that are followed.
const MOST_RUNS: usize = 2000;

pub struct Believing<'a> {
    pub setting: Setting<'a>,
    pub known: &'a Known,
    pub name: &'a str,
    pub trusted: bool,
    pub budget: &'a Budget,
}

impl Believing<'_> {
    /// What a report is worth.
    pub fn deliver(&self, rest: &Rest, report: Report) -> Delivery {
        let mut delivery = Delivery { note: report.note.clone(), ..Delivery::default() };
        if let Some(problem) = &report.problem {
            self.object(&mut delivery, problem);
        }
        let (violation, tests) = self.follow(&report);
        delivery.tests = tests;
        let violation = violation.or_else(|| self.search(rest, report.witness.as_ref()));
        if let Some(violation) = violation {
            let targets = error_targets(self.setting.program, self.setting.error);
            delivery.gia = reached(self.setting.program, self.setting.subject, &targets, &violation);
            delivery.violation = Some(violation);
            return delivery;
        }
        match report.claim {
            Some(true) => self.proof(rest, &report, &mut delivery),
            Some(false) => self.object(&mut delivery, "says FALSE, but no run to the error could be replayed"),
            None if !report.unreached.is_empty() => self.part(rest, &report, &mut delivery),
            None => {}
        }
        delivery
    }

    fn object(&self, delivery: &mut Delivery, what: &str) {
        delivery.caveats.push(Caveat::Imprecise(format!("{}: {what}", self.name)));
    }

    /// Runs the original program on what the tool found, until a run reaches the error.
    fn follow(&self, report: &Report) -> (Option<Violation>, Vec<TestCase>) {
        let mut tests = Vec::new();
        let end = self.until();
        let mut one = |inputs: &mut dyn Inputs| match self.replay(inputs) {
            Ok(violation) => Some(violation),
            Err(run) => {
                let test = test_of_run(self.setting.program, &run);
                if !tests.contains(&test) {
                    tests.push(test);
                }
                None
            }
        };
        for test in report.tests.iter().take(MOST_RUNS).take_while(|_| Instant::now() < end) {
            if let Some(violation) = one(&mut TestInputs::new(test)) {
                return (Some(violation), tests);
            }
        }
        for bytes in report.streams.iter().take(MOST_RUNS).take_while(|_| Instant::now() < end) {
            if let Some(violation) = one(&mut ByteInputs::new(self.setting.program, bytes)) {
                return (Some(violation), tests);
            }
        }
        (None, tests)
    }

    /// Runs the original program on inputs.
    pub fn replay(&self, inputs: &mut dyn Inputs) -> Result<Violation, Box<Run>> {
        let task = self.setting.task(1);
        replay(task, inputs, &Budget::with_time(ONE_RUN.min(self.until().saturating_duration_since(Instant::now()))))
    }

    /// How long what was found is looked at.
    fn until(&self) -> Instant {
        let now = Instant::now();
        match (self.budget.exhausted(), self.budget.deadline) {
            (Some(_), _) => now + LAST_MOMENT,
            (None, Some(deadline)) => deadline.max(now + LAST_MOMENT),
            (None, None) => now + SEARCH,
        }
    }

    fn for_a_while(&self) -> Budget {
        self.budget.within(SEARCH)
    }

    /// Looks for the run that a violation witness describes, in what the tool was given, and replays it on the original.
    fn search(&self, rest: &Rest, witness: Option<&Claim>) -> Option<Violation> {
        if let Ok(violation) = self.replay(&mut TestInputs::new(&values(witness?))) {
            return Some(violation);
        }
        let candidates = candidates(self.setting, rest, witness?)?;
        let observer = Settled::new(&candidates, true);
        let task = Task { observer: Some(&observer), program: &rest.program, ..self.setting.task(1) };
        let found = symbolic::ENTRY.verify(task, None, &self.for_a_while()).violation?;
        self.replay(&mut tandem_artifact::RunInputs::new(&found.run.inputs)).ok()
    }

    /// A tool says that the property holds.
    fn proof(&self, rest: &Rest, report: &Report, delivery: &mut Delivery) {
        if self.known.gia.has(Mark::Reached) {
            return self.object(delivery, "says TRUE, but a path is known that reaches the error");
        }
        match &report.witness {
            Some(witness) if is_correctness(witness) => {
                let task = Task { program: &rest.program, ..self.setting.task(self.setting.threads) };
                match validate(task, witness, &self.for_a_while()) {
                    Judgement::Confirmed => return self.settle(rest, delivery, "says TRUE; its witness is confirmed"),
                    Judgement::Rejected(why) => {
                        return self.object(delivery, &format!("says TRUE with a wrong witness: {why}"));
                    }
                    Judgement::Unknown(_) if self.trusted => {}
                    Judgement::Unknown(why) => {
                        return self.object(delivery, &format!("says TRUE; its witness could not be checked: {why}"));
                    }
                }
            }
            _ => {}
        }
        match self.trusted {
            true => self.settle(rest, delivery, "says TRUE, and is trusted"),
            false => {
                let what = format!(
                    "says TRUE without a witness that could be checked (`--trust {}` takes its word)",
                    self.name
                );
                self.object(delivery, &what);
            }
        }
    }

    /// A tool says of some calls of the error that they are not reached.
    fn part(&self, rest: &Rest, report: &Report, delivery: &mut Delivery) {
        let what = format!("{} of {} calls of the error are not reached", report.unreached.len(), rest.sites.len());
        if !self.trusted {
            return self.object(delivery, &format!("says that {what} (`--trust {}` takes its word)", self.name));
        }
        if self.known.gia.has(Mark::Reached) {
            return;
        }
        let edges = settled(self.setting.program, self.setting.error, &rest.sites, &report.unreached);
        if edges.is_empty() {
            return;
        }
        delivery.note = format!("{what}, and it is trusted");
        let targets = error_targets(self.setting.program, self.setting.error);
        let marked = [(Mark::Unreachable, edges.into_iter().collect())];
        delivery.gia = Some(by_edges(self.setting.subject.clone(), targets, &marked));
    }

    /// What was looked at reaches no error: the candidates, or else everything.
    fn settle(&self, rest: &Rest, delivery: &mut Delivery, note: &str) {
        delivery.note = note.into();
        delivery.gia = Some(match &rest.candidates {
            Some(candidates) => candidates.remarked(|mark| (mark == Mark::Candidate).then_some(Mark::Unreachable)),
            None => {
                let targets = error_targets(self.setting.program, self.setting.error);
                all_unreachable(self.setting.subject.clone(), targets)
            }
        });
    }
}

fn is_correctness(claim: &Claim) -> bool {
    match claim {
        Claim::Entries(entries) => {
            !entries.is_empty() && entries.iter().all(|entry| matches!(entry.content, WitnessContent::Correctness(_)))
        }
        Claim::Automaton(automaton) => automaton.metadata.kind == AutomatonKind::Correctness,
    }
}

/// The paths that a violation witness describes.
fn candidates(setting: Setting<'_>, rest: &Rest, claim: &Claim) -> Option<Gia> {
    let file = rest.program.source.file();
    let subject = tandem_artifact::gia::Subject::plain(file, rest.text.as_bytes(), rest.program.model());
    let targets = error_targets(&rest.program, setting.error);
    let gia = match claim {
        Claim::Automaton(automaton) if automaton.metadata.kind == AutomatonKind::Violation => {
            gia_of_automaton(&rest.program, subject, targets, automaton).value
        }
        Claim::Automaton(_) => return None,
        Claim::Entries(entries) => {
            let segments = entries.iter().find_map(|entry| match &entry.content {
                WitnessContent::Violation(segments) => Some(segments),
                WitnessContent::Correctness(_) => None,
            })?;
            gia_of_violation(&rest.program, subject, targets, segments).value
        }
    };
    gia.has_candidates().then_some(gia)
}

/// The results of functions that a violation witness names, in order.
fn values(claim: &Claim) -> TestCase {
    let result = |text: &str| asked(text.trim().trim_matches(['(', ')', ';']).trim(), "\\result");
    let literals = match claim {
        Claim::Entries(entries) => {
            let segments = entries.iter().flat_map(|entry| match &entry.content {
                WitnessContent::Violation(segments) => segments.as_slice(),
                WitnessContent::Correctness(_) => &[],
            });
            let value = |kind: &WaypointKind| match kind {
                WaypointKind::FunctionReturn(expression) => result(&expression.value),
                WaypointKind::Assumption(_)
                | WaypointKind::Branching(_)
                | WaypointKind::FunctionEnter
                | WaypointKind::Target => None,
            };
            segments.filter_map(|segment| value(&segment.follow.kind)).collect()
        }
        Claim::Automaton(automaton) => {
            let assumptions = assumptions(automaton);
            assumptions.iter().flat_map(|text| text.split(';')).filter_map(result).collect::<Vec<_>>()
        }
    };
    TestCase { inputs: literals.into_iter().map(Into::into).collect(), covers_error: true }
}

/// The assumptions on a way through an automaton, in order.
fn assumptions(automaton: &WitnessAutomaton) -> Vec<&str> {
    let (mut at, mut seen, mut texts) = (automaton.entry(), std::collections::HashSet::new(), Vec::new());
    while let Some(node) = at.filter(|node| seen.insert(*node)) {
        let onward = automaton
            .edges
            .iter()
            .find(|edge| edge.source == node && edge.target != node && !automaton.nodes[edge.target].sink);
        texts.extend(onward.and_then(|edge| edge.assumption.as_deref()));
        at = onward.map(|edge| edge.target);
    }
    texts
}
