//! The range in which the open paths of an exchange automaton are: from the least path that may be open to the greatest.
//!
//! Conditions are not looked at: what they might leave open is taken for open, and the range is larger.

use tandem_analyses::Task;
use tandem_artifact::gia::{Gia, Mark};
use tandem_artifact::range::{Bound, Decisions, Range};
use tandem_base::Id;
use tandem_cfa::{Callee, EdgeId, Op};
use tandem_cpa::{Callees, Flow, Step, StepKind};

use crate::settled::Settled;

/// Where a bound is cut off: it goes on then.
const DECISIONS: usize = 1000;
/// Steps without a decision; a path that takes more has no end.
const STRAIGHT: usize = 1_000_000;

/// The least range with all paths that may be open; nothing if none is.
pub fn range_of_gia(task: Task<'_>, gia: &Gia) -> Option<Range> {
    let is_settled = gia.mark(Gia::INITIAL).is_some_and(Mark::is_settled);
    let is_aimless = gia.has_candidates() && !gia.leading_to(Mark::Candidate)[Gia::INITIAL];
    if is_settled || is_aimless {
        return None;
    }
    let settled = Settled::new(gia, true);
    let mut flow = Task { observer: Some(&settled), ..task }.flow()?;
    Some(Range { lower: outermost(&mut flow, false), upper: outermost(&mut flow, true) })
}

/// The outermost path on one side that the flow lets pass; nothing if that is the outermost path of the program.
fn outermost(flow: &mut Flow<'_>, greatest: bool) -> Option<Bound> {
    let program = flow.program;
    let (mut decisions, mut at, mut cut, mut straight) = (Vec::new(), flow.start(), false, 0);
    let mut steps: Vec<Step> = Vec::new();
    let goes_on = loop {
        let edges = program.out(at.node);
        let is_pointer = |edge: EdgeId| matches!(program.edges[edge].op, Op::Call { callee: Callee::Pointer(_), .. });
        if decisions.len() == DECISIONS || straight == STRAIGHT || edges.iter().any(is_pointer) {
            break true;
        }
        steps.clear();
        flow.steps(at, |_| Callees::Unknown, &mut steps);
        let outermost = |step: &&Step| step.edge;
        let step = if greatest { steps.iter().max_by_key(outermost) } else { steps.iter().min_by_key(outermost) };
        let Some(step) = step else {
            // The end of the path, or nothing behind it is open.
            let is_end = edges.is_empty();
            cut |= !is_end;
            break !is_end;
        };
        straight += 1;
        if edges.len() > 1 {
            let rank = step.edge.index() - edges.start.index();
            decisions.push(rank as u32);
            cut |= rank != if greatest { edges.len() - 1 } else { 0 };
            straight = 0;
        }
        if matches!(step.kind, StepKind::Error(_) | StepKind::Unsupported) {
            break matches!(step.kind, StepKind::Unsupported);
        }
        at = step.to;
    };
    cut.then_some(Bound { decisions: Decisions(decisions), goes_on, test: None })
}
