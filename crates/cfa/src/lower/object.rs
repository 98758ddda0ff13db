//! Variables and functions for the tree's declarations; string literals.
//!
//! Knows nothing of statements.

use tandem_base::{Id, IdRange, Problem, Span};
use tandem_syntax::ast as tree;
use tandem_syntax::types::{Field, IntKind, Length, Record, RecordId, Type, TypeId};
use tree::{Declaration, Storage};

use super::Lowering;
use super::mask::{MEMORY, local_bit};
use crate::model::*;

/// What a declared object is in the automaton.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Object {
    Variable(VariableId),
    /// The first member of a variable whose record carries more bytes than the object's type says.
    Extended(VariableId, RecordId),
    /// A variable-length array: the variable points to it.
    Behind(VariableId),
}

impl Lowering<'_> {
    pub(super) fn declare_function(&mut self, id: tree::DeclId, declaration: &Declaration) -> FunctionId {
        let name = declaration.name.clone().unwrap_or_default();
        if let Some(&known) = self.function_names.get(&name) {
            let function = &mut self.program.functions[known];
            if declaration.body.is_some() {
                (function.ty, function.span) = (declaration.ty, declaration.span);
            }
            function.is_noreturn |= declaration.is_noreturn;
            self.functions.insert(id, known);
            return known;
        }
        let is_library = declaration.body.is_some() && self.program.source.is_appendix(declaration.span.lo);
        let function = self.program.functions.push(Function {
            name: name.as_str().into(),
            ty: declaration.ty,
            span: declaration.span,
            body: None,
            is_noreturn: declaration.is_noreturn,
            is_library,
        });
        if let Some(target) = &declaration.alias {
            self.aliases.push((name.clone(), target.clone()));
        }
        if declaration.runs_outside_main && declaration.body.is_some() {
            self.outside_main.push(name.clone());
        }
        self.function_names.insert(name, function);
        self.functions.insert(id, function);
        function
    }

    /// A function that is only another name of one that is defined here.
    pub(super) fn resolve_aliases(&mut self) {
        let aliases = std::mem::take(&mut self.aliases);
        for (name, target) in aliases {
            let Some(&target) = self.function_names.get(&target) else { continue };
            let Some(old) = self.function_names.insert(name, target) else { continue };
            for function in self.functions.values_mut().filter(|function| **function == old) {
                *function = target;
            }
        }
    }

    pub(super) fn function(&mut self, id: tree::DeclId) -> FunctionId {
        match self.functions.get(&id) {
            Some(&function) => function,
            None => {
                let declaration = self.unit.declaration(id);
                if declaration.body.is_some() {
                    return self.nested_function(&declaration);
                }
                self.declare_function(id, &declaration)
            }
        }
    }

    /// A function that is defined inside of another one. All functions at file scope are known before the first body is
    /// lowered. Its declaration and every use of it are steps that are not modelled, because a jump may pass the former.
    fn nested_function(&mut self, declaration: &Declaration) -> FunctionId {
        if self.here.is_open() {
            self.unsupported("nested function", declaration.span);
        }
        let name = format!("$nested_{}", declaration.name.as_deref().unwrap_or_default());
        if let Some(&known) = self.function_names.get(&name) {
            return known;
        }
        let function = self.program.functions.push(Function {
            name: name.as_str().into(),
            ty: declaration.ty,
            span: declaration.span,
            body: None,
            is_noreturn: declaration.is_noreturn,
            is_library: false,
        });
        self.function_names.insert(name, function);
        function
    }

    /// The object of a declaration, made when it is first asked for.
    pub(super) fn object(&mut self, id: tree::DeclId) -> Object {
        if let Some(&object) = self.objects.get(&id) {
            return object;
        }
        let declaration = self.unit.declaration(id);
        match declaration.storage {
            Storage::Static | Storage::Thread => self.static_object(id, &declaration),
            Storage::Automatic => self.automatic_object(id, &declaration),
        }
    }

    fn static_object(&mut self, id: tree::DeclId, declaration: &Declaration) -> Object {
        let inside = self.here.is_open() && !self.here.scopes.is_empty();
        // An object with linkage is declared once; a declaration in a block that defines nothing means the global one.
        let linked = declaration.name.clone().filter(|_| !inside || !declaration.is_defined);
        let named = declaration.alias.clone().or_else(|| linked.clone());
        if let Some(&object) = named.and_then(|name| self.object_names.get(&name)) {
            self.objects.insert(id, object);
            return object;
        }
        let kind = match (&declaration.name, declaration.is_defined) {
            (None, _) => VariableKind::Static,
            (Some(_), false) => VariableKind::External,
            (Some(_), true) if inside => VariableKind::Static,
            (Some(_), true) => VariableKind::Global,
        };
        let scope = match (&declaration.name, inside) {
            (None, _) => Span::NONE,
            (Some(_), true) => self.here.scope_from(declaration.span),
            (Some(_), false) => Span::new(declaration.span.lo, self.program.source.text().len() as u32),
        };
        let name = declaration.name.clone().unwrap_or_else(|| format!("$literal{}", id.0));
        let (ty, extended) = self.extended_type(declaration);
        let variable = self.add_static(name, ty, kind, declaration.span, scope);
        let object = match extended {
            Some(record) => Object::Extended(variable, record),
            None => Object::Variable(variable),
        };
        self.objects.insert(id, object);
        if let Some(name) = linked {
            self.object_names.insert(name, object);
        }
        // Only now: the initialiser may point to the object itself.
        if let Some(entries) = &declaration.initializer {
            self.initialize_static(variable, entries, declaration.span);
        }
        object
    }

    pub(super) fn add_static(
        &mut self,
        name: String,
        ty: TypeId,
        kind: VariableKind,
        span: Span,
        scope: Span,
    ) -> VariableId {
        let in_memory = self.scalar(ty).is_none();
        let initializer = Box::default();
        let variable = Variable { name: name.into(), ty, kind, function: None, span, scope, initializer, in_memory };
        self.add_variable(variable, MEMORY)
    }

    fn initialize_static(&mut self, variable: VariableId, entries: &[tree::InitEntry], span: Span) {
        let ty = self.program.variables[variable].ty;
        match self.initial_values(entries, ty) {
            Some(values) => self.program.variables[variable].initializer = values.into(),
            None => {
                // A proof holds for any value; an alarm may need one that the object never has, so that uses are marked.
                self.program.variables[variable].kind = VariableKind::External;
                self.unmodelled.insert(variable);
                let name = &self.program.variables[variable].name;
                let message = format!("the initialiser of '{name}' is not modelled");
                self.problems.push(Problem::warning(span, message));
            }
        }
    }

    /// A flexible array member with an initialiser makes the object larger than its type.
    fn extended_type(&mut self, declaration: &Declaration) -> (TypeId, Option<RecordId>) {
        let size = self.program.types.size(declaration.ty);
        let (Some(extent), Some(size)) = (declaration.extent, size) else { return (declaration.ty, None) };
        if extent <= size {
            return (declaration.ty, None);
        }
        let char = self.program.types.int(IntKind::Char);
        let rest = Type::Array { element: char, length: Length::Fixed(extent - size) };
        let rest = self.program.types.intern(rest);
        let align = self.program.types.align(declaration.ty);
        let field = |name: &str, ty, offset| Field { name: Some(name.into()), ty, offset, bits: None };
        let record = self.program.types.records.push(Record {
            name: None,
            is_union: false,
            fields: vec![field("object", declaration.ty, 0), field("rest", rest, size)],
            size: extent,
            align,
            complete: true,
            variable: false,
        });
        (self.program.types.intern(Type::Record(record)), Some(record))
    }

    fn automatic_object(&mut self, id: tree::DeclId, declaration: &Declaration) -> Object {
        let scope = match declaration.name {
            Some(_) => self.here.scope_from(declaration.span),
            None => Span::NONE,
        };
        let name = declaration.name.clone().unwrap_or_else(|| format!("$literal{}", id.0));
        let object = if self.is_variable(declaration.ty) {
            let element = match *self.program.types.get(declaration.ty) {
                Type::Array { element, .. } => element,
                _ => declaration.ty,
            };
            let pointer = self.program.types.pointer(element);
            let name = format!("$vla_{name}");
            let variable = self.add_local(name, pointer, VariableKind::Temporary, declaration.span, Span::NONE, 0);
            Object::Behind(variable)
        } else {
            let hidden = declaration.name.is_none() || self.scan.address_taken(id);
            let mask = if hidden { MEMORY } else { local_bit(id) };
            let kind = VariableKind::Local;
            Object::Variable(self.add_local(name, declaration.ty, kind, declaration.span, scope, mask))
        };
        self.objects.insert(id, object);
        object
    }

    /// The place of an object that is no variable-length array.
    pub(super) fn object_place(&mut self, object: Object) -> PlaceId {
        if let Object::Variable(variable) | Object::Extended(variable, _) = object {
            self.use_unmodelled(variable);
        }
        match object {
            Object::Variable(variable) => self.variable_place(variable),
            Object::Extended(variable, record) => {
                let whole = self.variable_place(variable);
                let ty = self.program.types.records[record].fields[0].ty;
                self.add_place(PlaceKind::Field(whole, record, 0), ty)
            }
            Object::Behind(variable) => {
                let pointer = self.variable_place(variable);
                let pointer = self.read(pointer);
                let ty = self.program.types.pointee(self.type_of(pointer)).unwrap_or(self.known.void);
                self.deref(pointer, ty)
            }
        }
    }

    /// Marks the use of an object whose initialiser is not modelled.
    fn use_unmodelled(&mut self, variable: VariableId) {
        if !self.unmodelled.contains(&variable) {
            return;
        }
        if self.here.is_open() {
            let span = self.program.variables[variable].span;
            self.unsupported("object with an initialiser that is not modelled", span);
        } else {
            self.unmodelled_escapes = true;
        }
    }

    /// The variable that holds a string literal of the source.
    pub(super) fn string(&mut self, id: tree::StringId, ty: TypeId, span: Span) -> VariableId {
        let mut bytes = self.unit.string(id);
        if let Some(size) = self.program.types.size(ty) {
            bytes.resize(size as usize, 0);
        }
        self.string_of(bytes, ty, span)
    }

    pub(super) fn string_of(&mut self, bytes: Vec<u8>, ty: TypeId, span: Span) -> VariableId {
        let key = (span, ty, bytes);
        if let Some(&known) = self.strings.get(&key) {
            return known;
        }
        let name = format!("$string{}", self.strings.len());
        let variable = self.add_static(name, ty, VariableKind::StringLiteral, span, Span::NONE);
        let value = InitialData::Bytes(key.2.clone().into());
        self.program.variables[variable].initializer = Box::new([InitialValue { offset: 0, bits: None, value }]);
        self.strings.insert(key, variable);
        variable
    }

    /// A decision of the function that is being lowered.
    pub(super) fn decision(&mut self, kind: DecisionKind, span: Span, statement: Span, outcomes: u32) -> DecisionId {
        let function = self.here.function;
        self.program.decisions.push(Decision { kind, span, statement, function, outcomes })
    }

    pub(super) fn condition(&mut self, span: Span, decision: DecisionId) -> ConditionId {
        self.program.conditions.push(Condition { span, decision })
    }

    pub(super) fn add_nodes(&mut self, function: FunctionId, count: usize) -> IdRange<NodeId> {
        let start = self.program.nodes.next_id();
        let out = IdRange::new(EdgeId::from_index(0), EdgeId::from_index(0));
        for _ in 0..count {
            self.program.nodes.push(Node { function, out });
        }
        IdRange::new(start, self.program.nodes.next_id())
    }
}
