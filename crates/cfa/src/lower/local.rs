//! Declarations in blocks: lifetimes, initialisers, variable-length arrays, compound literals.

use tandem_base::Span;
use tandem_syntax::ast as tree;
use tandem_syntax::types::TypeId;
use tree::{Declaration, ExpressionKind, InitEntry, Storage};

use super::Lowering;
use super::object::Object;
use crate::model::*;

/// From this many constant entries on, an initialiser is a copy of a hidden object.
const TEMPLATE_ENTRIES: usize = 9;

impl Lowering<'_> {
    /// A declaration is reached.
    pub(super) fn declare(&mut self, id: tree::DeclId) {
        let declaration = self.unit.declaration(id);
        if declaration.is_function {
            // The function may be defined at file scope, before or behind this block: its body says nothing here.
            self.function(id);
            return;
        }
        if declaration.storage != Storage::Automatic {
            self.object(id);
            return;
        }
        self.pin_sizes(declaration.ty);
        let object = self.object(id);
        match object {
            Object::Behind(pointer) => self.allocate(pointer, &declaration),
            Object::Variable(_) if self.program.types.size(declaration.ty).is_none() => {
                let what = format!("object of type {}", self.program.types.declare(declaration.ty, ""));
                self.unsupported(&what, declaration.span);
            }
            Object::Variable(variable) => self.begin(variable, &declaration),
            Object::Extended(..) => {}
        }
        if let Some(cleanup) = declaration.cleanup {
            let function = self.function(cleanup);
            let place = self.object_place(object);
            if let Some(scope) = self.here.scopes.last_mut() {
                scope.cleanups.push((function, place));
            }
        }
    }

    fn begin(&mut self, variable: VariableId, declaration: &Declaration) {
        if let Some(entries) = &declaration.initializer {
            let place = self.variable_place(variable);
            let last = entries.last().map_or(Span::NONE, |entry| self.unit.expression(entry.value).span);
            return self.initialize(place, entries, declaration.span.to(last));
        }
        let once = self.here.scopes.len() == 1 && !self.here.repeats;
        if !once || self.scalar(declaration.ty).is_none() {
            self.emit(Op::Declare(variable), declaration.span);
        }
    }

    fn allocate(&mut self, pointer: VariableId, declaration: &Declaration) {
        let size = self.size_of(declaration.ty);
        let place = self.variable_place(pointer);
        self.builtin_step(Builtin::Alloca, Box::new([size]), Some(place), declaration.span);
        if declaration.initializer.as_ref().is_some_and(|entries| !entries.is_empty()) {
            self.unsupported("initialiser of a variable-length array", declaration.span);
        }
    }

    /// Stores an initialiser into a place.
    fn initialize(&mut self, place: PlaceId, entries: &[InitEntry], span: Span) {
        let ty = self.program.arena.place(place).ty;
        if let [InitEntry { offset: 0, bits: None, value }] = *entries {
            let same = self.unit.type_of(value) == ty && !self.is_string(value);
            if same || self.scalar(ty).is_some() {
                return self.store(value, place, span);
            }
        }
        let constants = self.constants(entries);
        let ascending = self.is_ascending(entries);
        let count = constants.iter().filter(|constant| **constant).count();
        let has_string = entries.iter().any(|entry| self.is_string(entry.value));
        if (has_string || count >= TEMPLATE_ENTRIES) && (ascending || count == entries.len()) {
            return self.initialize_from_template(place, entries, &constants, span);
        }
        if !ascending || self.covered(entries) != self.program.types.size(ty) {
            self.zero(place, span);
        }
        for entry in entries {
            self.store_entry(place, entry, span);
        }
    }

    fn is_string(&self, value: tree::ExprId) -> bool {
        matches!(self.unit.expression(value).kind, ExpressionKind::String(_))
    }

    fn zero(&mut self, place: PlaceId, span: Span) {
        let ty = self.program.arena.place(place).ty;
        let value = match self.scalar(ty) {
            Some(_) => self.bits(0, ty),
            None => self.expr(ExprKind::Zero, ty),
        };
        self.assign(place, value, span);
    }

    /// Which entries are constants.
    fn constants(&mut self, entries: &[InitEntry]) -> Vec<bool> {
        if entries.len() < TEMPLATE_ENTRIES && !entries.iter().any(|entry| self.is_string(entry.value)) {
            return vec![false; entries.len()];
        }
        let is_constant = |entry: &InitEntry| {
            let expression = self.unit.expression(entry.value);
            match expression.kind {
                ExpressionKind::String(_) => true,
                kind => self.constant_value(entry.value, kind, expression.ty).is_some(),
            }
        };
        entries.iter().map(is_constant).collect()
    }

    /// Whether no entry begins before the end of the one before it.
    fn is_ascending(&self, entries: &[InitEntry]) -> bool {
        let mut end = 0;
        entries.iter().all(|entry| {
            let start = entry.offset * 8 + entry.bits.map_or(0, |bits| u64::from(bits.offset));
            let ordered = start >= end;
            end = match (entry.bits, self.program.types.size(self.unit.type_of(entry.value))) {
                (Some(bits), _) => start + u64::from(bits.width),
                (None, Some(size)) => start.saturating_add(size.saturating_mul(8)),
                (None, None) => u64::MAX,
            };
            ordered
        })
    }

    /// How many bytes entries without bit-fields store.
    fn covered(&self, entries: &[InitEntry]) -> Option<u64> {
        entries.iter().try_fold(0u64, |sum, entry| match entry.bits {
            Some(_) => None,
            None => sum.checked_add(self.program.types.size(self.unit.type_of(entry.value))?),
        })
    }

    fn store_entry(&mut self, place: PlaceId, entry: &InitEntry, span: Span) {
        let ty = self.unit.type_of(entry.value);
        let part = match entry.bits {
            Some(_) => self.part(place, entry.offset, entry.bits, ty),
            None => Some(self.part_or_bytes(place, entry.offset, ty)),
        };
        match part {
            Some(part) => self.store(entry.value, part, span),
            None => self.unsupported("initialiser of a bit-field", span),
        }
    }

    /// Copies the constants from a hidden object, and stores the others one by one.
    fn initialize_from_template(&mut self, place: PlaceId, entries: &[InitEntry], constants: &[bool], span: Span) {
        let ty = self.program.arena.place(place).ty;
        let fixed: Vec<InitEntry> =
            entries.iter().zip(constants).filter(|(_, constant)| **constant).map(|(entry, _)| *entry).collect();
        let Some(values) = self.initial_values(&fixed, ty) else {
            return self.unsupported("initialiser that is not modelled", span);
        };
        let template = self.template(values, ty, span);
        let source = self.variable_place(template);
        let value = self.read(source);
        self.assign(place, value, span);
        for (entry, _) in entries.iter().zip(constants).filter(|(_, constant)| !**constant) {
            self.store_entry(place, entry, span);
        }
    }

    fn template(&mut self, values: Vec<InitialValue>, ty: TypeId, span: Span) -> VariableId {
        if let [InitialValue { offset: 0, bits: None, value: InitialData::Bytes(bytes) }] = values.as_slice() {
            let mut bytes = bytes.to_vec();
            if let Some(size) = self.program.types.size(ty).filter(|size| *size < 4096) {
                bytes.resize(size as usize, 0);
                return self.string_of(bytes, ty, span);
            }
        }
        let name = format!("$data{}", self.program.variables.len());
        let variable = self.add_static(name, ty, VariableKind::Static, span, Span::NONE);
        self.program.variables[variable].initializer = values.into();
        variable
    }

    /// The object of `(T){...}`, initialised anew.
    pub(super) fn compound_literal(&mut self, id: tree::DeclId) -> PlaceId {
        let declaration = self.unit.declaration(id);
        if declaration.storage == Storage::Automatic {
            self.pin_sizes(declaration.ty);
        }
        let object = self.object(id);
        let place = self.object_place(object);
        if declaration.storage == Storage::Automatic {
            let outer = self.here.sink_span.take();
            match &declaration.initializer {
                Some(entries) => self.initialize(place, entries, declaration.span),
                None => self.zero(place, declaration.span),
            }
            self.here.sink_span = outer;
        }
        place
    }
}
