//! How many branches lie between a node and what is wanted, by the graph alone: calls may return to any of their callers.

use std::collections::VecDeque;

use tandem_base::{Id, IdVec};
use tandem_cfa::exec::Coverage;
use tandem_cfa::library::model_of;
use tandem_cfa::{Callee, EdgeId, ExprKind, FunctionId, NodeId, Op, Program};

/// The graph of the whole program backwards.
pub struct Backwards {
    /// For each node the nodes before it, and whether the way from there is a branch.
    before: IdVec<NodeId, Vec<(NodeId, bool)>>,
}

impl Backwards {
    pub fn of(program: &Program) -> Backwards {
        let mut before: IdVec<NodeId, Vec<(NodeId, bool)>> = IdVec::filled(Vec::new(), program.nodes.len());
        let pointed = pointed_to(program);
        for (id, edge) in program.edges.enumerate() {
            before[edge.target].push((edge.source, program.is_branching(id)));
            let Op::Call { callee, .. } = &edge.op else { continue };
            let callees: Vec<FunctionId> = match callee {
                Callee::Direct(function) => vec![*function],
                Callee::Pointer(_) => pointed.clone(),
                Callee::Builtin(_) => Vec::new(),
            };
            for function in callees {
                let body = program.functions[function].body.as_ref();
                let model = || program.functions[model_of(program, function)?].body.as_ref();
                if let Some(body) = body.or_else(model) {
                    before[body.entry].push((edge.source, false));
                    before[edge.target].push((body.exit, false));
                }
            }
        }
        Backwards { before }
    }

    /// For each node the fewest branches to an edge that is wanted; `u32::MAX` if none can be reached.
    pub fn distances(&self, program: &Program, wanted: &Coverage) -> IdVec<NodeId, u32> {
        let mut distances = IdVec::filled(u32::MAX, self.before.len());
        let mut waiting: VecDeque<(NodeId, u32)> = VecDeque::new();
        for edge in wanted.iter().filter(|edge| edge.index() < program.edges.len()) {
            let cost = u32::from(program.is_branching(edge));
            let source = program.edges[edge].source;
            if cost == 0 { waiting.push_front((source, 0)) } else { waiting.push_back((source, 1)) }
        }
        while let Some((node, distance)) = waiting.pop_front() {
            if distances[node] <= distance {
                continue;
            }
            distances[node] = distance;
            for (source, branch) in &self.before[node] {
                match branch {
                    true => waiting.push_back((*source, distance + 1)),
                    false => waiting.push_front((*source, distance)),
                }
            }
        }
        distances
    }
}

/// The functions whose address is taken somewhere.
fn pointed_to(program: &Program) -> Vec<FunctionId> {
    let mut functions: Vec<FunctionId> = program
        .arena
        .exprs()
        .iter()
        .filter_map(|expr| match expr.kind {
            ExprKind::Function(function) => Some(function),
            _ => None,
        })
        .collect();
    functions.sort_unstable();
    functions.dedup();
    functions
}

/// How far an edge is from what is wanted: zero if it is wanted itself.
pub fn distance(program: &Program, distances: &IdVec<NodeId, u32>, wanted: &Coverage, edge: EdgeId) -> u32 {
    if wanted.contains(edge) { 0 } else { distances[program.edges[edge].target].saturating_add(1) }
}
