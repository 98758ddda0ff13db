//! What edges and initial values do to the contents of objects. Calls are in [`calls`](super::calls).

use tandem_base::IdVec;
use tandem_syntax::types::{Type, TypeId};

use super::objects::*;
use super::solve::Solver;
use super::values::{Base, Spot};
use crate::exec::assigned::register_variables;
use crate::model::*;

/// Locals of one function of which it is found out whether they are always written first.
const MOST_CANDIDATES: usize = 1024;

impl Solver<'_> {
    pub fn add_variables(&mut self) {
        for (id, variable) in self.program.variables.enumerate() {
            let size = self.program.types.size(variable.ty);
            self.objects.add(Kind::Site(super::Site::Variable(id)), size, self.element_size(variable.ty));
        }
        let written = self.written_first();
        for (id, variable) in self.program.variables.enumerate() {
            if self.starts_unknown(variable) && !written[id] {
                let object = self.variable(id);
                let node = match self.program.types.scalar(variable.ty) {
                    Some(scalar) => self.cell(object, 0, u64::from(scalar.bits()).div_ceil(8)),
                    None => self.any(object),
                };
                self.insert_outside(node);
            }
        }
    }

    /// The locals that every path writes before it reads them.
    fn written_first(&self) -> IdVec<VariableId, bool> {
        let mut written = IdVec::filled(false, self.program.variables.len());
        for function in self.program.functions.iter() {
            let Some(body) = &function.body else { continue };
            for variable in register_variables(self.program, body, MOST_CANDIDATES) {
                let is_parameter = self.program.variables[variable].kind == VariableKind::Parameter;
                written[variable] = !is_parameter;
            }
        }
        written
    }

    /// Of an array: the size of its elements, or of theirs. Else zero.
    fn element_size(&self, ty: TypeId) -> u64 {
        let mut at = ty;
        while let Type::Array { element, .. } = *self.program.types.get(at) {
            at = element;
        }
        if at == ty { 0 } else { self.program.types.size(at).unwrap_or(1).max(1) }
    }

    /// Whether one may read a value from it that nobody stored. Temporaries that are scalars are always written first.
    fn starts_unknown(&self, variable: &Variable) -> bool {
        match variable.kind {
            VariableKind::External | VariableKind::Local => true,
            VariableKind::Temporary => variable.in_memory || self.program.types.scalar(variable.ty).is_none(),
            VariableKind::Parameter => variable.function.is_some() && variable.function == self.program.entry,
            VariableKind::Global | VariableKind::Static | VariableKind::StringLiteral => false,
        }
    }

    pub fn add_initial_values(&mut self) {
        for (id, variable) in self.program.variables.enumerate() {
            for initial in &variable.initializer {
                let InitialData::Scalar(value) = initial.value else { continue };
                let Some(from) = self.exprs[value] else { continue };
                let size = self.program.types.size(self.program.expr(value).ty).unwrap_or(1);
                let bits = initial.bits.map_or(0, |bits| i64::from(bits.offset / 8));
                let shift = Shift { offset: initial.offset as i64 + bits, stride: 0 };
                let to = self.written(self.variable(id), 0, shift, size);
                self.nodes.add_copy(from, to);
            }
        }
    }

    pub fn reach(&mut self, function: FunctionId) {
        if !std::mem::replace(&mut self.reached[function], true) {
            self.open.push(function);
        }
    }

    /// The edges of a function that can be called.
    pub fn look_into(&mut self, function: FunctionId) {
        let Some(body) = &self.program.functions[function].body else { return };
        for edge in body.edges.iter() {
            match &self.program.edges[edge].op {
                Op::Assign { place, value } => self.assign(*place, *value),
                Op::Return { value } => self.give_back(function, *value),
                Op::Call { callee, .. } => self.call_edge(edge, callee),
                Op::Skip | Op::Assume { .. } | Op::Declare(_) | Op::Unsupported { .. } => {}
            }
        }
    }

    fn assign(&mut self, place: PlaceId, value: ExprId) {
        if self.program.types.scalar(self.program.place(place).ty).is_some() {
            if let Some(from) = self.exprs[value] {
                self.store(place, from);
            }
        } else if let ExprKind::Read(from) = self.program.expr(value).kind {
            let size = self.size_of(place);
            self.copy_block(self.spot(from), self.spot(place), size);
        }
    }

    fn give_back(&mut self, function: FunctionId, value: Option<ExprId>) {
        let object = self.result_of(function);
        match value {
            Some(value) => self.pass(value, object),
            None => {
                let node = self.any(object);
                self.insert_outside(node);
            }
        }
    }

    /// The object that holds what a function returns.
    pub fn result_of(&mut self, function: FunctionId) -> ObjectId {
        if let Some(object) = self.results[function] {
            return object;
        }
        let object = self.objects.add(Kind::Hidden, None, 0);
        self.results[function] = Some(object);
        object
    }

    /// A value, scalar or not, is stored at the start of an object.
    pub fn pass(&mut self, value: ExprId, object: ObjectId) {
        let Expr { kind, ty } = self.program.expr(value);
        let size = self.program.types.size(ty).unwrap_or(u64::MAX);
        if self.program.types.scalar(ty).is_some() {
            if let Some(from) = self.exprs[value] {
                let to = self.cell(object, 0, size);
                self.nodes.add_copy(from, to);
            }
        } else if let ExprKind::Read(place) = kind {
            self.copy_block(self.spot(place), Spot { base: Base::Object(object), shift: Shift::NONE }, size);
        }
    }

    /// What an object holds is stored in the place.
    pub fn fetch(&mut self, object: ObjectId, place: PlaceId) {
        let ty = self.program.place(place).ty;
        if self.program.types.scalar(ty).is_some() {
            let from = self.read(object, 0, Shift::NONE, self.size_of(place));
            self.store(place, from);
        } else {
            let size = self.size_of(place);
            self.copy_block(Spot { base: Base::Object(object), shift: Shift::NONE }, self.spot(place), size);
        }
    }
}
