//! Landmarks: the heads of loops and the recursive calls of the user's program, and the edges over which each is passed. The sequence of
//! landmarks says which blocks a path goes through.

use std::collections::{BTreeMap, BTreeSet};

use tandem_cfa::library::{self, Model, Primitive};
use tandem_cfa::{Callee, EdgeId, ExprKind, FunctionId, NodeId, Op, PlaceId, PlaceKind, Program, VariableKind};
use tandem_cpa::Flow;

pub struct Landmarks {
    /// For each landmark the edges, exactly one of which is taken at each visit.
    passing: BTreeMap<NodeId, Vec<EdgeId>>,
    /// Those whose edges lead to them, so that what holds behind the edges holds there.
    before: BTreeSet<NodeId>,
    /// All edges over which landmarks are passed.
    pub edges: Vec<EdgeId>,
}

impl Landmarks {
    pub fn of(flow: &Flow<'_>) -> Landmarks {
        let program = flow.program;
        let mut passing: BTreeMap<NodeId, Vec<EdgeId>> = BTreeMap::new();
        let mut before = BTreeSet::new();
        let own = program.functions.enumerate().filter(|(_, function)| !function.is_library);
        for (id, function) in own {
            let Some(body) = &function.body else { continue };
            for node in body.nodes.iter().filter(|node| flow.is_head(*node)) {
                let into: Vec<EdgeId> = body.edges.iter().filter(|edge| program.edges[*edge].target == node).collect();
                // A call is a step of the path when its function is entered, and not when it comes back.
                if into.iter().any(|edge| enters(flow, *edge)) {
                    passing.insert(node, program.out(node).iter().collect());
                } else {
                    before.insert(node);
                    passing.insert(node, into);
                }
            }
            let calls = own_calls(program, id);
            if !calls.is_empty() && !is_called_in_turn(program, id) && !flow.is_head(body.entry) {
                before.insert(body.entry);
                passing.insert(body.entry, calls);
            }
        }
        forget_the_ambiguous(&mut passing);
        let edges: BTreeSet<EdgeId> = passing.values().flatten().copied().collect();
        Landmarks { passing, before, edges: edges.into_iter().collect() }
    }

    /// The edges behind which a fact about the landmark can be told; nothing if there are none.
    pub fn telling(&self, program: &Program, node: NodeId) -> Option<&[EdgeId]> {
        let edges = self.passing.get(&node)?;
        let changes_nothing = |edge: &EdgeId| match &program.edges[*edge].op {
            Op::Assume { .. } | Op::Skip => true,
            // An input changes the place of its result alone, and of a place without a name nothing can be told.
            Op::Call { callee: Callee::Direct(function), result, .. } => {
                is_input(program, *function) && result.is_none_or(|place| is_temporary(program, place))
            }
            Op::Call { callee: Callee::Pointer(_) | Callee::Builtin(_), .. } => false,
            Op::Assign { .. } | Op::Return { .. } | Op::Declare(_) | Op::Unsupported { .. } => false,
        };
        (self.before.contains(&node) || edges.iter().all(changes_nothing)).then_some(edges)
    }

    /// The edges over which the node is passed; none if it is no landmark, or paths by it cannot be told from others by their edges.
    pub fn passing(&self, node: NodeId) -> &[EdgeId] {
        self.passing.get(&node).map_or(&[], Vec::as_slice)
    }

    /// The landmark that is passed by an edge.
    pub fn behind(&self, edge: EdgeId) -> Option<NodeId> {
        self.passing.iter().find(|(_, edges)| edges.contains(&edge)).map(|(node, _)| *node)
    }
}

fn is_input(program: &Program, function: FunctionId) -> bool {
    let id = function;
    let function = &program.functions[id];
    let is_nondet = library::model(program, id) == Some(Model::Primitive(Primitive::Nondet));
    function.body.is_none() && is_nondet
}

fn is_temporary(program: &Program, place: PlaceId) -> bool {
    match program.place(place).kind {
        PlaceKind::Variable(variable) => program.variables[variable].kind == VariableKind::Temporary,
        PlaceKind::Deref(_) | PlaceKind::Field(..) | PlaceKind::Index(..) => false,
    }
}

/// An edge that belongs to two landmarks tells neither: a path by these cannot be told by its edges.
fn forget_the_ambiguous(passing: &mut BTreeMap<NodeId, Vec<EdgeId>>) {
    let mut owners: BTreeMap<EdgeId, Vec<NodeId>> = BTreeMap::new();
    for (node, edges) in passing.iter() {
        for edge in edges {
            owners.entry(*edge).or_default().push(*node);
        }
    }
    for node in owners.into_values().filter(|nodes| nodes.len() > 1).flatten() {
        passing.remove(&node);
    }
}

/// Whether the edge is a call that enters a body of the user's program, or may do so.
fn enters(flow: &Flow<'_>, edge: EdgeId) -> bool {
    match &flow.program.edges[edge].op {
        Op::Call { callee: Callee::Direct(function), .. } => flow.entered(*function).is_some(),
        Op::Call { callee: Callee::Pointer(_), .. } => true,
        _ => false,
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
