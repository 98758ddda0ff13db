//! Steps: what each does to a store.

use std::rc::Rc;

use tandem_cfa::exec::InputSource;
use tandem_cfa::points_to::Site;
use tandem_cfa::types::TypeId;
use tandem_cfa::{
    Builtin, Callee, ExprId, ExprKind, FunctionId, InitialData, Op, PlaceId, Scalar, VariableId, VariableKind,
};
use tandem_cpa::{Callees, Flow, Point, Step, StepKind};

use super::address::{Addresses, ObjectKey};
use super::cells::{Cell, Cells};
use super::domain::Domain;
use super::layout::Home;
use super::place::{Address, Located, Root};
use super::{Executor, Frame, Object, PathEnd, Result, Returned, Size, Store, Touched};

/// Below these bits of a `va_list` is the number of an argument, above them the depth of the call.
const CALL: u32 = 16;

impl<D: Domain> Executor<'_, D> {
    /// The store in which the program begins.
    pub fn start(&mut self, flow: &Flow<'_>, path: D::Path) -> Result<Store<D>> {
        let mut store = Store {
            path,
            statics: Rc::new(vec![Cell::Zero; self.layout.static_slots.len()]),
            frames: Vec::new(),
            objects: Default::default(),
            allocations: 0,
            returned: None,
            from_anywhere: false,
        };
        for (id, variable) in self.program.variables.enumerate() {
            if self.layout.homes[id] == Home::StaticObject {
                let key = ObjectKey::Static(id);
                let size = self.program.types.size(variable.ty);
                let Some(base) = self.addresses.base(key, size) else {
                    return self.unsupported("no room for another object");
                };
                let Some(size) = size else { continue };
                let rest = if variable.kind == VariableKind::External { Cell::Undefined } else { Cell::Zero };
                let read_only = variable.kind == VariableKind::StringLiteral;
                let object = Object::new(Size::Known(size), read_only, Cells::new(rest));
                store.objects.insert(base, Rc::new(object));
            } else if variable.kind == VariableKind::External {
                self.set_slot(&mut store, id, Cell::Undefined);
            }
        }
        let ids: Vec<VariableId> = self.program.variables.ids().collect();
        for id in ids {
            match self.layout.homes[id] {
                Home::StaticObject => {
                    let base = self.addresses.base(ObjectKey::Static(id), None).unwrap_or(0);
                    self.initialise(&mut store, id, base)?;
                }
                Home::StaticSlot(_) => self.initialise_slot(&mut store, id)?,
                Home::FrameSlot(_) | Home::LocalObject => {}
            }
        }
        let entry = flow.function(flow.start().stack);
        self.push_frame(&mut store, entry, 0, Rc::new([]))?;
        self.arguments_of_entry(&mut store, entry)?;
        Ok(store)
    }

    /// The program is started with any number of arguments, which is an input, and with pointers from outside.
    fn arguments_of_entry(&mut self, store: &mut Store<D>, entry: FunctionId) -> Result<()> {
        let program = self.program;
        let Some(body) = &program.functions[entry].body else { return Ok(()) };
        for parameter in body.parameters.iter() {
            if let Some(scalar) = program.types.scalar(program.variables[*parameter].ty) {
                let source = InputSource::Variable(*parameter);
                let value = match scalar {
                    Scalar::Int { bits, .. } => self.domain.input(&mut store.path, bits, source, self.edge),
                    Scalar::Bool | Scalar::Float(_) | Scalar::Pointer { .. } => self.domain.any(scalar.bits()),
                };
                self.set_parameter(store, *parameter, Returned::Scalar(value, scalar.bits()))?;
            }
        }
        Ok(())
    }

    /// A store at a point of which nothing else is known.
    pub fn anywhere(&mut self, flow: &Flow<'_>, at: Point, path: D::Path) -> Store<D> {
        let mut stacks: Vec<_> = flow.stacks.outwards(at.stack).collect();
        stacks.reverse();
        let frames = stacks.into_iter().map(|stack| {
            let slots = vec![Cell::Start; self.layout.frame_slots[flow.function(stack)].len()];
            let (function, instance) = (flow.function(stack), flow.stacks.instance(stack));
            // Which arguments it was called with is not known.
            Rc::new(Frame { function, slots, variadic: Rc::new([Returned::Nothing]), own: Vec::new(), instance })
        });
        Store {
            path,
            statics: Rc::new(vec![Cell::Start; self.layout.static_slots.len()]),
            frames: frames.collect(),
            objects: Default::default(),
            allocations: 0,
            returned: None,
            from_anywhere: true,
        }
    }

    pub(super) fn initialise(&mut self, store: &mut Store<D>, variable: VariableId, base: u64) -> Result<()> {
        let program = self.program;
        for initial in &program.variables[variable].initializer {
            match &initial.value {
                InitialData::Bytes(bytes) => {
                    for (index, byte) in bytes.iter().enumerate() {
                        let value = self.domain.constant(8, u128::from(*byte));
                        self.write_at(store, base, initial.offset + index as u64, 1, Cell::Value(value))?;
                    }
                }
                InitialData::Scalar(expr) => {
                    let value = self.value(store, *expr)?;
                    let scalar = self.scalar_of(*expr)?;
                    let address =
                        Address { root: Root::Object(base), constant: initial.offset, offset: None, expr: None };
                    let literal = store.objects.get(&base).is_some_and(|object| object.read_only);
                    if literal {
                        let size = u64::from(scalar.bits()).div_ceil(8);
                        self.write_at(store, base, initial.offset, size, Cell::Value(value))?;
                    } else {
                        self.write(store, address, scalar, initial.bits, &value)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn initialise_slot(&mut self, store: &mut Store<D>, variable: VariableId) -> Result<()> {
        let program = self.program;
        if let Some(initial) = program.variables[variable].initializer.first() {
            let value = match &initial.value {
                InitialData::Scalar(expr) => self.value(store, *expr)?,
                InitialData::Bytes(_) => return self.unsupported("a scalar made from bytes"),
            };
            self.write_slot(store, variable, value);
        }
        Ok(())
    }

    fn push_frame(
        &mut self,
        store: &mut Store<D>,
        function: FunctionId,
        instance: u32,
        variadic: Rc<[Returned<D::Value>]>,
    ) -> Result<()> {
        let slots = vec![Cell::Undefined; self.layout.frame_slots[function].len()];
        store.frames.push(Rc::new(Frame { function, slots, variadic, own: Vec::new(), instance }));
        let program = self.program;
        let Some(body) = &program.functions[function].body else { return Ok(()) };
        let mut own = Vec::new();
        for variable in body.parameters.iter().chain(&body.locals).copied() {
            if self.layout.homes[variable] == Home::LocalObject {
                own.extend(self.new_local(store, variable, instance)?);
            }
        }
        if let (Some(frame), false) = (store.frames.last_mut(), own.is_empty()) {
            Rc::make_mut(frame).own = own;
        }
        Ok(())
    }

    /// The object of a local whose lifetime begins; nothing if its size is not known (it is never accessed directly then).
    fn new_local(&mut self, store: &mut Store<D>, variable: VariableId, instance: u32) -> Result<Option<u64>> {
        let Some(size) = self.program.types.size(self.program.variables[variable].ty) else { return Ok(None) };
        let Some(base) = self.addresses.base(ObjectKey::Local(variable, instance), Some(size)) else {
            return self.unsupported("no room for another object");
        };
        self.note_write(Touched::Object(base));
        let object = Object::new(Size::Known(size), false, Cells::new(Cell::Undefined));
        store.objects.insert(base, Rc::new(object));
        Ok(Some(base))
    }

    /// Carries out a step.
    pub fn step(&mut self, flow: &Flow<'_>, store: &mut Store<D>, step: &Step) -> Result<()> {
        self.edge = step.edge;
        let program = self.program;
        let op = &program.edges[step.edge].op;
        match (step.kind, op) {
            (StepKind::Leave(_), Op::Call { result, .. }) => self.leave(store, *result),
            (StepKind::Enter(function), Op::Call { callee, arguments, .. }) => {
                self.enter(flow, store, step, function, callee, arguments)
            }
            (StepKind::Error(function), Op::Call { callee, .. }) => self.goes_to(flow, store, callee, function),
            (StepKind::Call(function), Op::Call { callee, arguments, result }) => {
                self.goes_to(flow, store, callee, function)?;
                self.library_call(store, function, arguments, *result)
            }
            (StepKind::Elsewhere, Op::Call { callee: Callee::Pointer(pointer), .. }) => {
                self.goes_elsewhere(store, *pointer)
            }
            (StepKind::Inside, op) => self.inside(store, op),
            (_, Op::Unsupported { what }) => self.unsupported(&**what),
            (_, _) => self.unsupported("a call to a place that is not known"),
        }
    }

    fn inside(&mut self, store: &mut Store<D>, op: &Op) -> Result<()> {
        match op {
            Op::Skip => Ok(()),
            Op::Assume { condition, truth } => {
                let mut guard = self.truth(store, *condition)?;
                if !truth {
                    guard = self.domain.not(&guard);
                }
                self.require(store, &guard)
            }
            Op::Assign { place, value } => self.assign(store, *place, *value),
            Op::Return { value } => {
                self.note_write(Touched::Returned);
                store.returned = Some(match value {
                    Some(value) => self.passed(store, *value)?,
                    None => Returned::Nothing,
                });
                Ok(())
            }
            Op::Declare(variable) => {
                if self.layout.homes[*variable] == Home::LocalObject {
                    let instance = store.frames.last().map_or(0, |frame| frame.instance);
                    self.new_local(store, *variable, instance)?;
                } else {
                    self.set_slot(store, *variable, Cell::Undefined);
                }
                Ok(())
            }
            Op::Call { callee: Callee::Builtin(builtin), arguments, result } => {
                self.builtin(store, *builtin, arguments, *result)
            }
            Op::Call { .. } => self.unsupported("a call to a place that is not known"),
            Op::Unsupported { what } => self.unsupported(&**what),
        }
    }

    pub(super) fn assign(&mut self, store: &mut Store<D>, place: PlaceId, value: ExprId) -> Result<()> {
        let ty = self.program.place(place).ty;
        let Some(scalar) = self.program.types.scalar(ty) else {
            let passed = match self.program.expr(value).kind {
                ExprKind::Zero => Returned::Record(0, Rc::new([(0, self.size(ty)?, Cell::Zero)])),
                _ => self.passed(store, value)?,
            };
            return self.receive(store, place, passed);
        };
        let value = self.value(store, value)?;
        match self.locate(store, place)? {
            Located::Slot(variable) => {
                self.write_slot(store, variable, value);
                Ok(())
            }
            Located::Memory(address, bits) => self.write(store, address, scalar, bits, &value),
        }
    }

    fn size(&self, ty: TypeId) -> Result<u64> {
        match self.program.types.size(ty) {
            Some(size) => Ok(size),
            None => self.unsupported("an object whose size is not known"),
        }
    }

    /// The value of an expression that is passed or returned.
    fn passed(&mut self, store: &mut Store<D>, value: ExprId) -> Result<Returned<D::Value>> {
        let expr = self.program.expr(value);
        if let Some(scalar) = self.program.types.scalar(expr.ty) {
            return Ok(Returned::Scalar(self.value(store, value)?, scalar.bits()));
        }
        match expr.kind {
            ExprKind::Read(place) => {
                let size = self.size(expr.ty)?;
                let address = self.address(store, place)?;
                Ok(Returned::Record(size, self.take(store, address, size)?))
            }
            ExprKind::Zero => {
                let size = self.size(expr.ty)?;
                Ok(Returned::Record(size, Rc::new([(0, size, Cell::Zero)])))
            }
            _ => self.unsupported("a value that is no scalar"),
        }
    }

    /// Stores a passed value in a place.
    pub(super) fn receive(&mut self, store: &mut Store<D>, place: PlaceId, passed: Returned<D::Value>) -> Result<()> {
        let ty = self.program.place(place).ty;
        match (self.program.types.scalar(ty), passed) {
            (Some(scalar), Returned::Scalar(value, width)) => {
                let value = if width == scalar.bits() {
                    value
                } else if width > scalar.bits() {
                    self.domain.extract(&value, width, 0, scalar.bits())
                } else {
                    return self.unsupported("a value of another type than expected");
                };
                match self.locate(store, place)? {
                    Located::Slot(variable) => {
                        self.write_slot(store, variable, value);
                        Ok(())
                    }
                    Located::Memory(address, bits) => self.write(store, address, scalar, bits, &value),
                }
            }
            (None, Returned::Record(_, runs)) => {
                let address = self.address(store, place)?;
                let size = self.size(ty)?;
                self.put(store, address, size, &runs)
            }
            (Some(scalar), Returned::Nothing) => {
                let value = self.fresh(store, scalar.bits(), InputSource::NoResult);
                self.receive(store, place, Returned::Scalar(value, scalar.bits()))
            }
            (None, Returned::Nothing) => {
                let size = self.size(ty)?;
                let address = self.address(store, place)?;
                self.put(store, address, size, &[(0, size, Cell::Undefined)])
            }
            (Some(_), Returned::Record(..)) | (None, Returned::Scalar(..)) => {
                self.unsupported("a value of another kind than expected")
            }
        }
    }

    fn enter(
        &mut self,
        flow: &Flow<'_>,
        store: &mut Store<D>,
        step: &Step,
        function: FunctionId,
        callee: &Callee,
        arguments: &[ExprId],
    ) -> Result<()> {
        self.goes_to(flow, store, callee, function)?;
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.passed(store, *argument)?);
        }
        let program = self.program;
        let Some(body) = &program.functions[function].body else {
            return self.unsupported("a call of a function without a body");
        };
        let named = body.parameters.len();
        if values.len() < named {
            return self.unsupported("a call with fewer arguments than the function has parameters");
        }
        let variadic: Rc<[Returned<D::Value>]> = values.split_off(named).into();
        self.push_frame(store, function, flow.stacks.instance(step.to.stack), variadic)?;
        for (parameter, value) in body.parameters.iter().zip(values) {
            self.set_parameter(store, *parameter, value)?;
        }
        Ok(())
    }

    fn set_parameter(&mut self, store: &mut Store<D>, parameter: VariableId, passed: Returned<D::Value>) -> Result<()> {
        let ty = self.program.variables[parameter].ty;
        let scalar = self.program.types.scalar(ty);
        match (scalar, passed) {
            (Some(scalar), Returned::Scalar(value, width)) if width >= scalar.bits() => {
                let value = match width == scalar.bits() {
                    true => value,
                    false => self.domain.extract(&value, width, 0, scalar.bits()),
                };
                if self.layout.homes[parameter] == Home::LocalObject {
                    let base = self.variable_base(store, parameter)?;
                    let size = u64::from(scalar.bits()).div_ceil(8);
                    self.write_at(store, base, 0, size, Cell::Value(value))
                } else {
                    self.write_slot(store, parameter, value);
                    Ok(())
                }
            }
            (None, Returned::Record(_, runs)) => {
                let base = self.variable_base(store, parameter)?;
                for (at, length, cell) in runs.iter() {
                    self.write_at(store, base, *at, *length, cell.clone())?;
                }
                Ok(())
            }
            (Some(_), Returned::Scalar(..) | Returned::Record(..) | Returned::Nothing)
            | (None, Returned::Scalar(..) | Returned::Nothing) => {
                self.unsupported("an argument of another type than the parameter")
            }
        }
    }

    fn leave(&mut self, store: &mut Store<D>, result: Option<PlaceId>) -> Result<()> {
        self.note_read(Touched::Returned);
        let Some(frame) = store.frames.pop() else { return self.unsupported("a return without a call") };
        for base in &frame.own {
            store.objects.remove(base);
        }
        let returned = store.returned.take().unwrap_or(Returned::Nothing);
        match result {
            Some(place) => self.receive(store, place, returned),
            None => Ok(()),
        }
    }

    /// Assumes that a call goes to this function.
    fn goes_to(&mut self, flow: &Flow<'_>, store: &mut Store<D>, callee: &Callee, function: FunctionId) -> Result<()> {
        let Callee::Pointer(pointer) = callee else { return Ok(()) };
        let value = self.value(store, *pointer)?;
        let width = self.pointer_width();
        let mut any = self.domain.guard(false);
        let meant = self.program.functions.ids().filter(|id| *id == function || flow.entered(*id) == Some(function));
        for id in meant.collect::<Vec<_>>() {
            let address = self.domain.constant(width, u128::from(Addresses::of_function(id)));
            let here = self.domain.equal(width, &value, &address);
            any = self.domain.or(&any, &here);
        }
        self.require(store, &any)
    }

    /// Where a call through a pointer may go.
    pub fn callees(&mut self, store: &Store<D>, edge: tandem_cfa::EdgeId) -> Callees {
        self.edge = edge;
        let program = self.program;
        let Op::Call { callee: Callee::Pointer(pointer), .. } = &program.edges[edge].op else {
            return Callees::Unknown;
        };
        let mut scratch = store.clone();
        let value = match self.value(&mut scratch, *pointer) {
            Ok(value) => value,
            // Undefined behaviour was remembered, anything else the step finds out again.
            Err(end) if end.clone().gap().is_none() => return Callees::These(Vec::new()),
            Err(_) => return Callees::Unknown,
        };
        let parts = self.domain.parts(self.addresses.width(), &value);
        let mut functions: Vec<FunctionId> = Vec::new();
        let mut elsewhere = false;
        for part in &parts.known {
            match self.addresses.function_at(part.address).filter(|_| part.rest.is_none()) {
                Some(function) => functions.push(function),
                None => elsewhere = true,
            }
        }
        if parts.otherwise.is_some() {
            let points_to = self.points_to();
            elsewhere |= !parts.unclear || points_to.targets(*pointer).outside;
            if parts.unclear {
                functions.extend(points_to.callees(edge));
            }
        }
        functions.sort_unstable();
        functions.dedup();
        match elsewhere || functions.is_empty() {
            true => Callees::TheseOrElsewhere(functions),
            false => Callees::These(functions),
        }
    }

    /// Assumes that a pointer points to no function of the program, and calls that a gap.
    fn goes_elsewhere(&mut self, store: &mut Store<D>, pointer: ExprId) -> Result<()> {
        let value = self.value(store, pointer)?;
        let width = self.pointer_width();
        let mut functions = self.points_to().callees(self.edge).to_vec();
        let parts = self.domain.parts(width, &value);
        functions.extend(parts.known.iter().filter_map(|part| self.addresses.function_at(part.address)));
        for function in functions {
            let address = self.domain.constant(width, u128::from(Addresses::of_function(function)));
            let here = self.domain.equal(width, &value, &address);
            let elsewhere = self.domain.not(&here);
            self.require(store, &elsewhere)?;
        }
        let targets = self.points_to().targets(pointer);
        if targets.outside {
            return self.unsupported("a call through a pointer that points to no function of the program");
        }
        // What the store does not know the points-to analysis does: the pointer is null, or the address of an object.
        if targets.sites.iter().all(|site| matches!(site, Site::Function(_))) {
            let null = self.domain.constant(width, 0);
            let is_null = self.domain.equal(width, &value, &null);
            self.require(store, &is_null)?;
        }
        self.undefined(store, "call through a pointer that points to no function")
    }

    fn builtin(
        &mut self,
        store: &mut Store<D>,
        builtin: Builtin,
        arguments: &[ExprId],
        result: Option<PlaceId>,
    ) -> Result<()> {
        match builtin {
            Builtin::Unreachable => self.undefined(store, "reaching what is promised to be unreachable"),
            Builtin::Trap => Err(PathEnd::Terminated),
            Builtin::VaEnd => Ok(()),
            Builtin::Alloca => {
                let size = match arguments.first() {
                    Some(size) => self.value(store, *size)?,
                    None => return self.unsupported("alloca without a size"),
                };
                let pointer = self.allocate(store, &size, Cell::Undefined)?;
                if let (Some(bits), Some(frame)) = (self.domain.known(&pointer), store.frames.last_mut()) {
                    Rc::make_mut(frame).own.push(bits as u64);
                }
                self.give(store, result, pointer)
            }
            Builtin::VaStart | Builtin::VaArg | Builtin::VaCopy => self.variadic(store, builtin, arguments, result),
        }
    }

    /// A `va_list` holds the depth of the call whose arguments it walks through, and the number of the next one.
    fn variadic(
        &mut self,
        store: &mut Store<D>,
        builtin: Builtin,
        arguments: &[ExprId],
        result: Option<PlaceId>,
    ) -> Result<()> {
        let width = self.pointer_width();
        let size = u64::from(width / 8);
        let Some(list) = arguments.first() else { return self.unsupported("a list of arguments that is missing") };
        let list = self.value(store, *list)?;
        let at = |pointer: &D::Value| Address::of_pointer(pointer.clone(), None);
        match builtin {
            Builtin::VaStart => {
                let first = self.domain.constant(width, (store.frames.len() as u128) << CALL);
                self.write_bytes(store, at(&list), size, &first)
            }
            Builtin::VaCopy => {
                let Some(from) = arguments.get(1) else {
                    return self.unsupported("a list of arguments that is missing");
                };
                let from = self.value(store, *from)?;
                let number = self.read_bytes(store, at(&from), size)?;
                self.write_bytes(store, at(&list), size, &number)
            }
            _ => {
                let number = self.read_bytes(store, at(&list), size)?;
                let Some(number) = self.domain.known(&number) else {
                    return self.unsupported("a variadic argument whose number is not known");
                };
                let (depth, index) = ((number >> CALL) as usize, (number & ((1 << CALL) - 1)) as usize);
                let frame = depth.checked_sub(1).and_then(|depth| store.frames.get(depth));
                let passed = match frame.map(|frame| (frame.variadic.first(), frame.variadic.get(index))) {
                    Some((Some(Returned::Nothing), _)) => {
                        return self.unsupported("a variadic argument of a call that is not known");
                    }
                    Some((_, Some(passed))) => passed.clone(),
                    Some((_, None)) | None => return self.undefined(store, "va_arg without an argument that is left"),
                };
                let next = self.domain.constant(width, number + 1);
                self.write_bytes(store, at(&list), size, &next)?;
                match result {
                    Some(place) => self.receive(store, place, passed),
                    None => Ok(()),
                }
            }
        }
    }

    /// Stores the result of a call.
    pub(super) fn give(&mut self, store: &mut Store<D>, result: Option<PlaceId>, value: D::Value) -> Result<()> {
        match result {
            Some(place) => {
                let scalar = self.program.types.scalar(self.program.place(place).ty);
                let width = scalar.map_or(0, |scalar| scalar.bits());
                self.receive(store, place, Returned::Scalar(value, width))
            }
            None => Ok(()),
        }
    }
}
