//! From where an error can be reached at all, by the graph alone: what cannot lead to one need not be followed.
//! A step that is not modelled counts as an error: nobody knows where it leads.

use tandem_base::IdVec;
use tandem_cfa::library::{Kind, Primitive};
use tandem_cfa::{Body, Callee, EdgeId, FunctionId, NodeId, Op, Program};

#[derive(Clone, Debug)]
pub struct Relevance {
    /// Nodes from which an error can be reached before their function is left.
    error: IdVec<NodeId, bool>,
    /// Nodes from which the end of their function can be reached.
    exit: IdVec<NodeId, bool>,
}

impl Relevance {
    pub fn of(program: &Program, kinds: &IdVec<FunctionId, Kind>, asserts: bool) -> Relevance {
        Relevance::looking(program, kinds, Wanted::Errors { asserts })
    }

    /// The same if these edges are looked for instead of errors.
    pub fn of_edges(program: &Program, kinds: &IdVec<FunctionId, Kind>, edges: &[EdgeId]) -> Relevance {
        let mut wanted = IdVec::filled(false, program.edges.len());
        for edge in edges {
            wanted[*edge] = true;
        }
        Relevance::looking(program, kinds, Wanted::Edges(wanted))
    }

    fn looking(program: &Program, kinds: &IdVec<FunctionId, Kind>, wanted: Wanted) -> Relevance {
        let mut find = Finder { program, kinds, wanted, erring: IdVec::filled(false, program.functions.len()) };
        let mut error = IdVec::filled(false, program.nodes.len());
        let mut exit = IdVec::filled(false, program.nodes.len());
        let bodies: Vec<(FunctionId, &Body)> =
            program.functions.enumerate().filter_map(|(id, function)| Some((id, function.body.as_ref()?))).collect();
        for (_, body) in &bodies {
            mark(program, body, &mut exit, |_| false, Some(body.exit));
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (id, body) in &bodies {
                if !find.erring[*id] {
                    mark(program, body, &mut error, |edge| find.errs(edge), None);
                    find.erring[*id] = error[body.entry];
                    changed |= error[body.entry];
                }
            }
        }
        // Functions that were done early may call others that turned out to err.
        for (_, body) in &bodies {
            mark(program, body, &mut error, |edge| find.errs(edge), None);
        }
        Relevance { error, exit }
    }

    /// Whether an error can be reached from the node before its function is left.
    pub fn reaches_error(&self, node: NodeId) -> bool {
        self.error[node]
    }

    /// Whether the end of its function can be reached from the node.
    pub fn reaches_exit(&self, node: NodeId) -> bool {
        self.exit[node]
    }
}

/// What is looked for.
enum Wanted {
    Errors { asserts: bool },
    Edges(IdVec<EdgeId, bool>),
}

struct Finder<'a> {
    program: &'a Program,
    kinds: &'a IdVec<FunctionId, Kind>,
    wanted: Wanted,
    /// Functions in which an error can be reached.
    erring: IdVec<FunctionId, bool>,
}

impl Finder<'_> {
    fn errs(&self, edge: EdgeId) -> bool {
        if let Wanted::Edges(wanted) = &self.wanted
            && wanted[edge]
        {
            return true;
        }
        match &self.program.edges[edge].op {
            Op::Unsupported { .. } => true,
            Op::Call { callee: Callee::Direct(function), .. } => self.function_errs(*function),
            // Whatever it calls.
            Op::Call { callee: Callee::Pointer(_), .. } => true,
            Op::Call { callee: Callee::Builtin(_), .. }
            | Op::Skip
            | Op::Assume { .. }
            | Op::Assign { .. }
            | Op::Return { .. }
            | Op::Declare(_) => false,
        }
    }

    fn function_errs(&self, function: FunctionId) -> bool {
        match self.kinds[function] {
            Kind::Missing | Kind::Library(Primitive::Unmodelled) => true,
            Kind::Error => matches!(self.wanted, Wanted::Errors { .. }),
            Kind::Library(Primitive::AssertFail) => matches!(self.wanted, Wanted::Errors { asserts: true }),
            Kind::Body => self.erring[function],
            Kind::Model(model) => self.erring[model],
            Kind::Library(_) | Kind::Intrinsic(_) | Kind::Unknown => false,
        }
    }
}

/// Marks the nodes of a body from which one of the edges, or the node, can be reached.
fn mark(
    program: &Program,
    body: &Body,
    marked: &mut IdVec<NodeId, bool>,
    wanted: impl Fn(EdgeId) -> bool,
    node: Option<NodeId>,
) {
    let mut before: std::collections::HashMap<NodeId, Vec<NodeId>> = std::collections::HashMap::new();
    let mut pending: Vec<NodeId> = node.into_iter().collect();
    for edge in body.edges.iter() {
        let (source, target) = (program.edges[edge].source, program.edges[edge].target);
        before.entry(target).or_default().push(source);
        if wanted(edge) {
            pending.push(source);
        }
    }
    while let Some(node) = pending.pop() {
        if !std::mem::replace(&mut marked[node], true) {
            pending.extend(before.get(&node).into_iter().flatten());
        }
    }
}
