//! An exchange automaton that runs along with the program: what is proved to reach no target is not looked at again, and if there are
//! candidates, nothing else is.
//!
//! The modes are sets of states: those that a run of the automaton is in for sure, and those that one may be in. A condition nobody evaluates:
//! a transition with one is not taken for sure, and may be taken.

use std::collections::HashMap;
use std::sync::Mutex;

use tandem_artifact::gia::{Gia, GuardId, Mark, StateId, is_path_step};
use tandem_base::{FastBuild, IdVec};
use tandem_cfa::{EdgeId, Program};
use tandem_cpa::{Mode, Observer, Step, StepKind};

/// More modes than this are not told apart: then nothing is known of where the automaton is.
const MODES: usize = 20_000;

/// Where runs of the automaton are.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Places {
    /// Every run of the program that comes here has a run of the automaton in each of these.
    sure: Vec<StateId>,
    /// States from which a candidate may be reached that a run may be in; not asked without candidates, or once one was met.
    perhaps: Option<Vec<StateId>>,
}

pub struct Settled {
    gia: Gia,
    /// For each state whether an unreachable or a candidate state can be reached from it.
    leads: IdVec<StateId, (bool, bool)>,
    modes: Mutex<Modes>,
    has_focus: bool,
}

#[derive(Default)]
struct Modes {
    all: Vec<Places>,
    numbers: HashMap<Places, Mode, FastBuild>,
    next: HashMap<(Mode, EdgeId), Option<Mode>, FastBuild>,
}

impl Settled {
    /// With `focus`, only paths that may be candidates are let pass, if there are candidates.
    pub fn new(gia: &Gia, focus: bool) -> Settled {
        let (unreachable, candidate) = (gia.leading_to(Mark::Unreachable), gia.leading_to(Mark::Candidate));
        let leads = unreachable.iter().zip(candidate.iter()).map(|(one, other)| (*one, *other)).collect::<Vec<_>>();
        let has_focus = focus && gia.has_candidates();
        let start = Places { sure: vec![Gia::INITIAL], perhaps: has_focus.then(|| vec![Gia::INITIAL]) };
        let mut modes = Modes::default();
        modes.number(start);
        // Where nothing is known.
        modes.number(Places::default());
        Settled { gia: gia.clone(), leads: leads.into(), modes: Mutex::new(modes), has_focus }
    }

    fn modes(&self) -> std::sync::MutexGuard<'_, Modes> {
        self.modes.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// The places after an edge; nothing if the path is not of interest any more.
    fn places(&self, at: &Places, edge: EdgeId) -> Option<Places> {
        let holds = |state: StateId| self.gia.states()[state].invariant == GuardId::TRUE;
        let mut after = Places { sure: Vec::new(), perhaps: at.perhaps.as_ref().map(|_| Vec::new()) };
        for state in &at.sure {
            for transition in self.gia.from(*state).iter().filter(|transition| transition.edges.contains(edge)) {
                let target = transition.target;
                if transition.guard != GuardId::TRUE || !holds(target) {
                    continue;
                }
                if self.gia.mark(target) == Some(Mark::Unreachable) {
                    return None;
                }
                if self.leads[target].0 {
                    after.sure.push(target);
                }
            }
        }
        let (mut met, mut perhaps) = (false, Vec::new());
        for state in at.perhaps.iter().flatten() {
            for transition in self.gia.from(*state).iter().filter(|transition| transition.edges.contains(edge)) {
                met |= self.gia.mark(transition.target) == Some(Mark::Candidate);
                if self.leads[transition.target].1 {
                    perhaps.push(transition.target);
                }
            }
        }
        match at.perhaps {
            None => {}
            Some(_) if met => after.perhaps = None,
            Some(_) if perhaps.is_empty() => return None,
            Some(_) => after.perhaps = Some(sorted(perhaps)),
        }
        after.sure = sorted(after.sure);
        Some(after)
    }
}

fn sorted(mut states: Vec<StateId>) -> Vec<StateId> {
    states.sort_unstable();
    states.dedup();
    states
}

impl Modes {
    /// Where nothing is known, neither of what is settled nor of candidates.
    const UNKNOWN: Mode = 1;

    fn number(&mut self, places: Places) -> Mode {
        if let Some(known) = self.numbers.get(&places) {
            return *known;
        }
        let number = self.all.len() as Mode;
        self.all.push(places.clone());
        self.numbers.insert(places, number);
        number
    }
}

impl Observer for Settled {
    fn after(&self, program: &Program, step: &Step) -> Option<Mode> {
        let mode = step.from.mode;
        if matches!(step.kind, StepKind::Leave(_)) || mode == Modes::UNKNOWN || !is_path_step(program, step.edge) {
            return Some(mode);
        }
        let mut modes = self.modes();
        if let Some(known) = modes.next.get(&(mode, step.edge)) {
            return *known;
        }
        let places = self.places(&modes.all[mode as usize].clone(), step.edge);
        let next = match places {
            None => None,
            Some(_) if modes.all.len() >= MODES => Some(Modes::UNKNOWN),
            Some(places) => Some(modes.number(places)),
        };
        modes.next.insert((mode, step.edge), next);
        next
    }

    fn keeps_out_only_settled(&self) -> bool {
        !self.has_focus
    }
}

/// Looks for targets on paths that an automaton covers with one of its marks: at the step that covers the path, or behind it.
pub struct CoveredTargets {
    covered: Settled,
    edges: Vec<EdgeId>,
    /// Whether every path that is let pass to a target is one that is covered.
    pub exact: bool,
}

impl CoveredTargets {
    const GOAL: Mode = Mode::MAX;

    pub fn new(gia: &Gia, mark: Mark) -> CoveredTargets {
        let covered = gia.remarked(|other| (other == mark).then_some(Mark::Candidate));
        let holds = |state: &tandem_artifact::gia::GiaState| state.invariant == GuardId::TRUE;
        let exact = covered.transitions().iter().all(|transition| transition.guard == GuardId::TRUE)
            && covered.states().iter().all(holds);
        let edges = gia.targets.iter().flat_map(|target| target.edges.clone()).collect();
        CoveredTargets { covered: Settled::new(&covered, true), edges, exact }
    }
}

impl Observer for CoveredTargets {
    fn after(&self, program: &Program, step: &Step) -> Option<Mode> {
        if step.from.mode == CoveredTargets::GOAL {
            return Some(CoveredTargets::GOAL);
        }
        let mode = self.covered.after(program, step)?;
        let takes = !matches!(step.kind, StepKind::Leave(_)) && self.edges.contains(&step.edge);
        let is_covered = || self.covered.modes().all[mode as usize].perhaps.is_none();
        Some(if takes && is_covered() { CoveredTargets::GOAL } else { mode })
    }

    fn is_goal(&self, mode: Mode) -> bool {
        mode == CoveredTargets::GOAL
    }

    fn goal_edges(&self) -> Option<&[EdgeId]> {
        Some(&self.edges)
    }
}

/// How many states an automaton may have for analyses to follow it: each place of the program may be met once for each.
pub fn is_small(gia: &Gia) -> bool {
    gia.states().len() <= 400
}
