//! Cuts off what can lead to no candidate.

use super::explore::{Exploration, KnotKind};

/// Knots from which no path that is to be kept goes on become cuts.
pub fn prune(exploration: &mut Exploration) {
    let contexts = &exploration.contexts;
    let mut good: Vec<Vec<bool>> = contexts
        .iter()
        .map(|context| context.knots.iter().map(|knot| knot.kept && !matches!(knot.kind, KnotKind::Cut)).collect())
        .collect();
    // Knots mostly come before those they lead to, so few rounds are needed.
    loop {
        let mut changed = false;
        for (number, context) in contexts.iter().enumerate().rev() {
            for (index, knot) in context.knots.iter().enumerate().rev().filter(|(_, knot)| !knot.kept) {
                let here = |knot: &usize| good[number][*knot];
                let leads = match &knot.kind {
                    KnotKind::Steps(steps) => steps.iter().any(|step| {
                        here(&step.to) || step.enters.is_some_and(|callee| good[callee][contexts[callee].entry])
                    }),
                    KnotKind::Test { yes, no, .. } => here(yes) || here(no),
                    KnotKind::Behind { ways, .. } => ways.iter().any(here),
                    // A candidate may come behind the call.
                    KnotKind::Exit => context.is_called(),
                    KnotKind::Pending(..) | KnotKind::Cut => false,
                };
                if leads && !good[number][index] {
                    good[number][index] = true;
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    for (context, good) in exploration.contexts.iter_mut().zip(&good) {
        for (knot, _) in context.knots.iter_mut().zip(good).filter(|(_, good)| !**good) {
            knot.kind = KnotKind::Cut;
            exploration.reduced = true;
        }
    }
}
