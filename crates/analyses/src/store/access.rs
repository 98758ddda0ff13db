//! Reading and writing memory: where an access goes, and what it means at offsets that are not known. The bytes themselves are in
//! `bytes`.

use tandem_cfa::points_to::{Site, Targets};
use tandem_cfa::types::BitRange;
use tandem_cfa::{ExprId, Scalar};

use super::address::ObjectKey;
use super::bytes::DEAD_OBJECT;
use super::cells::{Cell, Cells};
use super::domain::Domain;
use super::layout::Home;
use super::place::{Address, Root};
use super::{Executor, PathEnd, Result, Size, Store, Touched, changed};

/// How many places an access at an unknown offset may be spread over, one by one.
const SPREAD: u64 = 64;
/// What an access that goes to no object is called.
const NO_OBJECT: &str = "access through a pointer to no object";
/// How many objects an access through an unknown pointer may be spread over.
const POSSIBLE: usize = 48;
/// How many elements are made from runs at most.
pub(super) const ELEMENTS: u64 = 1 << 17;

/// When an access goes to none of the known places, and whether it may go to an object then.
#[derive(Clone)]
pub(super) struct Outside<D: Domain> {
    guard: D::Guard,
    unclear: bool,
}

/// All places an access may go to, and when it goes elsewhere.
pub(super) type Spots<D> = (Vec<Spot<D>>, Option<Outside<D>>);

/// One of the places an access may go to.
pub(super) struct Spot<D: Domain> {
    guard: Option<D::Guard>,
    pub base: u64,
    pub constant: u64,
    pub rest: Option<D::Value>,
    /// Whether it is one of the places where an unknown pointer may point to, and not its own.
    guess: bool,
}

impl<D: Domain> Clone for Spot<D> {
    fn clone(&self) -> Spot<D> {
        Spot { guard: self.guard.clone(), rest: self.rest.clone(), ..*self }
    }
}

impl<D: Domain> Executor<'_, D> {
    /// Reads a scalar.
    pub(super) fn read(
        &mut self,
        store: &mut Store<D>,
        address: Address<D::Value>,
        scalar: Scalar,
        bits: Option<BitRange>,
    ) -> Result<D::Value> {
        let Some(range) = bits else {
            let size = u64::from(scalar.bits()).div_ceil(8);
            return self.read_bytes(store, address, size);
        };
        let (address, low, size) = bit_bytes(address, range);
        let bytes = self.read_bytes(store, address, size)?;
        let field = self.domain.extract(&bytes, size as u32 * 8, low, range.width);
        Ok(self.widen(field, range.width, scalar))
    }

    /// The value of a bit-field as its type has it.
    fn widen(&mut self, field: D::Value, width: u32, scalar: Scalar) -> D::Value {
        if width == scalar.bits() {
            return field;
        }
        let narrow = Scalar::Int { bits: width, signed: scalar.is_signed() };
        let wide = Scalar::Int { bits: scalar.bits(), signed: scalar.is_signed() };
        self.domain.convert(narrow, wide, &field)
    }

    pub(super) fn write(
        &mut self,
        store: &mut Store<D>,
        address: Address<D::Value>,
        scalar: Scalar,
        bits: Option<BitRange>,
        value: &D::Value,
    ) -> Result<()> {
        let Some(range) = bits else {
            let size = u64::from(scalar.bits()).div_ceil(8);
            return self.write_bytes(store, address, size, value);
        };
        let (address, low, size) = bit_bytes(address, range);
        let width = size as u32 * 8;
        let again = self.same_address(&address);
        let bytes = self.read_bytes(store, again, size)?;
        let mut result = self.domain.extract(value, scalar.bits(), 0, range.width);
        let mut have = range.width;
        if low > 0 {
            let below = self.domain.extract(&bytes, width, 0, low);
            result = self.domain.concat((&result, have), (&below, low));
            have += low;
        }
        if have < width {
            let above = self.domain.extract(&bytes, width, have, width - have);
            result = self.domain.concat((&above, width - have), (&result, have));
        }
        self.write_bytes(store, address, size, &result)
    }

    pub(super) fn same_address(&self, address: &Address<D::Value>) -> Address<D::Value> {
        let root = match &address.root {
            Root::Object(base) => Root::Object(*base),
            Root::Pointer(pointer) => Root::Pointer(pointer.clone()),
        };
        Address { root, constant: address.constant, offset: address.offset.clone(), expr: address.expr }
    }

    /// The places that an access may go to, and when it goes outside. Assumes that it goes to one of these.
    pub(super) fn spots(
        &mut self,
        store: &mut Store<D>,
        address: Address<D::Value>,
        size: u64,
        write: bool,
    ) -> Result<Spots<D>> {
        let (candidates, outside) = self.candidates(store, address, write)?;
        let noted = self.beyond.len();
        let mut spots = Vec::new();
        for spot in candidates {
            match self.within(store, spot.clone(), size, write) {
                Some(inside) => {
                    self.note_beyond(store, &spot, Some(&inside));
                    spots.push(inside);
                }
                None => self.note_beyond(store, &spot, None),
            }
        }
        if spots.is_empty() && outside.is_none() {
            if noted == self.beyond.len() {
                self.note_undefined(store, NO_OBJECT, None);
            }
            return Err(PathEnd::Undefined(NO_OBJECT));
        }
        if outside.is_some() && !D::SYMBOLIC {
            return Ok((spots, outside));
        }
        if spots.iter().all(|spot| spot.guard.is_some()) {
            let mut any = match &outside {
                Some(outside) => outside.guard.clone(),
                None => self.domain.guard(false),
            };
            for spot in &spots {
                if let Some(guard) = &spot.guard {
                    any = self.domain.or(&any, guard);
                }
            }
            if noted == self.beyond.len() && D::SYMBOLIC {
                let nowhere = self.domain.not(&any);
                self.note_undefined(store, NO_OBJECT, Some(nowhere));
            }
            self.require(store, &any)?;
        }
        Ok((spots, outside))
    }

    /// Remembers that an access may lie beyond its object, and when.
    fn note_beyond(&mut self, store: &Store<D>, spot: &Spot<D>, inside: Option<&Spot<D>>) {
        let Some(object) = store.objects.get(&spot.base) else { return };
        if !D::SYMBOLIC || !object.alive || object.read_only {
            return;
        }
        if spot.guess || object.address.is_some() {
            self.unclear_bounds = true;
            return;
        }
        let when = match inside {
            None => spot.guard.clone(),
            Some(Spot { guard: None, .. }) => return,
            Some(Spot { guard: Some(guard), .. }) => {
                if spot.rest.is_none() && matches!(object.size, Size::Known(_)) {
                    return;
                }
                let outside = self.domain.not(guard);
                Some(match &spot.guard {
                    Some(before) => self.domain.and(before, &outside),
                    None => outside,
                })
            }
        };
        self.note_undefined(store, "access beyond an object", when);
    }

    fn candidates(&mut self, store: &mut Store<D>, address: Address<D::Value>, write: bool) -> Result<Spots<D>> {
        let width = self.pointer_width();
        let expr = address.expr;
        let pointer = match address.root {
            Root::Object(base) => {
                let spot = Spot { guard: None, base, constant: address.constant, rest: address.offset, guess: false };
                return Ok((vec![spot], None));
            }
            Root::Pointer(_) => self.address_value(address),
        };
        let parts = self.domain.parts(width, &pointer);
        let mut spots = Vec::new();
        for part in parts.known {
            let at = part.address & tandem_cfa::semantics::mask(width) as u64;
            let Some(base) = self.addresses.nearest(at) else { continue };
            if !store.objects.contains_key(&base) {
                let Some(key @ (ObjectKey::Static(_) | ObjectKey::Local(..))) = self.addresses.key(base) else {
                    continue;
                };
                if !self.appear(store, base, key)? {
                    continue;
                }
            }
            spots.push(Spot {
                guard: part.guard,
                base,
                constant: at.wrapping_sub(base),
                rest: part.rest,
                guess: false,
            });
        }
        let is_unwritten = parts.unwritten && !self.unwritten_pointers_are_outside;
        if let (true, Some(guard)) = (is_unwritten, &parts.otherwise) {
            self.note_undefined(store, "access through a pointer that was never written", Some(guard.clone()));
        }
        match (parts.unclear && D::SYMBOLIC, parts.otherwise) {
            (true, Some(guard)) => self.possible_spots(store, &pointer, guard, expr, write, spots),
            (_, otherwise) => {
                let unclear = parts.unclear;
                Ok((spots, otherwise.map(|guard| Outside { guard, unclear })))
            }
        }
    }

    /// Adds the objects that a pointer of which nothing else is known may point to.
    fn possible_spots(
        &mut self,
        store: &mut Store<D>,
        pointer: &D::Value,
        guard: D::Guard,
        expr: Option<ExprId>,
        write: bool,
        mut spots: Vec<Spot<D>>,
    ) -> Result<Spots<D>> {
        let Some(expr) = expr else {
            return self.unsupported("access through a pointer whose target is not known");
        };
        self.unclear_bounds = true;
        let width = self.pointer_width();
        let targets = self.points_to().targets(expr);
        let bases = self.objects_at(store, &targets)?;
        if bases.len() > POSSIBLE {
            // Too many to tell apart: a read gives any value, and after a write nothing is known about any of them.
            if write {
                self.forget(store, &bases);
            }
            return Ok((spots, Some(Outside { guard, unclear: false })));
        }
        for base in bases {
            let Some(object) = store.objects.get(&base).cloned() else { continue };
            let start = match &object.address {
                Some(address) => address.clone(),
                None => self.domain.constant(width, u128::from(base)),
            };
            let rest = self.domain.subtract(width, pointer, &start);
            spots.push(Spot { guard: Some(guard.clone()), base, constant: 0, rest: Some(rest), guess: true });
        }
        // Objects of the heap that were there before a store began are not in it.
        let older = store.from_anywhere && targets.sites.iter().any(|site| matches!(site, Site::Allocation(_)));
        Ok((spots, (targets.outside || older).then_some(Outside { guard, unclear: true })))
    }

    /// The objects of a store at these sites.
    fn objects_at(&mut self, store: &mut Store<D>, targets: &Targets) -> Result<Vec<u64>> {
        let mut bases = Vec::new();
        for site in &targets.sites {
            match site {
                Site::Function(_) => {}
                Site::Allocation(edge) => {
                    let here = store.objects.iter().filter(|(_, object)| object.site == Some(*edge));
                    bases.extend(here.map(|(base, _)| *base));
                }
                Site::Variable(variable) => bases.extend(self.instances(store, *variable)?),
            }
        }
        bases.sort_unstable();
        bases.dedup();
        Ok(bases)
    }

    /// The objects of a variable: one if it is static, one for each call that has it.
    fn instances(&mut self, store: &mut Store<D>, variable: tandem_cfa::VariableId) -> Result<Vec<u64>> {
        let size = self.program.types.size(self.program.variables[variable].ty);
        let keys: Vec<ObjectKey> = match self.layout.homes[variable] {
            Home::StaticObject => vec![ObjectKey::Static(variable)],
            Home::LocalObject => {
                let function = self.program.variables[variable].function;
                let frames = store.frames.iter().filter(|frame| Some(frame.function) == function);
                frames.map(|frame| ObjectKey::Local(variable, frame.instance)).collect()
            }
            Home::StaticSlot(_) | Home::FrameSlot(_) => Vec::new(),
        };
        let mut bases = Vec::new();
        for key in keys {
            let Some(base) = self.addresses.base(key, size) else {
                return self.unsupported("no room for another object");
            };
            if !store.objects.contains_key(&base) {
                if !self.appear(store, base, key)? {
                    continue;
                }
            }
            bases.push(base);
        }
        Ok(bases)
    }

    /// The spot, guarded by its bounds; nothing if it is out of them for sure.
    fn within(&mut self, store: &Store<D>, mut spot: Spot<D>, size: u64, write: bool) -> Option<Spot<D>> {
        let object = store.objects.get(&spot.base)?.clone();
        if !object.alive || write && object.read_only {
            return None;
        }
        let width = self.pointer_width();
        let mask = tandem_cfa::semantics::mask(width) as u64;
        let offset = match (&spot.rest, &object.size) {
            (None, Size::Known(whole)) => {
                let constant = spot.constant & mask;
                return (constant <= *whole && size <= whole - constant).then_some(spot);
            }
            (None, Size::Value(_)) => self.domain.constant(width, u128::from(spot.constant & mask)),
            (Some(rest), _) => {
                let constant = self.domain.constant(width, u128::from(spot.constant & mask));
                self.domain.add(width, rest, &constant)
            }
        };
        let inside = match &object.size {
            Size::Known(whole) if *whole < size => return None,
            Size::Known(whole) => {
                let last = self.domain.constant(width, u128::from(whole - size));
                self.domain.at_most(width, &offset, &last)
            }
            Size::Value(whole) => {
                let least = self.domain.constant(width, u128::from(size));
                let less = self.domain.constant(width, u128::from(size).wrapping_neg() & u128::from(mask));
                let enough = self.domain.at_most(width, &least, whole);
                let last = self.domain.add(width, whole, &less);
                let fits = self.domain.at_most(width, &offset, &last);
                self.domain.and(&enough, &fits)
            }
        };
        spot.guard = match (spot.guard.take(), self.domain.decided(&inside)) {
            (_, Some(false)) => return None,
            (guard, Some(true)) => guard,
            (None, None) => Some(inside),
            (Some(guard), None) => Some(self.domain.and(&guard, &inside)),
        };
        Some(spot)
    }

    pub(super) fn read_bytes(
        &mut self,
        store: &mut Store<D>,
        address: Address<D::Value>,
        size: u64,
    ) -> Result<D::Value> {
        let (spots, outside) = self.spots(store, address, size, false)?;
        let width = size as u32 * 8;
        if !D::SYMBOLIC && (outside.is_some() || spots.len() > 1) {
            return Ok(self.domain.any(width));
        }
        let mut value = match outside {
            // It may even be an address that the program itself stored out there: no mere input.
            Some(_) => Some(self.domain.any(width)),
            None => None,
        };
        for spot in spots.iter().rev() {
            let here = self.read_spot(store, spot, size)?;
            value = Some(match (value, &spot.guard) {
                (Some(other), Some(guard)) => self.domain.choose(guard, &here, &other),
                (Some(_), None) | (None, _) => here,
            });
        }
        match value {
            Some(value) => Ok(value),
            None => self.undefined(store, NO_OBJECT),
        }
    }

    pub(super) fn write_bytes(
        &mut self,
        store: &mut Store<D>,
        address: Address<D::Value>,
        size: u64,
        value: &D::Value,
    ) -> Result<()> {
        let expr = address.expr;
        let (spots, outside) = self.spots(store, address, size, true)?;
        if let (false, Some(outside)) = (D::SYMBOLIC, &outside) {
            return self.clobber(store, expr, outside);
        }
        let alone = spots.len() == 1 && outside.is_none();
        for spot in &spots {
            // When it is the only place, the access goes there: that is assumed already.
            let guard = if alone { None } else { spot.guard.clone() };
            self.write_spot(store, spot, size, value, guard)?;
        }
        Ok(())
    }

    /// A write through a pointer of which nothing is known: what it may point to is not known any more either. What is
    /// written through a pointer that came from outside is lost.
    pub(super) fn clobber(&mut self, store: &mut Store<D>, expr: Option<ExprId>, outside: &Outside<D>) -> Result<()> {
        if !outside.unclear {
            return Ok(());
        }
        let bases: Vec<u64> = match expr {
            Some(expr) => {
                let targets = self.points_to().targets(expr);
                self.objects_at(store, &targets)?
            }
            None => store.objects.keys().copied().collect(),
        };
        self.forget(store, &bases);
        Ok(())
    }

    /// Nothing is known about the contents of these objects any more.
    fn forget(&mut self, store: &mut Store<D>, bases: &[u64]) {
        for base in bases {
            self.note_write(Touched::Object(*base));
            if let Some(object) = store.objects.get_mut(base) {
                if !object.read_only {
                    changed(object).cells = Cells::new(Cell::Unknown);
                }
            }
        }
    }

    /// Something of unknown length is written where the pointer points to.
    pub(super) fn spoil(&mut self, store: &mut Store<D>, pointer: &D::Value, expr: Option<ExprId>) -> Result<()> {
        let (spots, outside) = self.candidates(store, Address::of_pointer(pointer.clone(), expr), true)?;
        for spot in spots {
            self.note_write(Touched::Object(spot.base));
            if let Some(object) = store.objects.get_mut(&spot.base).filter(|object| !object.read_only) {
                changed(object).cells = Cells::new(Cell::Unknown);
            }
        }
        match outside {
            Some(outside) => self.clobber(store, expr, &outside),
            None => Ok(()),
        }
    }

    fn spot_offset(&mut self, spot: &Spot<D>, rest: &D::Value) -> D::Value {
        let width = self.pointer_width();
        let mask = tandem_cfa::semantics::mask(width);
        let constant = self.domain.constant(width, u128::from(spot.constant) & mask);
        self.domain.add(width, rest, &constant)
    }

    /// The constant offsets that an unknown offset may stand for, if they are few.
    fn positions(&self, store: &Store<D>, spot: &Spot<D>, rest: &D::Value, size: u64) -> Option<Vec<u64>> {
        let object = store.objects.get(&spot.base)?;
        let Size::Known(whole) = object.size else { return None };
        if object.cells.elements.is_some() || whole < size {
            return None;
        }
        let step = self.domain.divisor(rest).clamp(1, 1 << 31);
        let signed = tandem_cfa::semantics::sign_extend(u128::from(spot.constant), self.pointer_width());
        let first = signed.rem_euclid(i128::from(step)) as u64;
        if first > whole - size || (whole - size - first) / step >= SPREAD {
            return None;
        }
        Some((first..=whole - size).step_by(step as usize).collect())
    }

    fn read_spot(&mut self, store: &mut Store<D>, spot: &Spot<D>, size: u64) -> Result<D::Value> {
        let Some(rest) = spot.rest.clone() else {
            return self.read_at(store, spot.base, spot.constant, size);
        };
        if !D::SYMBOLIC {
            return Ok(self.domain.any(size as u32 * 8));
        }
        let width = self.pointer_width();
        let offset = self.spot_offset(spot, &rest);
        if let Some(positions) = self.positions(store, spot, &rest, size) {
            let mut value = None;
            for at in positions.into_iter().rev() {
                let here = self.read_at(store, spot.base, at, size)?;
                value = Some(match value {
                    Some(other) => {
                        let constant = self.domain.constant(width, u128::from(at));
                        let chosen = self.domain.equal(width, &offset, &constant);
                        self.domain.choose(&chosen, &here, &other)
                    }
                    None => here,
                });
            }
            return match value {
                Some(value) => Ok(value),
                None => self.unsupported("an access at no offset"),
            };
        }
        let have = self.element_size(store, spot.base, size);
        let elements = self.elements_for(store, spot, &rest, have)?;
        let mut value: Option<(D::Value, u32)> = None;
        for at in (0..size).step_by(have as usize) {
            let place = self.offset_by(&offset, at);
            let piece = self.domain.select(&elements, &place);
            let bits = have as u32 * 8;
            value = Some(match value {
                Some((low, below)) => (self.domain.concat((&piece, bits), (&low, below)), below + bits),
                None => (piece, bits),
            });
        }
        match value {
            Some((value, _)) => Ok(value),
            None => self.unsupported("an access of no bytes"),
        }
    }

    /// The size of the elements that an access of this size works with: the object's, if they make up the size.
    fn element_size(&self, store: &Store<D>, base: u64, size: u64) -> u64 {
        match store.objects.get(&base).and_then(|object| object.cells.elements.as_ref()) {
            Some((have, _)) if size.is_multiple_of(*have) => *have,
            _ => size,
        }
    }

    fn offset_by(&mut self, offset: &D::Value, by: u64) -> D::Value {
        if by == 0 {
            return offset.clone();
        }
        let width = self.pointer_width();
        let constant = self.domain.constant(width, u128::from(by));
        self.domain.add(width, offset, &constant)
    }

    fn write_spot(
        &mut self,
        store: &mut Store<D>,
        spot: &Spot<D>,
        size: u64,
        value: &D::Value,
        guard: Option<D::Guard>,
    ) -> Result<()> {
        let Some(rest) = spot.rest.clone() else {
            let value = self.guarded(store, spot.base, spot.constant, size, value, guard)?;
            return self.write_at(store, spot.base, spot.constant, size, Cell::Value(value));
        };
        if !D::SYMBOLIC {
            self.note_write(Touched::Object(spot.base));
            if let Some(object) = store.objects.get_mut(&spot.base) {
                changed(object).cells = Cells::new(Cell::Unknown);
            }
            return Ok(());
        }
        let width = self.pointer_width();
        let offset = self.spot_offset(spot, &rest);
        let defined = |store: &Store<D>| {
            let object = store.objects.get(&spot.base);
            object.is_some_and(|object| {
                object.cells.rest != Cell::Undefined
                    && object.cells.runs.values().all(|(_, cell)| *cell != Cell::Undefined)
            })
        };
        if let Some(positions) = self.positions(store, spot, &rest, size).filter(|_| defined(store)) {
            for at in positions {
                let constant = self.domain.constant(width, u128::from(at));
                let mut chosen = self.domain.equal(width, &offset, &constant);
                if let Some(guard) = &guard {
                    chosen = self.domain.and(&chosen, guard);
                }
                let value = self.guarded(store, spot.base, at, size, value, Some(chosen))?;
                self.write_at(store, spot.base, at, size, Cell::Value(value))?;
            }
            return Ok(());
        }
        let have = self.element_size(store, spot.base, size);
        let mut elements = self.elements_for(store, spot, &rest, have)?;
        for at in (0..size).step_by(have as usize) {
            let place = self.offset_by(&offset, at);
            let mut piece = self.domain.extract(value, size as u32 * 8, at as u32 * 8, have as u32 * 8);
            if let Some(guard) = &guard {
                let old = self.domain.select(&elements, &place);
                piece = self.domain.choose(guard, &piece, &old);
            }
            elements = self.domain.replace(&elements, &place, &piece);
        }
        self.set_elements(store, spot.base, have, elements);
        Ok(())
    }

    fn guarded(
        &mut self,
        store: &mut Store<D>,
        base: u64,
        offset: u64,
        size: u64,
        value: &D::Value,
        guard: Option<D::Guard>,
    ) -> Result<D::Value> {
        let Some(guard) = guard else { return Ok(value.clone()) };
        match self.domain.decided(&guard) {
            Some(true) => Ok(value.clone()),
            decided => {
                let old = self.read_at(store, base, offset, size)?;
                Ok(if decided == Some(false) { old } else { self.domain.choose(&guard, value, &old) })
            }
        }
    }

    pub(super) fn set_elements(&mut self, store: &mut Store<D>, base: u64, size: u64, elements: D::Value) {
        if let Some(object) = store.objects.get_mut(&base) {
            changed(object).cells.elements = Some((size, elements));
        }
    }

    /// The contents of the object as elements of this size, for an access at an unknown offset.
    fn elements_for(&mut self, store: &mut Store<D>, spot: &Spot<D>, rest: &D::Value, size: u64) -> Result<D::Value> {
        if !self.is_aligned(spot, rest, size) {
            self.align(store, spot, rest, size)?;
        }
        self.as_elements(store, spot.base, size)
    }

    /// The contents of the object as elements of this size.
    pub(super) fn as_elements(&mut self, store: &mut Store<D>, base: u64, size: u64) -> Result<D::Value> {
        let Some(object) = store.objects.get(&base).cloned() else { return self.undefined(store, DEAD_OBJECT) };
        if let Some((have, elements)) = &object.cells.elements {
            if *have == size {
                return Ok(elements.clone());
            }
            return self.unsupported("access of another size at an unknown offset");
        }
        let width = size as u32 * 8;
        let mut elements = match &object.cells.rest {
            Cell::Zero => {
                let zero = self.domain.constant(width, 0);
                self.domain.elements(width, &zero)
            }
            Cell::Undefined => {
                let source = self.unwritten(base);
                let elements = self.domain.elements_input(&mut store.path, width, source, self.edge);
                self.note_unwritten(source, &elements);
                elements
            }
            Cell::Unknown | Cell::Start | Cell::Value(_) => self.domain.fresh_elements(width),
        };
        let runs: Vec<(u64, u64, Cell<D::Value>)> =
            object.cells.runs.iter().map(|(at, (length, cell))| (*at, *length, cell.clone())).collect();
        let mut done = None;
        for (start, length, cell) in runs {
            if cell == Cell::Undefined || cell == Cell::Unknown {
                if object.cells.rest == Cell::Zero {
                    return self.unsupported("access at an unknown offset to memory that was partly written");
                }
                continue;
            }
            if length / size > ELEMENTS {
                return self.unsupported("access at an unknown offset to a large object");
            }
            let (first, last) = (start / size, (start + length - 1) / size);
            for index in first..=last {
                if done.is_some_and(|done| index <= done) {
                    continue;
                }
                done = Some(index);
                let value = self.read_at(store, base, index * size, size)?;
                let at = self.domain.constant(self.addresses.width(), u128::from(index * size));
                elements = self.domain.replace(&elements, &at, &value);
            }
        }
        if let Some(object) = store.objects.get_mut(&base) {
            let object = changed(object);
            object.cells.runs = Default::default();
            object.cells.elements = Some((size, elements.clone()));
        }
        Ok(elements)
    }

    /// Elements are accessed as wholes: an unaligned access, which C leaves undefined, ends the path.
    fn align(&mut self, store: &mut Store<D>, spot: &Spot<D>, rest: &D::Value, size: u64) -> Result<()> {
        if !size.is_power_of_two() {
            return self.unsupported("access that may be unaligned at an unknown offset");
        }
        let offset = self.spot_offset(spot, rest);
        let bits = size.trailing_zeros();
        let low = self.domain.extract(&offset, self.addresses.width(), 0, bits);
        let zero = self.domain.constant(bits, 0);
        let aligned = self.domain.equal(bits, &low, &zero);
        let aligned = match &spot.guard {
            // Only where the access goes here.
            Some(guard) => {
                let elsewhere = self.domain.not(guard);
                self.domain.or(&elsewhere, &aligned)
            }
            None => aligned,
        };
        self.require(store, &aligned)
    }

    fn is_aligned(&self, spot: &Spot<D>, rest: &D::Value, size: u64) -> bool {
        size == 1 || self.domain.divisor(rest).is_multiple_of(size) && spot.constant.is_multiple_of(size)
    }
}

/// The bytes a bit-field lies in: where they begin, its first bit in them, how many they are.
fn bit_bytes<V>(mut address: Address<V>, range: BitRange) -> (Address<V>, u32, u64) {
    address.constant = address.constant.wrapping_add(u64::from(range.offset / 8));
    let low = range.offset % 8;
    (address, low, u64::from(low + range.width).div_ceil(8))
}
