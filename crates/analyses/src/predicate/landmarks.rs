//! Landmarks: the heads of loops and the recursive calls of the user's program, and the edges over which each is passed. The sequence of
//! landmarks says which blocks a path goes through.

use std::collections::{BTreeMap, BTreeSet};

use tandem_cfa::{Callee, EdgeId, ExprKind, FunctionId, NodeId, Op, Program};
use tandem_cpa::Flow;

pub struct Landmarks {
    entering: BTreeMap<NodeId, Vec<EdgeId>>,
    /// All edges over which landmarks are passed.
    pub edges: Vec<EdgeId>,
}

impl Landmarks {
    pub fn of(flow: &Flow<'_>) -> Landmarks {
        let program = flow.program;
        let mut into: BTreeMap<NodeId, Vec<EdgeId>> = BTreeMap::new();
        let own = program.functions.enumerate().filter(|(_, function)| !function.is_library);
        for (id, function) in own {
            let Some(body) = &function.body else { continue };
            for edge in body.edges.iter() {
                let target = program.edges[edge].target;
                if flow.is_head(target) {
                    into.entry(target).or_default().push(edge);
                }
            }
            let calls = own_calls(program, id);
            if !calls.is_empty() && !is_called_in_turn(program, id) && !flow.is_head(body.entry) {
                into.insert(body.entry, calls);
            }
        }
        let edges: BTreeSet<EdgeId> = into.values().flatten().copied().collect();
        Landmarks { entering: into, edges: edges.into_iter().collect() }
    }

    /// The edges over which the node is passed; none if it is no landmark, or paths by it cannot be told from others by their edges.
    pub fn entering(&self, node: NodeId) -> &[EdgeId] {
        self.entering.get(&node).map_or(&[], Vec::as_slice)
    }

    /// The landmark that is passed by an edge.
    pub fn behind(&self, edge: EdgeId) -> Option<NodeId> {
        self.entering.iter().find(|(_, edges)| edges.contains(&edge)).map(|(node, _)| *node)
    }
}

fn calls(program: &Program, of: FunctionId) -> impl Iterator<Item = (EdgeId, &Callee)> {
    let edges = program.functions[of].body.iter().flat_map(|body| body.edges.iter());
    edges.filter_map(|edge| match &program.edges[edge].op {
        Op::Call { callee, .. } => Some((edge, callee)),
        _ => None,
    })
}

fn own_calls(program: &Program, function: FunctionId) -> Vec<EdgeId> {
    calls(program, function).filter(|(_, callee)| **callee == Callee::Direct(function)).map(|(edge, _)| edge).collect()
}

/// Whether the function may also be entered again by a call of another function: then whether a call is recursive depends on
/// the calls before it.
fn is_called_in_turn(program: &Program, function: FunctionId) -> bool {
    if program.arena.exprs().iter().any(|expr| expr.kind == ExprKind::Function(function)) {
        return true;
    }
    let (mut open, mut seen) = (vec![function], BTreeSet::new());
    while let Some(at) = open.pop() {
        for (_, callee) in calls(program, at) {
            match callee {
                Callee::Direct(called) if *called == function && at != function => return true,
                Callee::Direct(called) if seen.insert(*called) => open.push(*called),
                Callee::Direct(_) | Callee::Builtin(_) | Callee::Pointer(_) => {}
            }
        }
    }
    false
}
