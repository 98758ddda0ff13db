//! Reading and writing memory.

use std::rc::Rc;

use tandem_cfa::exec::InputSource;
use tandem_cfa::points_to::{Site, Targets};
use tandem_cfa::types::BitRange;
use tandem_cfa::{ExprId, PlaceId, Scalar};

use super::address::ObjectKey;
use super::cells::{Cell, Cells, Run};
use super::domain::{Domain, StartKey};
use super::layout::{Home, element_size, leaf};
use super::place::{Address, Root};
use super::{Beyond, Ended, Executor, Object, Result, Size, Store, Touched, changed};

/// How many places an access at an unknown offset may be spread over, one by one.
const SPREAD: u64 = 64;
/// How many objects an access through an unknown pointer may be spread over.
const POSSIBLE: usize = 48;
/// How many elements are made from runs at most.
const ELEMENTS: u64 = 1 << 17;

/// When an access goes to none of the known places, and whether it may go to an object then.
#[derive(Clone)]
struct Outside<D: Domain> {
    guard: D::Guard,
    unclear: bool,
}

/// All places an access may go to, and when it goes elsewhere.
type Spots<D> = (Vec<Spot<D>>, Option<Outside<D>>);

/// One of the places an access may go to.
struct Spot<D: Domain> {
    guard: Option<D::Guard>,
    base: u64,
    constant: u64,
    rest: Option<D::Value>,
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
        _place: PlaceId,
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
    fn spots(&mut self, store: &mut Store<D>, address: Address<D::Value>, size: u64, write: bool) -> Result<Spots<D>> {
        let (candidates, outside) = self.candidates(store, address, write)?;
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
            return Err(Ended::Path);
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
            self.require(store, &any)?;
        }
        Ok((spots, outside))
    }

    /// Remembers that an access may lie beyond its object, and when.
    fn note_beyond(&mut self, store: &Store<D>, spot: &Spot<D>, inside: Option<&Spot<D>>) {
        let Some(object) = store.objects.get(&spot.base) else { return };
        if !D::SYMBOLIC || spot.guess || !object.alive || object.read_only || object.address.is_some() {
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
        let at = self.place();
        self.beyond.push(Beyond { path: store.path.clone(), when, at });
    }

    fn candidates(&mut self, store: &mut Store<D>, address: Address<D::Value>, write: bool) -> Result<Spots<D>> {
        let width = self.pointer_width();
        let expr = address.expr;
        let pointer = match address.root {
            Root::Object(base) => {
                let spot = Spot { guard: None, base, constant: address.constant, rest: address.offset, guess: false };
                return Ok((vec![spot], None));
            }
            Root::Pointer(_) => self.address_value(store, address),
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
                match self.appear(store, base, key) {
                    Ok(()) => {}
                    Err(Ended::Path) => continue,
                    Err(unsupported) => return Err(unsupported),
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
                match self.appear(store, base, key) {
                    Ok(()) => {}
                    Err(Ended::Path) => continue,
                    Err(unsupported) => return Err(unsupported),
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
        value.ok_or(Ended::Path)
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
    fn clobber(&mut self, store: &mut Store<D>, expr: Option<ExprId>, outside: &Outside<D>) -> Result<()> {
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
            return value.ok_or(Ended::Path);
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
        value.map(|(value, _)| value).ok_or(Ended::Path)
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

    fn set_elements(&mut self, store: &mut Store<D>, base: u64, size: u64, elements: D::Value) {
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
        let Some(object) = store.objects.get(&base).cloned() else { return Err(Ended::Path) };
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
            Cell::Undefined | Cell::Unknown | Cell::Start | Cell::Value(_) => self.domain.fresh_elements(width),
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

    /// Reads bytes at a constant offset that is within bounds.
    pub(super) fn read_at(&mut self, store: &mut Store<D>, base: u64, offset: u64, size: u64) -> Result<D::Value> {
        self.note_read(Touched::Bytes { base, offset, size });
        let Some(object) = store.objects.get(&base).cloned() else { return Err(Ended::Path) };
        if let Some((have, elements)) = &object.cells.elements {
            let (have, elements) = (*have, elements.clone());
            return Ok(self.read_elements(&elements, have, offset, size));
        }
        if let Some(Cell::Value(value)) = object.cells.exact(offset, size) {
            return Ok(value.clone());
        }
        let pieces = object.cells.pieces(&mut self.domain, offset, size);
        let mut value: Option<(D::Value, u32)> = None;
        for (at, length, cell) in pieces {
            let piece = self.piece(store, base, offset + at, length, cell)?;
            let width = length as u32 * 8;
            value = Some(match value {
                Some((low, below)) => (self.domain.concat((&piece, width), (&low, below)), below + width),
                None => (piece, width),
            });
        }
        value.map(|(value, _)| value).ok_or(Ended::Path)
    }

    fn read_elements(&mut self, elements: &D::Value, have: u64, offset: u64, size: u64) -> D::Value {
        let pointer = self.addresses.width();
        let (first, last) = (offset / have, (offset + size - 1) / have);
        let mut value: Option<(D::Value, u32)> = None;
        for index in first..=last {
            let at = self.domain.constant(pointer, u128::from(index * have));
            let piece = self.domain.select(elements, &at);
            let width = have as u32 * 8;
            value = Some(match value {
                Some((low, below)) => (self.domain.concat((&piece, width), (&low, below)), below + width),
                None => (piece, width),
            });
        }
        match value {
            Some((value, width)) => {
                let low = (offset - first * have) as u32 * 8;
                if width == size as u32 * 8 { value } else { self.domain.extract(&value, width, low, size as u32 * 8) }
            }
            None => self.domain.any(size as u32 * 8),
        }
    }

    fn piece(
        &mut self,
        store: &mut Store<D>,
        base: u64,
        offset: u64,
        size: u64,
        cell: Cell<D::Value>,
    ) -> Result<D::Value> {
        let width = size as u32 * 8;
        Ok(match cell {
            Cell::Value(value) => value,
            Cell::Zero => self.domain.constant(width, 0),
            Cell::Unknown => self.domain.any(width),
            Cell::Start => self.start_bytes(base, offset, size),
            Cell::Undefined => {
                let source = match self.addresses.key(base) {
                    Some(ObjectKey::Static(variable) | ObjectKey::Local(variable, _)) => {
                        InputSource::Variable(variable)
                    }
                    Some(ObjectKey::Heap(..)) | None => InputSource::Memory,
                };
                let value = self.fresh(store, width, source);
                self.write_at(store, base, offset, size, Cell::Value(value.clone()))?;
                value
            }
        })
    }

    /// What bytes held in the state from which nothing is known.
    pub(super) fn start_bytes(&mut self, base: u64, offset: u64, size: u64) -> D::Value {
        let Some(object) = self.addresses.key(base) else { return self.domain.any(size as u32 * 8) };
        let ty = match object {
            ObjectKey::Static(variable) | ObjectKey::Local(variable, _) => self.program.variables[variable].ty,
            ObjectKey::Heap(..) => return self.domain.any(size as u32 * 8),
        };
        let mut value: Option<(D::Value, u32)> = None;
        let mut at = offset;
        while at < offset + size {
            let (start, length) = leaf(&self.program.types, ty, at);
            let end = (start + length).min(offset + size);
            let whole =
                self.domain.start_value(StartKey::Cell { object, offset: start, size: length }, length as u32 * 8);
            let count = (end - at) as u32 * 8;
            let piece = match end - at == length {
                true => whole,
                false => self.domain.extract(&whole, length as u32 * 8, (at - start) as u32 * 8, count),
            };
            value = Some(match value {
                Some((low, below)) => (self.domain.concat((&piece, count), (&low, below)), below + count),
                None => (piece, count),
            });
            at = end;
        }
        value.map_or_else(|| self.domain.any(size as u32 * 8), |(value, _)| value)
    }

    /// Writes bytes at a constant offset that is within bounds.
    pub(super) fn write_at(
        &mut self,
        store: &mut Store<D>,
        base: u64,
        offset: u64,
        size: u64,
        cell: Cell<D::Value>,
    ) -> Result<()> {
        self.note_write(Touched::Bytes { base, offset, size });
        let Some(object) = store.objects.get(&base) else { return Err(Ended::Path) };
        if let Some((have, elements)) = object.cells.elements.clone() {
            let elements = self.write_elements(elements, have, offset, size, cell)?;
            self.set_elements(store, base, have, elements);
            return Ok(());
        }
        if let Some(object) = store.objects.get_mut(&base) {
            changed(object).cells.write(&mut self.domain, offset, size, cell);
        }
        Ok(())
    }

    fn write_elements(
        &mut self,
        mut elements: D::Value,
        have: u64,
        offset: u64,
        size: u64,
        cell: Cell<D::Value>,
    ) -> Result<D::Value> {
        let pointer = self.addresses.width();
        let (first, last) = (offset / have, (offset + size - 1) / have);
        if last - first > ELEMENTS {
            return self.unsupported("a large write to an object with unknown offsets");
        }
        for index in first..=last {
            let at = self.domain.constant(pointer, u128::from(index * have));
            let (from, to) = ((index * have).max(offset), (index * have + have).min(offset + size));
            let count = (to - from) as u32 * 8;
            let piece = match &cell {
                Cell::Value(value) => self.domain.extract(value, size as u32 * 8, (from - offset) as u32 * 8, count),
                Cell::Zero => self.domain.constant(count, 0),
                Cell::Undefined | Cell::Unknown | Cell::Start => self.domain.any(count),
            };
            let mut whole = piece;
            if to - from < have {
                let (old, width) = (self.domain.select(&elements, &at), have as u32 * 8);
                let (low, above) = ((from - index * have) as u32 * 8, (index * have + have - to) as u32 * 8);
                if low > 0 {
                    let below = self.domain.extract(&old, width, 0, low);
                    whole = self.domain.concat((&whole, count), (&below, low));
                }
                if above > 0 {
                    let high = self.domain.extract(&old, width, width - above, above);
                    whole = self.domain.concat((&high, above), (&whole, width - above));
                }
            }
            elements = self.domain.replace(&elements, &at, &whole);
        }
        Ok(elements)
    }

    /// Takes bytes out of memory as they are, unread.
    pub(super) fn take(
        &mut self,
        store: &mut Store<D>,
        address: Address<D::Value>,
        size: u64,
    ) -> Result<Rc<[Run<D::Value>]>> {
        if size == 0 {
            return Ok(Rc::new([]));
        }
        let again = self.same_address(&address);
        let (spots, outside) = self.spots(store, address, size, false)?;
        match (spots.as_slice(), outside) {
            ([spot], None) if spot.rest.is_none() => {
                let Some(object) = store.objects.get(&spot.base).cloned() else { return Err(Ended::Path) };
                self.note_read(Touched::Bytes { base: spot.base, offset: spot.constant, size });
                if object.cells.elements.is_none() {
                    let mut pieces = object.cells.pieces(&mut self.domain, spot.constant, size);
                    for (at, length, cell) in &mut pieces {
                        if *cell == Cell::Start {
                            *cell = Cell::Value(self.start_bytes(spot.base, spot.constant + *at, *length));
                        }
                    }
                    return Ok(pieces.into());
                }
            }
            _ if !D::SYMBOLIC => return Ok(Rc::new([(0, size, Cell::Unknown)])),
            _ => {}
        }
        let mut runs = Vec::new();
        let chunk = if size.is_multiple_of(8) {
            8
        } else if size.is_multiple_of(4) {
            4
        } else {
            1
        };
        if size / chunk > 1024 {
            return self.unsupported("copy of a large object through an unknown pointer");
        }
        for at in (0..size).step_by(chunk as usize) {
            let mut part = self.same_address(&again);
            part.constant = part.constant.wrapping_add(at);
            runs.push((at, chunk, Cell::Value(self.read_bytes(store, part, chunk)?)));
        }
        Ok(runs.into())
    }

    /// Puts bytes into memory.
    pub(super) fn put(
        &mut self,
        store: &mut Store<D>,
        address: Address<D::Value>,
        size: u64,
        runs: &[Run<D::Value>],
    ) -> Result<()> {
        if size == 0 {
            return Ok(());
        }
        let (again, expr) = (self.same_address(&address), address.expr);
        let (spots, outside) = self.spots(store, address, size, true)?;
        if let (false, Some(outside)) = (D::SYMBOLIC, &outside) {
            return self.clobber(store, expr, outside);
        }
        if let ([spot], None) = (spots.as_slice(), &outside) {
            if spot.rest.is_none() {
                for (at, length, cell) in runs {
                    self.write_at(store, spot.base, spot.constant + at, *length, cell.clone())?;
                }
                return Ok(());
            }
        }
        for (at, length, cell) in runs {
            let mut from = 0;
            while from < *length {
                let chunk = if matches!(cell, Cell::Value(_)) { *length } else { (*length - from).min(8) };
                let width = chunk as u32 * 8;
                let value = match cell {
                    Cell::Value(value) => value.clone(),
                    Cell::Zero => self.domain.constant(width, 0),
                    Cell::Undefined | Cell::Unknown | Cell::Start => self.domain.any(width),
                };
                let mut part = self.same_address(&again);
                part.constant = part.constant.wrapping_add(at + from);
                self.write_bytes(store, part, chunk, &value)?;
                from += chunk;
            }
        }
        Ok(())
    }

    /// An object that was there all the time is looked at for the first time.
    pub(super) fn appear(&mut self, store: &mut Store<D>, base: u64, key: ObjectKey) -> Result<()> {
        let variable = match key {
            ObjectKey::Static(variable) | ObjectKey::Local(variable, _) => variable,
            ObjectKey::Heap(..) => return Err(Ended::Path),
        };
        let size = self.variable_size(variable)?;
        if !store.from_anywhere {
            // A local whose call is over, or a static that the start forgot: neither can be accessed.
            return Err(Ended::Path);
        }
        let is_literal = self.program.variables[variable].kind == tandem_cfa::VariableKind::StringLiteral;
        let mut cells = Cells::new(if is_literal { Cell::Zero } else { Cell::Start });
        if let (Some(element), false) =
            (element_size(&self.program.types, self.program.variables[variable].ty), is_literal)
        {
            if D::SYMBOLIC {
                let elements =
                    self.domain.start_elements(StartKey::Elements { object: key, size: element }, element as u32 * 8);
                cells.elements = Some((element, elements));
            }
        }
        let object = Object::new(size, is_literal, cells);
        store.objects.insert(base, Rc::new(object));
        if is_literal {
            self.initialise(store, variable, base)?;
        }
        Ok(())
    }

    pub(super) fn variable_size(&self, variable: tandem_cfa::VariableId) -> Result<Size<D::Value>> {
        match self.program.types.size(self.program.variables[variable].ty) {
            Some(size) => Ok(Size::Known(size)),
            None => self.unsupported("a variable whose size is not known"),
        }
    }
}

/// The bytes a bit-field lies in: where they begin, its first bit in them, how many they are.
fn bit_bytes<V>(mut address: Address<V>, range: BitRange) -> (Address<V>, u32, u64) {
    address.constant = address.constant.wrapping_add(u64::from(range.offset / 8));
    let low = range.offset % 8;
    (address, low, u64::from(low + range.width).div_ceil(8))
}
