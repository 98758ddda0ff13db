//! Which paths an automaton covers, and by which run.

use std::collections::HashMap;

use tandem_base::FastBuild;
use tandem_cfa::EdgeId;

use super::*;

/// How a path is covered: for each kind the shortest run, if there is one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Covered {
    pub unreachable: Option<GiaRun>,
    pub reached: Option<GiaRun>,
    pub candidate: Option<GiaRun>,
}

/// A run: the states it goes through, one more than the steps it takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GiaRun {
    pub states: Vec<StateId>,
}

impl GiaRun {
    /// The steps of the path it follows.
    pub fn steps(&self) -> usize {
        self.states.len() - 1
    }
}

impl Covered {
    pub fn by(&self, mark: Mark) -> Option<&GiaRun> {
        match mark {
            Mark::Unreachable => self.unreachable.as_ref(),
            Mark::Reached => self.reached.as_ref(),
            Mark::Candidate => self.candidate.as_ref(),
        }
    }

    fn slot(&mut self, mark: Mark) -> &mut Option<GiaRun> {
        match mark {
            Mark::Unreachable => &mut self.unreachable,
            Mark::Reached => &mut self.reached,
            Mark::Candidate => &mut self.candidate,
        }
    }

    /// A candidate that is not settled.
    pub fn is_open_candidate(&self) -> bool {
        self.candidate.is_some() && self.unreachable.is_none() && self.reached.is_none()
    }
}

impl Gia {
    /// How a path is covered. `holds` is asked whether a condition holds in the program's state after the step with that
    /// number; the first step has number 0.
    pub fn covers(&self, path: &[EdgeId], mut holds: impl FnMut(usize, AtomId) -> bool) -> Covered {
        let mut covered = Covered::default();
        // Each layer has the states that runs are in after so many steps, each with its predecessor in the layer before.
        let mut layers: Vec<Vec<(StateId, u32)>> = vec![vec![(Gia::INITIAL, 0)]];
        for step in 0..=path.len() {
            for (index, (state, _)) in layers[step].iter().enumerate() {
                if let Some(mark) = self.mark(*state)
                    && covered.by(mark).is_none()
                {
                    *covered.slot(mark) = Some(trace(&layers, index));
                }
            }
            let Some(edge) = path.get(step) else { break };
            let next = self.next_layer(&layers[step], *edge, |atom| holds(step, atom));
            if next.is_empty() {
                break;
            }
            layers.push(next);
        }
        covered
    }

    fn next_layer(
        &self,
        layer: &[(StateId, u32)],
        edge: EdgeId,
        holds: impl FnMut(AtomId) -> bool,
    ) -> Vec<(StateId, u32)> {
        let mut next: Vec<(StateId, u32)> = Vec::new();
        let mut seen = HashMap::<StateId, (), FastBuild>::default();
        let mut holds = holds;
        for (index, (state, _)) in layer.iter().enumerate() {
            for transition in self.from(*state) {
                if !transition.edges.contains(edge) || seen.contains_key(&transition.target) {
                    continue;
                }
                if self.label(transition).iter().all(|guard| self.guards.holds(*guard, &mut holds)) {
                    seen.insert(transition.target, ());
                    next.push((transition.target, index as u32));
                }
            }
        }
        next
    }
}

fn trace(layers: &[Vec<(StateId, u32)>], index: usize) -> GiaRun {
    let mut states = Vec::with_capacity(layers.len());
    let mut at = index;
    for layer in layers.iter().rev() {
        let (state, before) = layer[at];
        states.push(state);
        at = before as usize;
    }
    states.reverse();
    GiaRun { states }
}
