//! Functions without a body: inputs, and the library functions that are carried out natively.

use std::rc::Rc;

use tandem_cfa::exec::InputSource;
use tandem_cfa::library::{ANYTHING, Contract, Kind, Output, Primitive, shown_name};
use tandem_cfa::semantics::{RoundedOperation, RoundingDirection};
use tandem_cfa::{ExprId, FunctionId, PlaceId, Scalar, semantics};

use super::address::ObjectKey;
use super::cells::{Cell, Cells};
use super::domain::{Domain, Part};
use super::place::Address;
use super::{Executor, Object, PathEnd, Result, Returned, Size, Store, Touched};

const TOO_LARGE: &str = "allocation of more memory than can be";
const INVALID_FREE: &str = "free of what is not the start of a live allocation";

impl<D: Domain> Executor<'_, D> {
    pub(super) fn library_call(
        &mut self,
        store: &mut Store<D>,
        function: FunctionId,
        arguments: &[ExprId],
        result: Option<PlaceId>,
    ) -> Result<()> {
        match self.kinds[function] {
            Kind::Unknown => self.bounded_result(store, ANYTHING, function, result),
            Kind::Intrinsic(intrinsic) => self.intrinsic_call(store, intrinsic, arguments, result),
            Kind::Library(primitive) => self.primitive(store, primitive, function, arguments, result),
            Kind::Body | Kind::Model(_) | Kind::Error | Kind::Missing => {
                self.unsupported("a call of a function that has a body")
            }
        }
    }

    fn intrinsic_call(
        &mut self,
        store: &mut Store<D>,
        intrinsic: tandem_cfa::Intrinsic,
        arguments: &[ExprId],
        result: Option<PlaceId>,
    ) -> Result<()> {
        let Some(first) = arguments.first() else { return self.too_few_arguments() };
        let scalar = self.scalar_of(*first)?;
        let a = self.value(store, *first)?;
        let b = arguments.get(1).map(|second| self.value(store, *second)).transpose()?;
        let value = self.domain.intrinsic(intrinsic, scalar, &a, b.as_ref());
        let from = semantics::intrinsic_result(intrinsic, scalar);
        let to = result.and_then(|place| self.program.types.scalar(self.program.place(place).ty)).unwrap_or(from);
        let value = if from == to { value } else { self.domain.convert(from, to, &value) };
        self.give(store, result, value)
    }

    /// An input as the result, with what the contract says of it.
    fn bounded_result(
        &mut self,
        store: &mut Store<D>,
        contract: Contract,
        function: FunctionId,
        result: Option<PlaceId>,
    ) -> Result<()> {
        let ty = match self.program.types.get(self.program.functions[function].ty) {
            tandem_cfa::types::Type::Function(function) => Some(function.result),
            _ => None,
        };
        let place_type = result.map(|place| self.program.place(place).ty);
        let Some(ty) = place_type.or(ty) else { return Ok(()) };
        match self.program.types.scalar(ty) {
            Some(scalar) => {
                let source = InputSource::Function(function);
                let value = match scalar {
                    Scalar::Bool => {
                        let bit = self.fresh(store, 1, source);
                        let zeros = self.domain.constant(7, 0);
                        self.domain.concat((&zeros, 7), (&bit, 1))
                    }
                    _ => self.fresh(store, scalar.bits(), source),
                };
                self.keep_contract(store, contract, scalar, &value)?;
                self.give(store, result, value)
            }
            None => match result {
                Some(place) => self.receive(store, place, Returned::Nothing),
                None => Ok(()),
            },
        }
    }

    /// Takes for granted that the value is in the range of the contract.
    fn keep_contract(
        &mut self,
        store: &mut Store<D>,
        contract: Contract,
        scalar: Scalar,
        value: &D::Value,
    ) -> Result<()> {
        let Some((least, greatest)) = contract.within(scalar).and_then(|contract| contract.range) else {
            return Ok(());
        };
        let width = scalar.bits();
        let mask = semantics::mask(width);
        let least_value = self.domain.constant(width, least as i128 as u128 & mask);
        let distance = self.domain.subtract(width, value, &least_value);
        let size = (i128::from(greatest) - i128::from(least)) as u128 & mask;
        let size = self.domain.constant(width, size);
        let within = self.domain.at_most(width, &distance, &size);
        self.require(store, &within)
    }

    fn argument(&mut self, store: &mut Store<D>, arguments: &[ExprId], number: usize) -> Result<D::Value> {
        match arguments.get(number) {
            Some(argument) => self.value(store, *argument),
            None => self.too_few_arguments(),
        }
    }

    fn too_few_arguments<T>(&self) -> Result<T> {
        self.unsupported("a call of a library function with too few arguments")
    }

    /// An argument as a `size_t`.
    fn size_argument(&mut self, store: &mut Store<D>, arguments: &[ExprId], number: usize) -> Result<D::Value> {
        let Some(argument) = arguments.get(number) else { return self.too_few_arguments() };
        let scalar = self.scalar_of(*argument)?;
        let value = self.value(store, *argument)?;
        let width = self.pointer_width();
        Ok(if scalar.bits() == width {
            value
        } else {
            self.domain.convert(scalar, Scalar::Int { bits: width, signed: scalar.is_signed() }, &value)
        })
    }

    fn primitive(
        &mut self,
        store: &mut Store<D>,
        primitive: Primitive,
        function: FunctionId,
        arguments: &[ExprId],
        result: Option<PlaceId>,
    ) -> Result<()> {
        match primitive {
            Primitive::Nondet => self.bounded_result(store, ANYTHING, function, result),
            Primitive::Assume => {
                let Some(condition) = arguments.first() else { return self.too_few_arguments() };
                let guard = self.truth(store, *condition)?;
                self.require(store, &guard)
            }
            Primitive::AssertFail | Primitive::Abort | Primitive::Exit => Err(PathEnd::Terminated),
            Primitive::Malloc => {
                let size = self.size_argument(store, arguments, 0)?;
                let pointer = self.allocate(store, &size, Cell::Undefined)?;
                self.give(store, result, pointer)
            }
            Primitive::Calloc => self.calloc(store, arguments, result),
            Primitive::Realloc => self.realloc(store, arguments, result),
            Primitive::Free => {
                let pointer = self.argument(store, arguments, 0)?;
                self.free(store, &pointer)
            }
            Primitive::MemCopy | Primitive::MemMove => self.copy(store, arguments, result),
            Primitive::MemSet => self.fill(store, arguments, result),
            Primitive::Printf(output) | Primitive::PrintfList(output) => {
                self.print(store, output, function, arguments, result)
            }
            Primitive::Math(_) => self.unknown_result(store, result),
            Primitive::FusedMultiplyAdd => {
                let nearest = Some(RoundingDirection::Nearest);
                self.rounded(store, RoundedOperation::MultiplyAdd, nearest, arguments, result)
            }
            Primitive::Rounded(operation) => self.rounded(store, operation, None, arguments, result),
            Primitive::Contract(contract) => self.bounded_result(store, contract, function, result),
            Primitive::Unmodelled => {
                let name = &self.program.functions[function].name;
                self.unsupported(format!("call of {}", shown_name(name)))
            }
        }
    }

    /// An operation that rounds once. Without a direction the first argument is the mode.
    fn rounded(
        &mut self,
        store: &mut Store<D>,
        operation: RoundedOperation,
        direction: Option<RoundingDirection>,
        arguments: &[ExprId],
        result: Option<PlaceId>,
    ) -> Result<()> {
        let operands = if direction.is_some() { arguments } else { arguments.get(1..).unwrap_or_default() };
        if operands.len() < operation.operands() {
            return self.too_few_arguments();
        }
        let Some(to) = result.and_then(|place| self.program.types.scalar(self.program.place(place).ty)) else {
            return Ok(());
        };
        let mut from = to;
        let mut values = Vec::with_capacity(operands.len());
        for operand in &operands[..operation.operands()] {
            let scalar = self.scalar_of(*operand)?;
            let value = self.value(store, *operand)?;
            match operation {
                RoundedOperation::Convert => from = scalar,
                _ if scalar != to => {
                    return self.unsupported("a float operation on another type than that of its result");
                }
                _ => {}
            }
            values.push(value);
        }
        let value = match direction {
            Some(direction) => self.domain.rounded(operation, direction, from, to, &values),
            None => {
                let mode = self.argument(store, arguments, 0)?;
                self.rounded_by_mode(operation, &mode, (from, to), &values)
            }
        };
        self.give(store, result, value)
    }

    /// The same in a mode that may not be known: one of those that can be set.
    fn rounded_by_mode(
        &mut self,
        operation: RoundedOperation,
        mode: &D::Value,
        (from, to): (Scalar, Scalar),
        values: &[D::Value],
    ) -> D::Value {
        if let Some(direction) = self.domain.known(mode).and_then(RoundingDirection::of_mode) {
            return self.domain.rounded(operation, direction, from, to, values);
        }
        if !D::SYMBOLIC {
            return self.domain.any(to.bits());
        }
        let [nearest, others @ ..] = RoundingDirection::ALL;
        let mut value = self.domain.rounded(operation, nearest, from, to, values);
        for direction in others {
            let number = self.domain.constant(32, direction.mode());
            let is_set = self.domain.equal(32, mode, &number);
            let rounded = self.domain.rounded(operation, direction, from, to, values);
            value = self.domain.choose(&is_set, &rounded, &value);
        }
        value
    }

    /// Some value of the result's type.
    fn unknown_result(&mut self, store: &mut Store<D>, result: Option<PlaceId>) -> Result<()> {
        let Some(place) = result else { return Ok(()) };
        let Some(scalar) = self.program.types.scalar(self.program.place(place).ty) else {
            return self.unsupported("a result that is no scalar");
        };
        let value = self.domain.any(scalar.bits());
        self.give(store, result, value)
    }

    /// Output changes no memory, unless it goes into a buffer.
    fn print(
        &mut self,
        store: &mut Store<D>,
        output: Output,
        function: FunctionId,
        _arguments: &[ExprId],
        result: Option<PlaceId>,
    ) -> Result<()> {
        match output {
            Output::Buffer | Output::BoundedBuffer | Output::Allocated => {
                self.unsupported(format!("call of {}", self.program.functions[function].name))
            }
            Output::Stdout
            | Output::Stream
            | Output::Line
            | Output::Character
            | Output::Text
            | Output::Block
            | Output::Message => self.unknown_result(store, result),
        }
    }

    /// A new object of the heap; its address.
    pub(super) fn allocate(
        &mut self,
        store: &mut Store<D>,
        size: &D::Value,
        contents: Cell<D::Value>,
    ) -> Result<D::Value> {
        let known = self.domain.known(size).map(|bits| bits as u64);
        if known.is_some_and(|size| size > 1 << 31) {
            return self.undefined(store, TOO_LARGE);
        }
        if known.is_none() && D::SYMBOLIC {
            let width = self.pointer_width();
            let most = self.domain.constant(width, u128::from(u64::MAX >> (65 - width)));
            let fits = self.domain.at_most(width, size, &most);
            let when = self.domain.not(&fits);
            self.note_undefined(store, TOO_LARGE, Some(when));
        }
        let number = match self.unique_allocations {
            true => &mut self.allocations,
            false => &mut store.allocations,
        };
        *number += 1;
        let number = *number;
        let class = known.map_or(24, |size| size.max(1).next_power_of_two().trailing_zeros().max(12)) as u8;
        let reserved = 1u64 << class;
        let Some(base) = self.addresses.base(ObjectKey::Heap(number, class), Some(reserved)) else {
            return self.unsupported("no room for another object");
        };
        let size = known.map_or_else(|| Size::Value(size.clone()), Size::Known);
        let width = self.pointer_width();
        let mut object = Object::new(size, false, Cells::new(contents));
        object.site = Some(self.edge);
        let mut address = self.domain.constant(width, u128::from(base));
        if store.from_anywhere {
            address = self.domain.symbolic_base(width, base);
            object.address = Some(address.clone());
            self.is_new(store, &address)?;
        }
        self.note_write(Touched::Object(base));
        store.objects.insert(base, Rc::new(object));
        Ok(address)
    }

    /// The address of a new object is not null, and no other object that is known lies there.
    fn is_new(&mut self, store: &mut Store<D>, address: &D::Value) -> Result<()> {
        let width = self.pointer_width();
        let lowest = self.domain.constant(width, u128::from(super::address::HEAP));
        let high = self.domain.at_most(width, &lowest, address);
        self.require(store, &high)?;
        let others: Vec<D::Value> = store.objects.values().filter_map(|object| object.address.clone()).collect();
        for other in others {
            let same = self.domain.equal(width, address, &other);
            let differs = self.domain.not(&same);
            self.require(store, &differs)?;
        }
        Ok(())
    }

    fn calloc(&mut self, store: &mut Store<D>, arguments: &[ExprId], result: Option<PlaceId>) -> Result<()> {
        let count = self.size_argument(store, arguments, 0)?;
        let size = self.size_argument(store, arguments, 1)?;
        let width = self.pointer_width();
        let bytes = match (self.domain.known(&count), self.domain.known(&size)) {
            (Some(count), Some(size)) => match count.checked_mul(size) {
                Some(bytes) if bytes <= semantics::mask(width) => self.domain.constant(width, bytes),
                _ => {
                    let null = self.domain.constant(width, 0);
                    return self.give(store, result, null);
                }
            },
            (None, Some(size)) if size < 1 << 16 => self.domain.multiply(width, &count, size as u64),
            (Some(count), None) if count < 1 << 16 => self.domain.multiply(width, &size, count as u64),
            _ => return self.unsupported("calloc of a size that is not known"),
        };
        let pointer = self.allocate(store, &bytes, Cell::Zero)?;
        self.give(store, result, pointer)
    }

    fn realloc(&mut self, store: &mut Store<D>, arguments: &[ExprId], result: Option<PlaceId>) -> Result<()> {
        let old = self.argument(store, arguments, 0)?;
        let size = self.size_argument(store, arguments, 1)?;
        match self.domain.known(&old) {
            Some(0) => {
                let pointer = self.allocate(store, &size, Cell::Undefined)?;
                self.give(store, result, pointer)
            }
            Some(address) => {
                let base = address as u64;
                let before = match store.objects.get(&base).map(|object| object.size.clone()) {
                    Some(Size::Known(size)) => size,
                    Some(Size::Value(_)) => return self.unsupported("realloc of an object whose size is not known"),
                    None => return self.undefined(store, INVALID_FREE),
                };
                let Some(after) = self.domain.known(&size).map(|bits| bits as u64) else {
                    return self.unsupported("realloc to a size that is not known");
                };
                if after == 0 {
                    self.free(store, &old)?;
                    let null = self.domain.constant(self.addresses.width(), 0);
                    return self.give(store, result, null);
                }
                let pointer = self.allocate(store, &size, Cell::Undefined)?;
                let from = Address::of_pointer(old.clone(), arguments.first().copied());
                let runs = self.take(store, from, before.min(after))?;
                let to = Address::of_pointer(pointer.clone(), None);
                self.put(store, to, before.min(after), &runs)?;
                self.free(store, &old)?;
                self.give(store, result, pointer)
            }
            None => self.unsupported("realloc of a pointer that is not known"),
        }
    }

    fn free(&mut self, store: &mut Store<D>, pointer: &D::Value) -> Result<()> {
        let width = self.pointer_width();
        let parts = self.domain.parts(width, pointer);
        // Freed memory is not given out again: that an object is dead matters only to what would be undefined, so when
        // it is not known which one is freed, all stay alive.
        if let ([part], None) = (parts.known.as_slice(), &parts.otherwise) {
            if part.guard.is_none() && part.rest.is_none() {
                return match self.may_be_freed(store, part) {
                    true => {
                        store.objects.remove(&part.address);
                        Ok(())
                    }
                    false => self.undefined(store, INVALID_FREE),
                };
            }
        }
        self.unclear_bounds = true;
        for part in parts.known.iter().filter(|part| part.rest.is_none()) {
            if !self.may_be_freed(store, part) {
                self.note_undefined(store, INVALID_FREE, part.guard.clone());
            }
        }
        Ok(())
    }

    /// Whether the address of a part is null or the start of a live object of the heap.
    fn may_be_freed(&self, store: &Store<D>, part: &Part<D>) -> bool {
        let is_heap = matches!(self.addresses.key(part.address), Some(ObjectKey::Heap(..)));
        part.address == 0 || is_heap && (store.from_anywhere || store.objects.contains_key(&part.address))
    }

    fn copy(&mut self, store: &mut Store<D>, arguments: &[ExprId], result: Option<PlaceId>) -> Result<()> {
        let to = self.argument(store, arguments, 0)?;
        let from = self.argument(store, arguments, 1)?;
        let size = self.size_argument(store, arguments, 2)?;
        let Some(size) = self.domain.known(&size) else {
            if !D::SYMBOLIC {
                self.spoil(store, &to, arguments.first().copied())?;
                return self.give(store, result, to);
            }
            return self.unsupported("copy of a number of bytes that is not known");
        };
        if size > 0 {
            let source = Address::of_pointer(from, arguments.get(1).copied());
            let runs = self.take(store, source, size as u64)?;
            let target = Address::of_pointer(to.clone(), arguments.first().copied());
            self.put(store, target, size as u64, &runs)?;
        }
        self.give(store, result, to)
    }

    fn fill(&mut self, store: &mut Store<D>, arguments: &[ExprId], result: Option<PlaceId>) -> Result<()> {
        let to = self.argument(store, arguments, 0)?;
        let value = self.argument(store, arguments, 1)?;
        let size = self.size_argument(store, arguments, 2)?;
        let width = arguments.get(1).map_or(Ok(32), |argument| self.scalar_of(*argument).map(Scalar::bits))?;
        let Some(size) = self.domain.known(&size).map(|size| size as u64) else {
            if !D::SYMBOLIC {
                self.spoil(store, &to, arguments.first().copied())?;
                return self.give(store, result, to);
            }
            return self.unsupported("a number of bytes to fill that is not known");
        };
        if size > 0 {
            let byte = self.domain.extract(&value, width, 0, 8);
            let runs: Vec<_> = match self.domain.known(&byte) {
                Some(0) => vec![(0, size, Cell::Zero)],
                _ if size > 1 << 16 => return self.unsupported("a large fill"),
                _ => (0..size).map(|at| (at, 1, Cell::Value(byte.clone()))).collect(),
            };
            let target = Address::of_pointer(to.clone(), arguments.first().copied());
            self.put(store, target, size, &runs)?;
        }
        self.give(store, result, to)
    }
}
