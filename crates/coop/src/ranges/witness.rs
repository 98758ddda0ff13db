//! The invariants of a program from the proofs of its ranges.
//!
//! What one proof says holds in its range only: at each loop the proofs are disjoined. A loop to which no path of a range leads, by the
//! graph alone, has no run in the range; if a proof says nothing about a loop that can be come to, nothing is known there.

use std::collections::{HashMap, HashSet};

use tandem_analyses::{Outcome, Task};
use tandem_artifact::Invariant;
use tandem_artifact::convert::join_texts;
use tandem_artifact::range::Range;
use tandem_base::Span;
use tandem_cfa::{Callee, EdgeId, FunctionId, NodeId, Op};
use tandem_cpa::{Callees, Point, StackId};

use super::observer::RangeObserver;

/// The invariants that follow from the proofs of ranges that cover all paths.
pub fn joined_invariants(task: Task<'_>, proofs: &[(Range, Vec<Outcome>)]) -> Vec<Invariant> {
    let visits: Vec<Option<HashMap<NodeId, Visits>>> = proofs.iter().map(|(range, _)| visited(task, range)).collect();
    let mut joined = Vec::new();
    for (function, at, head) in loops(task) {
        let mut texts = Vec::new();
        for ((range, parts), visits) in proofs.iter().zip(&visits) {
            let here = visits.as_ref().map(|visits| visits.get(&head));
            if here == Some(None) {
                texts.push(vec!["0".to_string()]);
                continue;
            }
            for part in parts {
                // Most analyses speak of points of the program and the range: where one place of the program is several of these,
                // it is not clear that they have spoken of all. (The predicate analysis puts them together itself.)
                if range != &Range::whole() && here.flatten().is_none_or(|visits| visits.points != visits.stacks.len())
                {
                    texts.push(Vec::new());
                    continue;
                }
                let said =
                    part.invariants.iter().filter(|invariant| invariant.function == function && invariant.at == at);
                texts.push(said.map(|invariant| invariant.value.clone()).collect());
            }
        }
        if let Some(value) = join_texts(&texts) {
            joined.push(Invariant { function, at, value });
        }
    }
    joined
}

fn loops(task: Task<'_>) -> Vec<(FunctionId, Span, NodeId)> {
    let functions = task.program.functions.enumerate().filter(|(_, function)| !function.is_library);
    let bodies = functions.filter_map(|(id, function)| function.body.as_ref().map(|body| (id, body)));
    bodies.flat_map(|(id, body)| body.loops.iter().map(move |statement| (id, statement.span, statement.head))).collect()
}

/// Points that are looked at.
const MOST: usize = 50_000;

/// How paths of a range come to a node.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Visits {
    points: usize,
    stacks: HashSet<StackId>,
}

/// The nodes to which paths of the range may lead; nothing if there are too many ways to say.
fn visited(task: Task<'_>, range: &Range) -> Option<HashMap<NodeId, Visits>> {
    let observer = RangeObserver::new(range);
    let mut flow = Task { observer: Some(&observer), ..task }.flow()?;
    let program = task.program;
    let pointed: Vec<FunctionId> = program.functions.ids().collect();
    let mut points: HashSet<Point> = HashSet::new();
    let mut open = vec![flow.start()];
    let mut steps = Vec::new();
    while let Some(point) = open.pop() {
        if !points.insert(point) {
            continue;
        }
        if points.len() > MOST {
            return None;
        }
        steps.clear();
        let calls_pointer =
            |edge: EdgeId| matches!(program.edges[edge].op, Op::Call { callee: Callee::Pointer(_), .. });
        if program.out(point.node).iter().any(calls_pointer) {
            flow.steps(point, |_| Callees::These(pointed.clone()), &mut steps);
        } else {
            flow.steps(point, |_| Callees::Unknown, &mut steps);
        }
        open.extend(steps.iter().map(|step| step.to));
    }
    let mut visits: HashMap<NodeId, Visits> = HashMap::new();
    for point in points {
        let here = visits.entry(point.node).or_default();
        here.points += 1;
        here.stacks.insert(point.stack);
    }
    Some(visits)
}
