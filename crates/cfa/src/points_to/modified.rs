//! What edges and functions may change, once it is known what pointers point to.

use std::collections::HashSet;

use tandem_base::{FastBuild, Id};

use super::calls::Meaning;
use super::objects::ObjectId;
use super::set::Set;
use super::{PointsTo, Site};
use crate::graph::Adjacency;
use crate::graph::order::components;
use crate::library::{Output, Primitive};
use crate::model::*;

impl PointsTo {
    /// What a call of the function may change, itself or through what it calls, by site: variables, objects that are
    /// allocated, freed or written to. Its own parameters and locals (and those of the functions it calls) are there only if
    /// they may be changed through a pointer, since all other changes are to instances that the call itself makes.
    pub fn modified(&self, function: FunctionId) -> Vec<Site> {
        self.named(&self.modified[function])
    }

    /// Whether the site is among those of [`modified`](PointsTo::modified).
    pub fn is_modified(&self, function: FunctionId, site: Site) -> bool {
        self.object(site).is_some_and(|object| self.modified[function].contains(object))
    }

    /// What may be changed on these edges, calls included: as [`modified`](PointsTo::modified), and the locals and parameters
    /// that the edges themselves assign or declare.
    pub fn modified_by_edges(&self, program: &Program, edges: impl IntoIterator<Item = EdgeId>) -> Vec<Site> {
        let mut found = Set::default();
        let mut functions: HashSet<FunctionId, FastBuild> = HashSet::default();
        for edge in edges {
            self.add_changes(program, edge, true, &mut found);
            functions.extend(self.entered(edge));
        }
        for function in functions {
            found.unite(&self.modified[function]);
        }
        self.named(&found)
    }

    /// The functions with a body whose edges come next at a call.
    fn entered(&self, edge: EdgeId) -> impl Iterator<Item = FunctionId> + '_ {
        self.callees(edge).iter().filter_map(|callee| match self.meanings[*callee] {
            Meaning::Body(function) => Some(function),
            Meaning::Primitive(_) | Meaning::Intrinsic | Meaning::Unknown => None,
        })
    }

    /// Callees before callers; functions that call each other have one set.
    pub(super) fn find_modified(&mut self, program: &Program) {
        let mut calls = Vec::new();
        for (function, body) in program.functions.enumerate().filter_map(|(id, f)| Some((id, f.body.as_ref()?))) {
            for edge in body.edges.iter() {
                calls.extend(self.entered(edge).map(|callee| (function.0, callee.0)));
            }
        }
        calls.sort_unstable();
        calls.dedup();
        let graph = Adjacency::new(program.functions.len(), calls.into_iter());
        for component in components(&graph) {
            let mut all = Set::default();
            for function in &component {
                let body = program.functions[FunctionId::from_index(*function as usize)].body.as_ref();
                for edge in body.into_iter().flat_map(|body| body.edges.iter()) {
                    self.add_changes(program, edge, false, &mut all);
                }
                for callee in graph.of(*function) {
                    all.unite(&self.modified[FunctionId(*callee)]);
                }
            }
            for function in &component[1..] {
                self.modified[FunctionId(*function)] = all.clone();
            }
            self.modified[FunctionId(component[0])] = all;
        }
    }

    /// What the edge changes itself. `locals`: also the variables of the function it is in, by name.
    fn add_changes(&self, program: &Program, edge: EdgeId, locals: bool, found: &mut Set) {
        match &program.edges[edge].op {
            Op::Assign { place, .. } => self.add_place(program, *place, locals, found),
            Op::Declare(variable) => self.add_variable(program, *variable, locals, found),
            Op::Call { callee, arguments, result } => {
                if let Some(place) = result {
                    self.add_place(program, *place, locals, found);
                }
                if let Callee::Builtin(builtin) = callee {
                    self.add_builtin(program, edge, *builtin, arguments, found);
                }
                for callee in self.callees(edge) {
                    if let Meaning::Primitive(primitive) = self.meanings[*callee] {
                        self.add_primitive(program, edge, primitive, arguments, found);
                    }
                }
            }
            Op::Skip | Op::Assume { .. } | Op::Return { .. } | Op::Unsupported { .. } => {}
        }
    }

    fn add_place(&self, program: &Program, place: PlaceId, locals: bool, found: &mut Set) {
        match self.base(program, place) {
            Ok(variable) => self.add_variable(program, variable, locals, found),
            Err(pointer) => self.add_behind(program, pointer, found),
        }
    }

    fn add_variable(&self, program: &Program, variable: VariableId, locals: bool, found: &mut Set) {
        if locals || program.variables[variable].kind.is_static() {
            found.insert(variable.0 + 1);
        }
    }

    /// Everything that the pointer may point to and that can be written.
    fn add_behind(&self, program: &Program, pointer: ExprId, found: &mut Set) {
        let Some(node) = self.exprs[pointer] else { return };
        for target in self.sets[node as usize].iter() {
            let object = self.targets[target as usize];
            if self.is_writable(program, object) {
                found.insert(object);
            }
        }
    }

    fn is_writable(&self, program: &Program, object: ObjectId) -> bool {
        match self.sites[object as usize] {
            Some(Site::Variable(variable)) => program.variables[variable].kind != VariableKind::StringLiteral,
            Some(Site::Allocation(_)) => true,
            Some(Site::Function(_)) | None => false,
        }
    }

    fn add_allocation(&self, edge: EdgeId, found: &mut Set) {
        if let Some(object) = self.allocations.get(&edge) {
            found.insert(*object);
        }
    }

    fn add_builtin(&self, program: &Program, edge: EdgeId, builtin: Builtin, arguments: &[ExprId], found: &mut Set) {
        match (builtin, arguments) {
            (Builtin::VaStart | Builtin::VaArg | Builtin::VaCopy | Builtin::VaEnd, [list, ..]) => {
                self.add_behind(program, *list, found);
            }
            (Builtin::Alloca, _) => self.add_allocation(edge, found),
            (Builtin::VaStart | Builtin::VaArg | Builtin::VaCopy | Builtin::VaEnd, [])
            | (Builtin::Unreachable | Builtin::Trap, _) => {}
        }
    }

    fn add_primitive(
        &self,
        program: &Program,
        edge: EdgeId,
        primitive: Primitive,
        arguments: &[ExprId],
        found: &mut Set,
    ) {
        let behind_first = match primitive {
            Primitive::Malloc | Primitive::Calloc => {
                self.add_allocation(edge, found);
                false
            }
            Primitive::Realloc => {
                self.add_allocation(edge, found);
                true
            }
            Primitive::Free | Primitive::MemCopy | Primitive::MemMove | Primitive::MemSet => true,
            Primitive::Printf(output) | Primitive::PrintfList(output) => match output {
                Output::Allocated => {
                    self.add_allocation(edge, found);
                    true
                }
                Output::Buffer | Output::BoundedBuffer => true,
                Output::Stdout
                | Output::Stream
                | Output::Line
                | Output::Character
                | Output::Text
                | Output::Block
                | Output::Message => false,
            },
            Primitive::Nondet
            | Primitive::Assume
            | Primitive::AssertFail
            | Primitive::Abort
            | Primitive::Exit
            | Primitive::Math(_)
            | Primitive::FusedMultiplyAdd
            | Primitive::Rounded(_)
            | Primitive::Contract(_)
            | Primitive::Unmodelled => false,
        };
        if let (true, Some(first)) = (behind_first, arguments.first()) {
            self.add_behind(program, *first, found);
        }
    }
}
