//! The actors that come with the program.

mod analysis;
mod candidate;
mod cegar;
mod helper;
mod witnesses;

pub use analysis::reached;
pub(crate) use analysis::with_open_paths;
pub use helper::run_of_candidates;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use tandem_analyses::predicate::components::Components;
use tandem_analyses::registry::{self, AnalysisEntry};
use tandem_analyses::{ContributionKind, DEFAULT_RUN};

use crate::cooperation::{Actor, Approximation, Cast, Declaration, Kind, Setting, Troupe};

/// All of them.
pub struct Company;

/// The encoding of the program that the parts of component-based CEGAR share; it says nothing but what the program is.
type Shared<'a> = Rc<RefCell<Option<Components<'a>>>>;

/// A name, what is needed besides the program, what is given, on which side it errs, and what it is.
type Said = (&'static str, &'static [Kind], &'static [Kind], Approximation, &'static str);

/// Names, what they give, on which side they err, and what they are.
const DECLARED: &[Said] = &[
    (
        "explorer",
        &[],
        &[Kind::Gia, Kind::Candidates, Kind::Verdict],
        Approximation::Both,
        "explores an abstract model of the program; gives candidates, or says that there are none",
    ),
    (
        "feasibility",
        &[Kind::Candidates],
        &[Kind::Gia],
        Approximation::Under,
        "looks at all paths of the candidates for one that a run takes",
    ),
    (
        "refiner",
        &[Kind::Candidates],
        &[Kind::Gia],
        Approximation::Over,
        "finds out why no run takes a path of the candidates",
    ),
    (
        "witness-explorer",
        &[],
        &[Kind::Witness, Kind::Candidates, Kind::Verdict],
        Approximation::Both,
        "as explorer, but candidates and reasons are witnesses",
    ),
    (
        "witness-feasibility",
        &[Kind::Candidates],
        &[Kind::Verdict],
        Approximation::Under,
        "as feasibility, for a violation witness",
    ),
    (
        "witness-refiner",
        &[Kind::Candidates],
        &[Kind::Precision],
        Approximation::Over,
        "as refiner; the reasons become invariants of a correctness witness",
    ),
    ("invariants", &[], &[Kind::Witness, Kind::Precision], Approximation::Over, "finds bounds of variables at loops"),
    (
        "confirm",
        &[Kind::Candidates],
        &[Kind::Gia],
        Approximation::Under,
        "looks for a run that takes a path of the candidates",
    ),
];

/// What every analysis gives in a plan: a proof or a violation says of all paths or of one what they are, and has a witness.
const OF_ANY_VERDICT: &[Kind] = &[Kind::Gia, Kind::Verdict, Kind::Witness];

/// What an analysis gives in a plan.
fn given_by(entry: &AnalysisEntry) -> Vec<Kind> {
    let mut given = OF_ANY_VERDICT.to_vec();
    for kind in entry.gives.iter().filter_map(|kind| kind_in_plan(*kind)) {
        if !given.contains(&kind) {
            given.push(kind);
        }
    }
    given
}

/// As what a contribution of an analysis gets to the other actors of a plan.
fn kind_in_plan(kind: ContributionKind) -> Option<Kind> {
    match kind {
        ContributionKind::SettledPaths => Some(Kind::Gia),
        ContributionKind::Facts => Some(Kind::Witness),
        ContributionKind::Tests => Some(Kind::Tests),
        // Alarms are worth a look, but they are not what actors mean that need candidates: these keep to them.
        ContributionKind::Candidates => None,
        // What an analysis tracked when it was stopped is not told in plans.
        ContributionKind::Precision => None,
        ContributionKind::Goals | ContributionKind::Bounds | ContributionKind::Seeds => None,
    }
}

/// The declaration of an analysis, or of the default run.
fn declared(name: &str, gives: Vec<Kind>, approximates: Approximation) -> Declaration {
    Declaration {
        name: name.to_string(),
        about: format!("the analysis `{name}`, on what is not settled"),
        needs: vec![Kind::Program, Kind::Property],
        gives,
        approximates,
        trusted: true,
    }
}

impl Cast for Company {
    fn names(&self) -> Vec<String> {
        let analyses = tandem_analyses::NAMES.iter().map(|name| name.to_string());
        analyses.chain(DECLARED.iter().map(|(name, ..)| name.to_string())).collect()
    }

    fn declaration(&self, name: &str) -> Option<Declaration> {
        if let Some(entry) = registry::entry(name) {
            return Some(declared(name, given_by(entry), entry.approximation));
        }
        if name == DEFAULT_RUN {
            return Some(declared(name, OF_ANY_VERDICT.to_vec(), Approximation::Both));
        }
        let (_, needs, gives, approximates, about) = DECLARED.iter().find(|(known, ..)| *known == name)?;
        Some(Declaration {
            name: name.to_string(),
            about: about.to_string(),
            needs: [Kind::Program, Kind::Property].iter().chain(*needs).copied().collect(),
            gives: gives.to_vec(),
            approximates: *approximates,
            trusted: true,
        })
    }

    fn troupe<'a>(&'a self, _: Setting<'a>) -> Box<dyn Troupe<'a> + 'a> {
        Box::new(Players { players: HashMap::new(), shared: Rc::new(RefCell::new(None)) })
    }
}

struct Players<'a> {
    players: HashMap<String, Box<dyn Actor<'a> + 'a>>,
    shared: Shared<'a>,
}

impl<'a> Troupe<'a> for Players<'a> {
    fn actor(&mut self, name: &str) -> Option<&mut dyn Actor<'a>> {
        if !self.players.contains_key(name) {
            let player = self.create(name)?;
            self.players.insert(name.to_string(), player);
        }
        match self.players.get_mut(name) {
            Some(player) => Some(player.as_mut()),
            None => None,
        }
    }
}

impl<'a> Players<'a> {
    fn create(&self, name: &str) -> Option<Box<dyn Actor<'a> + 'a>> {
        let shared = self.shared.clone();
        Some(match name {
            "explorer" => Box::new(cegar::Explorer::new(shared)),
            "feasibility" => Box::new(cegar::Feasibility::new(shared)),
            "refiner" => Box::new(cegar::Refiner::new(shared)),
            "witness-explorer" => Box::new(witnesses::Explorer::new(shared)),
            "witness-feasibility" => Box::new(witnesses::Feasibility::new(shared)),
            "witness-refiner" => Box::new(witnesses::Refiner::new(shared)),
            "invariants" => Box::new(helper::Invariants),
            "confirm" => Box::new(helper::Confirm),
            _ => Box::new(analysis::Analysis::named(name)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every analysis that is registered is an actor, declared as its entry says.
    #[test]
    fn registered_analyses_are_actors() {
        let names = Company.names();
        for entry in tandem_analyses::ANALYSES {
            assert!(names.iter().any(|name| name == entry.name), "{entry:?}");
            let declared = Company.declaration(entry.name).unwrap_or_else(|| panic!("{entry:?} is not declared"));
            assert_eq!(declared.approximates, entry.approximation, "{entry:?}");
            assert!(OF_ANY_VERDICT.iter().all(|kind| declared.gives.contains(kind)), "{entry:?}");
            let told = entry.gives.iter().filter_map(|kind| kind_in_plan(*kind));
            assert!(told.into_iter().all(|kind| declared.gives.contains(&kind)), "{entry:?}");
            let players = Players { players: HashMap::new(), shared: Rc::new(RefCell::new(None)) };
            assert!(players.create(entry.name).is_some(), "{entry:?}");
        }
        assert!(DECLARED.iter().all(|(name, ..)| registry::entry(name).is_none()), "an actor hides an analysis");
        assert!(Company.declaration("astrology").is_none());
    }
}
