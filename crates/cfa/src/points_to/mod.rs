//! Which objects a pointer may point to, and what a step, a loop or a function may change: an inclusion-based analysis of
//! the whole program that takes no notice of the order of steps.
//!
//! Every value may be made of addresses, whatever its type: integers, floats and single bytes carry the addresses that were
//! converted to them or read from memory as them. Arithmetic stays in the object (what leaves it ends the path when it is
//! used); a number that was never computed from an address is not the address of an object of the program. Only functions
//! that `main` can reach are looked at. What the program's `Op::Unsupported` steps do is left out: who meets one knows nothing
//! for sure anyway.
//!
//! - [`objects`]: objects, the cells they are divided into, and offsets
//! - [`nodes`]: sets of targets and inclusions between them
//! - [`values`], [`edges`], [`calls`]: what the program's expressions, edges and calls mean for the sets
//! - [`solve`]: the fixed point
//! - [`modified`]: what is changed by whom

mod calls;
mod edges;
mod modified;
mod nodes;
mod objects;
mod set;
mod solve;
mod values;

use std::collections::HashMap;

use tandem_base::{FastBuild, IdVec};

use crate::model::*;
use calls::Meaning;
use objects::{Kind, OUTSIDE, ObjectId};
use set::Set;
use solve::Solver;

/// A thing that pointers point to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Site {
    /// All instances of a variable, string literals among them.
    Variable(VariableId),
    /// All objects that the call at the edge allocates: `malloc` and its like, `alloca`.
    Allocation(EdgeId),
    Function(FunctionId),
}

/// What a value may point to.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Targets {
    /// Sorted.
    pub sites: Vec<Site>,
    /// Whether it may be an address that comes from outside of the program (an input, an uninitialised value, a number that
    /// became a pointer) and points to none of its objects.
    pub outside: bool,
}

/// The solution for one program.
pub struct PointsTo {
    /// The set of each expression. `None`: never an address.
    exprs: IdVec<ExprId, Option<u32>>,
    sets: Vec<Set>,
    /// The object that each target lies in.
    targets: Vec<ObjectId>,
    /// `None` for objects that only the analysis knows.
    sites: Vec<Option<Site>>,
    functions: IdVec<FunctionId, Option<ObjectId>>,
    allocations: HashMap<EdgeId, ObjectId, FastBuild>,
    callees: HashMap<EdgeId, Vec<FunctionId>, FastBuild>,
    meanings: IdVec<FunctionId, Meaning>,
    reached: IdVec<FunctionId, bool>,
    modified: IdVec<FunctionId, Set>,
}

impl PointsTo {
    pub fn of(program: &Program) -> PointsTo {
        let mut solver = Solver::new(program);
        solver.add_variables();
        solver.add_exprs();
        solver.add_initial_values();
        match program.entry {
            Some(entry) => solver.reach(entry),
            None => program.functions.ids().for_each(|function| solver.reach(function)),
        }
        solver.solve();
        let mut solution = PointsTo::read_off(solver);
        solution.find_modified(program);
        solution
    }

    fn read_off(solver: Solver<'_>) -> PointsTo {
        let Solver { program, mut nodes, objects, exprs, names, .. } = solver;
        let mut callees: HashMap<EdgeId, Vec<FunctionId>, FastBuild> = HashMap::default();
        for (edge, function) in solver.called {
            callees.entry(edge).or_default().push(function);
        }
        callees.values_mut().for_each(|functions| functions.sort_unstable());
        let site = |kind: Kind| match kind {
            Kind::Site(site) => Some(site),
            Kind::Outside | Kind::Hidden => None,
        };
        let find = |name: &str| names.get(name).copied();
        PointsTo {
            exprs: exprs.iter().map(|node| node.map(|node| nodes.find(node))).collect(),
            sets: nodes.into_sets(),
            targets: objects.targets.iter().map(|(object, _)| *object).collect(),
            sites: objects.all.iter().map(|object| site(object.kind)).collect(),
            functions: solver.functions,
            allocations: solver.allocations,
            callees,
            meanings: program.functions.ids().map(|function| calls::meaning(program, function, find)).collect(),
            reached: solver.reached,
            modified: IdVec::filled(Set::default(), program.functions.len()),
        }
    }

    /// What the value of a scalar expression may point to, wherever it is evaluated. Of an expression that only occurs in
    /// functions that cannot be reached, as much as is known.
    ///
    /// An access through a pointer without sites ends the path. Nothing follows about its value.
    pub fn targets(&self, expr: ExprId) -> Targets {
        let objects = self.objects(expr);
        Targets { outside: objects.contains(OUTSIDE), sites: self.named(&objects) }
    }

    /// What the place may lie in.
    pub fn places(&self, program: &Program, place: PlaceId) -> Targets {
        match self.base(program, place) {
            Ok(variable) => Targets { sites: vec![Site::Variable(variable)], outside: false },
            Err(pointer) => self.targets(pointer),
        }
    }

    /// The functions that the call at the edge may enter, by id; of a library function, itself and not its model.
    pub fn callees(&self, edge: EdgeId) -> &[FunctionId] {
        self.callees.get(&edge).map_or(&[], |functions| functions)
    }

    /// Whether a run can get into the function: it is `main`, or a function that can be reached calls it.
    pub fn is_reached(&self, function: FunctionId) -> bool {
        self.reached[function]
    }

    /// The variable a place is part of, or the pointer it lies behind.
    fn base(&self, program: &Program, place: PlaceId) -> Result<VariableId, ExprId> {
        let mut at = place;
        loop {
            match program.place(at).kind {
                PlaceKind::Variable(variable) => return Ok(variable),
                PlaceKind::Deref(pointer) => return Err(pointer),
                PlaceKind::Field(base, ..) | PlaceKind::Index(base, _) => at = base,
            }
        }
    }

    fn objects(&self, expr: ExprId) -> Set {
        match self.exprs[expr] {
            Some(node) => self.sets[node as usize].iter().map(|target| self.targets[target as usize]).collect(),
            None => Set::default(),
        }
    }

    fn named(&self, objects: &Set) -> Vec<Site> {
        let mut sites: Vec<Site> = objects.iter().filter_map(|object| self.sites[object as usize]).collect();
        sites.sort_unstable();
        sites
    }

    fn object(&self, site: Site) -> Option<ObjectId> {
        match site {
            Site::Variable(variable) => Some(variable.0 + 1),
            Site::Allocation(edge) => self.allocations.get(&edge).copied(),
            Site::Function(function) => self.functions[function],
        }
    }
}

#[cfg(test)]
mod tests;
