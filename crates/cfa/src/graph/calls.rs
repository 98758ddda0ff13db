//! Who calls whom. A call through a pointer may reach every function whose address is taken.

use tandem_base::{Id, IdVec};

use super::adjacency::Adjacency;
use super::order::components;
use crate::model::*;

/// The call graph of a program.
pub struct CallGraph {
    callees: IdVec<FunctionId, Vec<FunctionId>>,
    callers: IdVec<FunctionId, Vec<FunctionId>>,
    calls_pointers: IdVec<FunctionId, bool>,
    address_taken: IdVec<FunctionId, bool>,
    recursive: IdVec<FunctionId, bool>,
    bottom_up: Vec<Vec<FunctionId>>,
}

impl CallGraph {
    pub fn of(program: &Program) -> CallGraph {
        let count = program.functions.len();
        let mut graph = CallGraph {
            callees: IdVec::filled(Vec::new(), count),
            callers: IdVec::filled(Vec::new(), count),
            calls_pointers: IdVec::filled(false, count),
            address_taken: IdVec::filled(false, count),
            recursive: IdVec::filled(false, count),
            bottom_up: Vec::new(),
        };
        graph.direct(program);
        for expr in program.arena.exprs().iter() {
            if let ExprKind::Function(function) = expr.kind {
                graph.address_taken[function] = true;
            }
        }
        graph.recursion();
        graph
    }

    fn direct(&mut self, program: &Program) {
        for id in program.edges.ids() {
            let caller = program.function_of(id);
            match &program.edges[id].op {
                Op::Call { callee: Callee::Direct(callee), .. } => self.callees[caller].push(*callee),
                Op::Call { callee: Callee::Pointer(_), .. } => self.calls_pointers[caller] = true,
                _ => {}
            }
        }
        for caller in program.functions.ids() {
            self.callees[caller].sort_unstable();
            self.callees[caller].dedup();
            for index in 0..self.callees[caller].len() {
                let callee = self.callees[caller][index];
                self.callers[callee].push(caller);
            }
        }
    }

    /// One more node stands for "some function whose address is taken", so that pointer calls cost one edge each.
    fn recursion(&mut self) {
        let count = self.callees.len();
        let any = count as u32;
        let direct =
            self.callees.enumerate().flat_map(|(f, callees)| callees.iter().map(move |callee| (f.0, callee.0)));
        let to_any = self.calls_pointers.enumerate().filter(|(_, calls)| **calls).map(|(f, _)| (f.0, any));
        let from_any = self.address_taken.enumerate().filter(|(_, taken)| **taken).map(|(f, _)| (any, f.0));
        let graph = Adjacency::new(count + 1, direct.chain(to_any).chain(from_any));
        for component in components(&graph) {
            let is_cycle = component.len() > 1;
            let functions: Vec<FunctionId> = component
                .into_iter()
                .filter(|node| *node != any)
                .map(|node| FunctionId::from_index(node as usize))
                .collect();
            for function in &functions {
                self.recursive[*function] = is_cycle || graph.of(function.0).contains(&function.0);
            }
            if !functions.is_empty() {
                self.bottom_up.push(functions);
            }
        }
    }

    /// The functions that it calls by name, each once, by id.
    pub fn callees(&self, function: FunctionId) -> &[FunctionId] {
        &self.callees[function]
    }

    /// The functions that call it by name, each once, by id.
    pub fn callers(&self, function: FunctionId) -> &[FunctionId] {
        &self.callers[function]
    }

    /// Whether it calls through a pointer.
    pub fn calls_pointers(&self, function: FunctionId) -> bool {
        self.calls_pointers[function]
    }

    /// Whether some expression or initial value is its address.
    pub fn is_address_taken(&self, function: FunctionId) -> bool {
        self.address_taken[function]
    }

    /// Whether it may be active twice at once.
    pub fn is_recursive(&self, function: FunctionId) -> bool {
        self.recursive[function]
    }

    /// All functions, callees before callers; functions that call each other stand together.
    pub fn bottom_up(&self) -> &[Vec<FunctionId>] {
        &self.bottom_up
    }
}
