//! Expressions: their values in a store.

use tandem_cfa::exec::InputSource;
use tandem_cfa::{BinaryOp, ExprId, ExprKind, Scalar, VariableId, VariableKind};

use super::address::Addresses;
use super::cells::Cell;
use super::domain::{Domain, StartKey};
use super::layout::Home;
use super::place::Located;
use super::{Executor, Result, Store, Touched};
use std::rc::Rc;

/// What a division without a result is called.
const DIVISION: &str = "division by zero, or of the smallest number by -1";

impl<D: Domain> Executor<'_, D> {
    /// The value of a scalar expression. Reading what was never written makes it an input, which the store then holds.
    pub fn value(&mut self, store: &mut Store<D>, id: ExprId) -> Result<D::Value> {
        let expr = self.program.expr(id);
        let Some(scalar) = self.program.types.scalar(expr.ty) else {
            return self.unsupported("a value that is no scalar");
        };
        Ok(match expr.kind {
            ExprKind::Bits(bits) => self.domain.constant(scalar.bits(), u128::from(bits)),
            ExprKind::Wide(wide) => self.domain.constant(scalar.bits(), self.program.wide(wide)),
            ExprKind::Zero => self.domain.constant(scalar.bits(), 0),
            ExprKind::Read(place) => match self.locate(store, place)? {
                Located::Slot(variable) => self.read_slot(store, variable)?,
                Located::Memory(address, bits) => self.read(store, address, scalar, bits)?,
            },
            ExprKind::AddressOf(place) => {
                let address = self.address(store, place)?;
                self.address_value(address)
            }
            ExprKind::Function(function) => {
                self.domain.constant(scalar.bits(), u128::from(Addresses::of_function(function)))
            }
            ExprKind::Unary(op, operand) => {
                let from = self.scalar_of(operand)?;
                let value = self.value(store, operand)?;
                self.check_unary(store, op, from, &value)?;
                self.domain.unary(op, from, &value)
            }
            ExprKind::Binary(op, left, right) => self.binary(store, op, left, right)?,
            ExprKind::Convert(operand) => {
                let from = self.scalar_of(operand)?;
                let value = self.value(store, operand)?;
                self.check_conversion(store, from, scalar, &value)?;
                if let (Scalar::Pointer { .. }, Scalar::Int { bits, .. }, false) = (from, scalar, D::SYMBOLIC) {
                    // These domains cannot tell an address from a number: it is any number, unless the pointer is null.
                    let null = self.domain.known(&value) == Some(0);
                    return Ok(if null { self.domain.constant(bits, 0) } else { self.domain.any(bits) });
                }
                if from == scalar { value } else { self.domain.convert(from, scalar, &value) }
            }
            ExprKind::Intrinsic(intrinsic, first, second) => {
                let from = self.scalar_of(first)?;
                let a = self.value(store, first)?;
                let b = second.map(|second| self.value(store, second)).transpose()?;
                self.domain.intrinsic(intrinsic, from, &a, b.as_ref())
            }
        })
    }

    pub fn scalar_of(&self, id: ExprId) -> Result<Scalar> {
        match self.program.types.scalar(self.program.expr(id).ty) {
            Some(scalar) => Ok(scalar),
            None => self.unsupported("a value that is no scalar"),
        }
    }

    fn binary(&mut self, store: &mut Store<D>, op: BinaryOp, left: ExprId, right: ExprId) -> Result<D::Value> {
        let (first, second) = (self.scalar_of(left)?, self.scalar_of(right)?);
        let a = self.value(store, left)?;
        let b = self.value(store, right)?;
        self.check_binary(store, op, (first, second), (&a, &b))?;
        let stride = match op {
            BinaryOp::PointerAdd | BinaryOp::PointerSub | BinaryOp::PointerDiff => self.stride(left)?,
            _ => 1,
        };
        let (value, defined) = self.domain.binary(op, first, second, &a, &b, stride);
        if let Some(defined) = defined {
            match self.domain.decided(&defined) {
                Some(true) => {}
                Some(false) => return self.undefined(store, DIVISION),
                None => {
                    let undefined = self.domain.not(&defined);
                    self.note_undefined(store, DIVISION, Some(undefined));
                    self.require(store, &defined)?;
                }
            }
        }
        Ok(value)
    }

    /// The size of what a pointer points to, by which its arithmetic is scaled.
    fn stride(&self, pointer: ExprId) -> Result<u64> {
        let types = &self.program.types;
        let Some(to) = types.pointee(self.program.expr(pointer).ty) else {
            return self.unsupported("arithmetic on what is no pointer");
        };
        match types.get(to) {
            tandem_cfa::types::Type::Void | tandem_cfa::types::Type::Function(_) => Ok(1),
            _ => match types.size(to) {
                Some(size) => Ok(size),
                None => self.unsupported("arithmetic on a pointer to something of unknown size"),
            },
        }
    }

    pub fn truth(&mut self, store: &mut Store<D>, id: ExprId) -> Result<D::Guard> {
        let scalar = self.scalar_of(id)?;
        let value = self.value(store, id)?;
        Ok(self.domain.truth(scalar, &value))
    }

    /// The value of a variable that is not in memory.
    pub fn read_slot(&mut self, store: &mut Store<D>, variable: VariableId) -> Result<D::Value> {
        let width = self.slot_width(variable)?;
        let home = self.layout.homes[variable];
        if self.trace.is_some() {
            let touched = self.slot_touched(store, variable);
            self.note_read(touched);
        }
        let cell = match home {
            Home::StaticSlot(slot) => store.statics[slot as usize].clone(),
            Home::FrameSlot(slot) => match store.frames.last() {
                Some(frame) => frame.slots[slot as usize].clone(),
                None => return self.unsupported("a local outside of every call"),
            },
            Home::StaticObject | Home::LocalObject => return self.unsupported("a variable in memory taken as a slot"),
        };
        let value = match cell {
            Cell::Value(value) => return Ok(value),
            Cell::Unknown => return Ok(self.domain.any(width)),
            Cell::Zero => return Ok(self.domain.constant(width, 0)),
            Cell::Start => {
                let depth = match home {
                    Home::FrameSlot(_) => store.frames.len() as u32,
                    _ => 0,
                };
                return Ok(self.domain.start_value(StartKey::Slot { depth, variable }, width));
            }
            Cell::Undefined => self.fresh(store, width, InputSource::Variable(variable)),
        };
        let value = self.fit_bool(value, variable);
        self.write_slot(store, variable, value.clone());
        Ok(value)
    }

    /// A `_Bool` that nobody wrote is still zero or one.
    fn fit_bool(&mut self, value: D::Value, variable: VariableId) -> D::Value {
        match self.program.types.scalar(self.program.variables[variable].ty) {
            Some(Scalar::Bool) => {
                let bit = self.domain.extract(&value, 8, 0, 1);
                let zeros = self.domain.constant(7, 0);
                self.domain.concat((&zeros, 7), (&bit, 1))
            }
            _ => value,
        }
    }

    /// What a start symbol stands for in a store; nothing where that is undefined.
    pub fn start_key_value(&mut self, store: &mut Store<D>, key: StartKey) -> Option<D::Value> {
        match key {
            StartKey::Slot { depth, variable } => {
                let width = self.slot_width(variable).ok()?;
                let cell = match self.layout.homes[variable] {
                    Home::StaticSlot(slot) => store.statics[slot as usize].clone(),
                    Home::FrameSlot(slot) => {
                        store.frames.get(depth.checked_sub(1)? as usize)?.slots.get(slot as usize)?.clone()
                    }
                    Home::StaticObject | Home::LocalObject => return None,
                };
                match cell {
                    Cell::Value(value) => Some(value),
                    Cell::Zero => Some(self.domain.constant(width, 0)),
                    Cell::Start => Some(self.domain.start_value(key, width)),
                    Cell::Undefined | Cell::Unknown => None,
                }
            }
            StartKey::Cell { object, offset, size } => {
                let base = self.addresses.base(object, None)?;
                if !store.objects.contains_key(&base) && !self.appear(store, base, object).ok()? {
                    return None;
                }
                self.read_at(store, base, offset, size).ok()
            }
            StartKey::Elements { object, size } => {
                let base = self.addresses.base(object, None)?;
                if !store.objects.contains_key(&base) && !self.appear(store, base, object).ok()? {
                    return None;
                }
                self.as_elements(store, base, size).ok()
            }
        }
    }

    pub fn slot_width(&self, variable: VariableId) -> Result<u32> {
        match self.program.types.scalar(self.program.variables[variable].ty) {
            Some(scalar) => Ok(scalar.bits()),
            None => self.unsupported("a variable that is no scalar and not in memory"),
        }
    }

    pub fn write_slot(&mut self, store: &mut Store<D>, variable: VariableId, value: D::Value) {
        self.set_slot(store, variable, Cell::Value(value));
    }

    pub(super) fn set_slot(&mut self, store: &mut Store<D>, variable: VariableId, cell: Cell<D::Value>) {
        if self.trace.is_some() {
            let touched = self.slot_touched(store, variable);
            self.note_write(touched);
        }
        match self.layout.homes[variable] {
            Home::StaticSlot(slot) => Rc::make_mut(&mut store.statics)[slot as usize] = cell,
            Home::FrameSlot(slot) => {
                if let Some(frame) = store.frames.last_mut() {
                    Rc::make_mut(frame).slots[slot as usize] = cell;
                }
            }
            Home::StaticObject | Home::LocalObject => {}
        }
    }

    /// The slot of a variable, as seen from the innermost call.
    fn slot_touched(&self, store: &Store<D>, variable: VariableId) -> Touched {
        let depth = match self.layout.homes[variable] {
            Home::FrameSlot(_) => store.frames.len() as u32,
            Home::StaticSlot(_) | Home::StaticObject | Home::LocalObject => 0,
        };
        Touched::Slot { depth, variable }
    }

    /// An input.
    pub(super) fn fresh(&mut self, store: &mut Store<D>, width: u32, source: InputSource) -> D::Value {
        let value = self.domain.input(&mut store.path, width, source, self.edge);
        self.note_unwritten(source, &value);
        value
    }

    /// Tells the domain if a value is one of memory that the program never wrote. A variable that is defined elsewhere was written
    /// there.
    pub(super) fn note_unwritten(&mut self, source: InputSource, value: &D::Value) {
        let is_unwritten = match source {
            InputSource::Variable(variable) => self.program.variables[variable].kind != VariableKind::External,
            InputSource::Memory | InputSource::NoResult => true,
            InputSource::Function(_) => false,
        };
        if is_unwritten {
            self.domain.note_unwritten(value);
        }
    }
}
