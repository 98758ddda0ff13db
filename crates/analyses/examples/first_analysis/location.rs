//! An analysis that knows nothing but where control can be: it proves what the graph alone shows. It never asks a solver, and knows no values.

use tandem_artifact::Caveat;
use tandem_base::Budget;
use tandem_cpa::{Analysis, Flow, Found, Search, Step, begin, explore};

use crate::blocks::unmodelled;
use crate::bmc::no_entry;
use crate::export::export;
use crate::registry::{AnalysisEntry, Approximation, ContributionKind};
use crate::{Outcome, Task};

pub const ENTRY: AnalysisEntry = AnalysisEntry {
    name: "location",
    about: "knows where control can be, and nothing of values: proves what the graph alone shows",
    reads: &[ContributionKind::SettledPaths, ContributionKind::Goals],
    gives: &[ContributionKind::SettledPaths, ContributionKind::Goals],
    hands_over_paths: false,
    follows_whole_program: false,
    approximation: Approximation::Over,
    limits: &[],
    default_share: 0,
    run: |task, _, budget| location(task, budget),
};

struct Location;

impl Analysis for Location {
    type State = ();

    fn start(&mut self, _: &Flow<'_>) {}

    fn step(&mut self, _: &Flow<'_>, _: &(), _: &Step, out: &mut Vec<()>) {
        out.push(());
    }

    fn covers(&mut self, _: &(), _: &()) -> bool {
        true
    }
}

fn location(task: Task<'_>, budget: &Budget) -> Outcome {
    let Some(mut flow) = task.flow() else {
        return Outcome::new(ENTRY.name, None, None, vec![no_entry()]);
    };
    let mut reached = begin(&mut Location, &flow, Search::DepthFirst);
    let mut caveats = Vec::new();
    let stopped = loop {
        let caveat = match explore(&mut Location, &mut flow, &mut reached, budget) {
            Found::Everything => break None,
            Found::Stopped(reason) => break Some(reason),
            Found::Target(_) => Caveat::Imprecise("the graph has a way to the error".into()),
            Found::Unsupported(_, step) => {
                let (what, at) = unmodelled(&flow, &step);
                Caveat::Unsupported { what, at }
            }
        };
        if !caveats.contains(&caveat) {
            caveats.push(caveat);
        }
    };
    let mut outcome = Outcome::new(ENTRY.name, None, stopped, caveats);
    outcome.gia = export(task, &flow, &reached, &outcome.caveats);
    outcome
}
