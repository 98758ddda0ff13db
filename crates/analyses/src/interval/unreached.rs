//! Edges that no run takes, because the intervals before them leave nothing to go on with: one fixpoint for all of them.

use std::collections::HashSet;

use tandem_base::{Budget, FastBuild};
use tandem_cfa::exec::Coverage;
use tandem_cfa::{Callee, EdgeId, Op};
use tandem_cpa::{Analysis, Callees, Flow, StepKind};

use super::{Bounded, Fixpoint};
use crate::Task;

/// Those of the edges that no run takes; nothing if the analysis did not come to an end, or met something that it does not model.
pub fn unreached(task: Task<'_>, wanted: &Coverage, budget: &Budget) -> Option<Vec<EdgeId>> {
    let flow = Flow::new(task.program, &task.error.functions(), task.error.includes_assert())?;
    let mut flow = flow.whole();
    let mut analysis = Bounded::new(&flow);
    let mut fixpoint = Fixpoint::default();
    fixpoint.run(&mut analysis, &mut flow, budget).ok()?;
    let gaps = fixpoint.check(&mut analysis, &mut flow, budget).ok()?;
    if !gaps.is_empty() || fixpoint.is_bounded {
        return None;
    }
    let taken = taken(&mut analysis, &mut flow, &fixpoint)?;
    Some(wanted.iter().filter(|edge| !taken.contains(edge)).collect())
}

/// The edges over which the states lead on; nothing if a step is not modelled.
fn taken(analysis: &mut Bounded<'_>, flow: &mut Flow<'_>, fixpoint: &Fixpoint) -> Option<HashSet<EdgeId, FastBuild>> {
    let mut taken: HashSet<EdgeId, FastBuild> = HashSet::default();
    let (mut steps, mut next) = (Vec::new(), Vec::new());
    for (point, store) in &fixpoint.states {
        let state = Some(store.clone());
        let mut callees = Callees::Unknown;
        for edge in flow.program.out(point.node).iter() {
            if let Op::Call { callee: Callee::Pointer(_), .. } = &flow.program.edges[edge].op {
                callees = analysis.callees(flow, &state, edge);
            }
        }
        steps.clear();
        flow.steps(*point, |_| callees.clone(), &mut steps);
        for step in steps.iter().filter(|step| !matches!(step.kind, StepKind::Leave(_))) {
            if matches!(step.kind, StepKind::Unsupported | StepKind::Elsewhere) {
                return None;
            }
            next.clear();
            analysis.step(flow, &state, step, &mut next);
            // Without a successor the step itself is impossible, or ends the path: only a test that fails is not taken.
            let is_test = matches!(flow.program.edges[step.edge].op, Op::Assume { .. });
            if !is_test || !next.is_empty() {
                taken.insert(step.edge);
            }
        }
    }
    Some(taken)
}
