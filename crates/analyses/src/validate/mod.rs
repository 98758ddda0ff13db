//! Validation of witnesses: does the program do what the witness says?
//!
//! A witness becomes checks that are woven into the program (see `weave`): invariants become assertions, so that a proof of the
//! new program is a proof of the property and of every invariant; the places that a violating run passes become a
//! counter without which the error cannot be reached. Then the analyses and the interpreter judge the new program. A confirmed
//! violation was replayed, an invariant is rejected only by a run that breaks it.

mod automaton;
mod formula;
mod guide;
mod inductive;
mod invariants;
mod places;
mod search;
pub mod weave;

pub use formula::is_total;

pub(crate) use places::is_call;

use tandem_artifact::format::property_file;
use tandem_artifact::gia::Subject;
use tandem_artifact::{
    AutomatonKind, ProgramIdentity, Property, Segment, Waypoint, WaypointKind, Witness, WitnessAutomaton,
    WitnessContent, WitnessInvariant, WitnessLocation,
};
use tandem_base::Budget;
use tandem_cfa::DataModel;

use crate::Task;
use guide::{At, Check, Guide, Stage};
use invariants::Fact;
use places::{Places, Position};

/// What is said about a witness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judgement {
    Confirmed,
    Rejected(String),
    Unknown(String),
}

/// A witness of either format.
#[derive(Clone, PartialEq, Debug)]
pub enum Claim {
    Entries(Vec<Witness>),
    Automaton(WitnessAutomaton),
}

/// Why a claim about a place cannot be checked.
enum Flaw {
    /// It is wrong.
    Wrong(String),
    /// It is not understood.
    Unclear(String),
}

impl From<Flaw> for Judgement {
    fn from(flaw: Flaw) -> Judgement {
        match flaw {
            Flaw::Wrong(why) => Judgement::Rejected(why),
            Flaw::Unclear(why) => Judgement::Unknown(why),
        }
    }
}

/// Judges a witness. Whether it is about this program is for the caller to ask first ([`mismatch`]).
pub fn validate(task: Task<'_>, claim: &Claim, budget: &Budget) -> Judgement {
    match claim {
        Claim::Automaton(automaton) => match automaton.metadata.kind {
            AutomatonKind::Correctness => match automaton::facts(task, automaton) {
                Ok(facts) => invariants::judge(task, &facts, budget),
                Err(flaw) => flaw.into(),
            },
            AutomatonKind::Violation => match automaton::guide(task, automaton) {
                Ok(guide) => guide::judge(task, &guide, budget),
                Err(flaw) => flaw.into(),
            },
        },
        Claim::Entries(entries) => validate_entries(task, entries, budget),
    }
}

/// All entries must be confirmed; one that is rejected decides.
fn validate_entries(task: Task<'_>, entries: &[Witness], budget: &Budget) -> Judgement {
    let mut unknown = None;
    for witness in entries {
        let judged = match &witness.content {
            WitnessContent::Correctness(list) => match facts(task, list, witness) {
                Ok(facts) => invariants::judge(task, &facts, budget),
                Err(flaw) => flaw.into(),
            },
            WitnessContent::Violation(segments) => match guide(task, segments, witness) {
                Ok(guide) => guide::judge(task, &guide, budget),
                Err(flaw) => flaw.into(),
            },
        };
        match judged {
            Judgement::Confirmed => {}
            Judgement::Rejected(why) => return Judgement::Rejected(why),
            Judgement::Unknown(why) => unknown = unknown.or(Some(why)),
        }
        if let Some(skipped) = witness.skipped.first() {
            unknown.get_or_insert_with(|| format!("not understood: {}", skipped.message));
        }
    }
    match (entries.is_empty(), unknown) {
        (true, _) => Judgement::Unknown("the witness has no entry".into()),
        (false, Some(why)) => Judgement::Unknown(why),
        (false, None) => Judgement::Confirmed,
    }
}

/// Why the witness is about something else than this program and this property, if it is.
pub fn mismatch(claim: &Claim, subject: &Subject, property: &Property) -> Option<String> {
    other_program(claim, subject).or_else(|| {
        about(claim).iter().find_map(|about| {
            let same = match (property_file::read(about.specification), property) {
                (Ok(Property::Unreachable(said)), Property::Unreachable(asked)) => {
                    said.functions().iter().any(|name| asked.functions().contains(name))
                }
                _ => false,
            };
            (!same).then(|| format!("the witness is about another property: {}", about.specification))
        })
    })
}

/// Why the witness is about another program, if it is.
pub fn other_program(claim: &Claim, subject: &Subject) -> Option<String> {
    if let Claim::Entries(entries) = claim
        && entries.iter().any(|entry| entry.metadata.task != entries[0].metadata.task)
    {
        return Some("the entries of the witness are about different tasks".into());
    }
    about(claim).iter().find_map(|about| {
        if !about.file_hashes.iter().any(|hash| hash.eq_ignore_ascii_case(&subject.file_hash)) {
            return Some("the witness is about another program: the hash of the file is another one".to_string());
        }
        if about.data_model != subject.data_model() {
            let (said, asked) = (about.data_model, subject.data_model());
            return Some(format!("the witness is about the data model {said}, not {asked}"));
        }
        // Witnesses of other tools have no identity: for them, only the file counts.
        about.identity.filter(|identity| !identity.eq_ignore_ascii_case(&subject.identity.hash())).map(|_| {
            let what = "the file is the same, but not what it includes, or -D, -I or another option";
            format!("the witness is about another program: {what}")
        })
    })
}

/// What an entry of a witness, or an automaton, says that it is about.
struct WitnessSubject<'a> {
    file_hashes: Vec<&'a str>,
    identity: Option<&'a str>,
    specification: &'a str,
    data_model: DataModel,
}

fn about(claim: &Claim) -> Vec<WitnessSubject<'_>> {
    match claim {
        Claim::Entries(entries) => {
            fn of_entry(entry: &Witness) -> WitnessSubject<'_> {
                let task = &entry.metadata.task;
                let description = entry.metadata.producer.description.as_deref();
                WitnessSubject {
                    file_hashes: task.input_file_hashes.values().map(String::as_str).collect(),
                    identity: description.and_then(ProgramIdentity::hash_in_words),
                    specification: &task.specification,
                    data_model: task.data_model,
                }
            }
            entries.iter().map(of_entry).collect()
        }
        Claim::Automaton(automaton) => {
            let about = &automaton.metadata;
            vec![WitnessSubject {
                file_hashes: vec![&about.program_hash],
                identity: about.program_identity.as_deref(),
                specification: &about.specification,
                data_model: about.architecture,
            }]
        }
    }
}

/// In words, for messages.
fn place(location: &WitnessLocation) -> String {
    match location.column {
        Some(column) => format!("line {}, column {column}", location.line),
        None => format!("line {}", location.line),
    }
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Places in other files cannot be looked up.
fn check_file(task: Task<'_>, location: &WitnessLocation, witness: &Witness) -> Result<(), Flaw> {
    let name = base_name(&location.file_name);
    let is_ours = name == base_name(task.program.source.file())
        || witness.metadata.task.input_files.iter().any(|file| base_name(file) == name);
    let unclear = || Flaw::Unclear(format!("a place in another file: {}", location.file_name));
    if is_ours { Ok(()) } else { Err(unclear()) }
}

fn facts(task: Task<'_>, list: &[WitnessInvariant], witness: &Witness) -> Result<Vec<Fact>, Flaw> {
    use tandem_artifact::{ExpressionFormat, InvariantKind};
    let places = Places::new(task.program, task.error);
    let mut facts = Vec::new();
    for invariant in list {
        check_file(task, &invariant.location, witness)?;
        let (at, position) = (place(&invariant.location), Position::from(&invariant.location));
        if invariant.format == ExpressionFormat::ExtendedC && invariant.value.contains('\\') {
            return Err(Flaw::Unclear(format!("{at}: the invariant speaks about other moments: {}", invariant.value)));
        }
        let spot = match invariant.kind {
            InvariantKind::Loop => places.loop_at(position),
            InvariantKind::Location => places.statement_at(position),
        };
        match spot {
            Some(spot) => facts.push(Fact { spot, text: invariant.value.clone(), place: at }),
            // No run gets there, so it holds.
            None if invariant.kind == InvariantKind::Loop && places.is_dead_loop(position) => {}
            None => {
                let what = if invariant.kind == InvariantKind::Loop { "loop" } else { "statement" };
                return Err(Flaw::Wrong(format!("{at}: no {what} begins there")));
            }
        }
    }
    Ok(facts)
}

fn guide(task: Task<'_>, segments: &[Segment], witness: &Witness) -> Result<Guide, Flaw> {
    let places = Places::new(task.program, task.error);
    let Some((last, others)) = segments.split_last() else {
        return Err(Flaw::Wrong("the witness has no segment".into()));
    };
    let check = |waypoint: &Waypoint| -> Result<Check, Flaw> {
        check_file(task, &waypoint.location, witness)?;
        waypoint_check(&places, waypoint)
    };
    let avoid = |segment: &Segment| segment.avoid.iter().map(check).collect::<Result<Vec<Check>, Flaw>>();
    let mut stages = Vec::new();
    for segment in others {
        stages.push(Stage { avoid: avoid(segment)?, follow: Some(check(&segment.follow)?) });
    }
    if last.follow.kind != WaypointKind::Target {
        return Err(Flaw::Wrong("the last segment has no target".into()));
    }
    check_file(task, &last.follow.location, witness)?;
    stages.push(Stage { avoid: avoid(last)?, follow: None });
    let location = &last.follow.location;
    let statement = places.statement_span(location.into());
    let target = statement
        .map(|(span, _)| span)
        .ok_or_else(|| Flaw::Wrong(format!("{}: no statement begins there, so it is no target", place(location))))?;
    Ok(Guide { stages, target: Some((target, place(location))), exact: true })
}

fn waypoint_check(places: &Places<'_>, waypoint: &Waypoint) -> Result<Check, Flaw> {
    let (location, at) = (&waypoint.location, place(&waypoint.location));
    let position = Position::from(location);
    let wrong = |what: &str| Flaw::Wrong(format!("{at}: {what}"));
    let (at_place, text) = match &waypoint.kind {
        WaypointKind::Assumption(expression) => {
            let spot = places.statement_at(position).ok_or_else(|| wrong("no statement begins there"))?;
            (At::Spot(spot), Some(expression.value.clone()))
        }
        WaypointKind::Branching(branch) => {
            let edges = places.branches_at(position, *branch);
            let edges = edges.ok_or_else(|| wrong("no branching statement begins there"))?;
            if edges.is_empty() {
                return Err(wrong("the statement there has no such branch"));
            }
            (At::After(edges), None)
        }
        WaypointKind::FunctionEnter => (At::Before(places.calls_at(position)), None),
        WaypointKind::FunctionReturn(expression) => {
            (At::After(places.calls_at(position)), Some(expression.value.clone()))
        }
        WaypointKind::Target => return Err(wrong("a target that is not the last waypoint")),
    };
    match &at_place {
        At::Before(edges) | At::After(edges) if edges.is_empty() => Err(wrong("no call ends there")),
        _ => Ok(Check { at: at_place, text, place: at }),
    }
}
