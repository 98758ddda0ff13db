//! Places: from the place of an expression to a slot or to addresses.

use tandem_cfa::types::BitRange;
use tandem_cfa::{ExprId, PlaceId, PlaceKind, VariableId};

use super::address::ObjectKey;
use super::bytes::DEAD_OBJECT;
use super::domain::Domain;
use super::layout::Home;
use super::{Executor, Result, Store};

/// Where a place is.
pub(super) enum Located<V> {
    Slot(VariableId),
    Memory(Address<V>, Option<BitRange>),
}

/// An address that is not yet looked up.
pub(super) struct Address<V> {
    pub root: Root<V>,
    /// Bytes from there on.
    pub constant: u64,
    pub offset: Option<V>,
    /// The expression that the pointer is the value of, if there is one.
    pub expr: Option<ExprId>,
}

pub(super) enum Root<V> {
    /// The start of an object.
    Object(u64),
    Pointer(V),
}

impl<V> Address<V> {
    /// What a pointer points to.
    pub fn of_pointer(pointer: V, expr: Option<ExprId>) -> Address<V> {
        Address { root: Root::Pointer(pointer), constant: 0, offset: None, expr }
    }
}

impl<D: Domain> Executor<'_, D> {
    pub(super) fn locate(&mut self, store: &mut Store<D>, id: PlaceId) -> Result<Located<D::Value>> {
        let place = self.program.place(id);
        Ok(match place.kind {
            PlaceKind::Variable(variable) => match self.layout.homes[variable] {
                Home::StaticSlot(_) | Home::FrameSlot(_) => Located::Slot(variable),
                Home::StaticObject if self.program.types.size(place.ty).is_none() => {
                    // Its address is as good as any other; an access finds out that there is no object.
                    let Some(base) = self.addresses.base(ObjectKey::Static(variable), None) else {
                        return self.unsupported("no room for another object");
                    };
                    let pointer = self.domain.constant(self.pointer_width(), u128::from(base));
                    Located::Memory(Address::of_pointer(pointer, None), None)
                }
                Home::StaticObject | Home::LocalObject => {
                    let base = self.variable_base(store, variable)?;
                    Located::Memory(Address { root: Root::Object(base), constant: 0, offset: None, expr: None }, None)
                }
            },
            PlaceKind::Deref(pointer) => {
                let value = self.value(store, pointer)?;
                Located::Memory(Address::of_pointer(value, Some(pointer)), None)
            }
            PlaceKind::Field(base, record, field) => {
                let field = &self.program.types.records[record].fields[field as usize];
                let (offset, bits) = (field.offset, field.bits);
                let mut address = self.address(store, base)?;
                address.constant = address.constant.wrapping_add(offset);
                Located::Memory(address, bits)
            }
            PlaceKind::Index(base, index) => {
                let Some(size) = self.program.types.size(place.ty) else {
                    return self.unsupported("index of elements whose size is not known");
                };
                let mut address = self.address(store, base)?;
                self.add_index(store, &mut address, index, size)?;
                Located::Memory(address, None)
            }
        })
    }

    fn add_index(
        &mut self,
        store: &mut Store<D>,
        address: &mut Address<D::Value>,
        index: ExprId,
        size: u64,
    ) -> Result<()> {
        let width = self.pointer_width();
        let Some(scalar) = self.program.types.scalar(self.program.expr(index).ty) else {
            return self.unsupported("index of no scalar type");
        };
        let value = self.value(store, index)?;
        let wide = tandem_cfa::Scalar::Int { bits: width, signed: scalar.is_signed() };
        let value = if scalar.bits() == width { value } else { self.domain.convert(scalar, wide, &value) };
        match self.domain.known(&value) {
            Some(bits) => {
                let signed = tandem_cfa::semantics::sign_extend(bits, width) as i64;
                address.constant = address.constant.wrapping_add((signed as u64).wrapping_mul(size));
            }
            None => {
                let scaled = self.domain.multiply(width, &value, size);
                address.offset = Some(match &address.offset {
                    Some(before) => self.domain.add(width, before, &scaled),
                    None => scaled,
                });
            }
        }
        Ok(())
    }

    /// The address of a place that is in memory.
    pub(super) fn address(&mut self, store: &mut Store<D>, id: PlaceId) -> Result<Address<D::Value>> {
        match self.locate(store, id)? {
            Located::Memory(address, None) => Ok(address),
            Located::Memory(_, Some(_)) => self.unsupported("address of a bit-field"),
            Located::Slot(_) => self.unsupported("address of a variable that is not in memory"),
        }
    }

    /// The address as a value.
    pub(super) fn address_value(&mut self, address: Address<D::Value>) -> D::Value {
        let width = self.pointer_width();
        let mut value = match address.root {
            Root::Object(base) => {
                let constant = base.wrapping_add(address.constant);
                self.domain.constant(width, u128::from(constant) & tandem_cfa::semantics::mask(width))
            }
            Root::Pointer(pointer) if address.constant == 0 => pointer,
            Root::Pointer(pointer) => {
                let constant = self.domain.constant(width, u128::from(address.constant));
                self.domain.add(width, &pointer, &constant)
            }
        };
        if let Some(offset) = address.offset {
            value = self.domain.add(width, &value, &offset);
        }
        value
    }

    /// The address of a variable's object, which appears if it was not touched yet.
    pub(super) fn variable_base(&mut self, store: &mut Store<D>, variable: VariableId) -> Result<u64> {
        let instance = store.frames.last().map_or(0, |frame| frame.instance);
        let key = match self.layout.homes[variable] {
            Home::StaticObject | Home::StaticSlot(_) => ObjectKey::Static(variable),
            Home::LocalObject | Home::FrameSlot(_) => ObjectKey::Local(variable, instance),
        };
        let size = self.program.types.size(self.program.variables[variable].ty);
        let Some(base) = self.addresses.base(key, size) else {
            return self.unsupported("no room for another object");
        };
        if !store.objects.contains_key(&base) && !self.appear(store, base, key)? {
            return self.undefined(store, DEAD_OBJECT);
        }
        Ok(base)
    }
}

impl<D: Domain> Executor<'_, D> {
    /// Stores what was found out about the value of a place, if it is certain which place that is.
    pub fn learn(&mut self, store: &mut Store<D>, place: PlaceId, value: D::Value) -> Result<()> {
        let Some(scalar) = self.program.types.scalar(self.program.place(place).ty) else { return Ok(()) };
        let (address, bits) = match self.locate(store, place)? {
            Located::Slot(variable) => {
                self.write_slot(store, variable, value);
                return Ok(());
            }
            Located::Memory(address, bits) => (address, bits),
        };
        let base = match &address.root {
            Root::Object(base) => Some(*base),
            Root::Pointer(pointer) => self.domain.known(pointer).and_then(|bits| {
                let at = (bits as u64).wrapping_add(address.constant)
                    & tandem_cfa::semantics::mask(self.pointer_width()) as u64;
                self.addresses.nearest(at)
            }),
        };
        let writable = base.and_then(|base| store.objects.get(&base)).is_some_and(|object| !object.read_only);
        match address.offset.is_none() && writable {
            true => self.write(store, address, scalar, bits, &value),
            false => Ok(()),
        }
    }
}
