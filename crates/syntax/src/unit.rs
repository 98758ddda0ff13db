//! The translation unit: what [`parse`] returns and everyone else walks.
//!
//! A unit is a view: it holds the front end's tree and makes nodes of [`crate::ast`] when they are asked for.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rucc_base::{Interner, Symbol};
use rucc_sema::{ExprKind, Tast};
use rucc_target::TargetInfo;
use rucc_types as raw;
use tandem_base::{FastBuild, Id, Problem, SourceText, Span};

use crate::ast::*;
use crate::convert::{TypeConverter, TypeMap};
use crate::driver::{self, Tree};
use crate::nesting;
use crate::stack::on_large_stack;
use crate::types::{DataModel, Length, Scalar, Type, TypeId, Types, VlaId};

/// A typed translation unit.
pub struct Unit {
    pub(crate) tree: Tast,
    pub(crate) raw_types: raw::Types,
    pub(crate) names: Interner,
    pub(crate) target: TargetInfo,
    model: DataModel,
    types: Types,
    /// The type of every expression, so that a node costs no lookup.
    expression_types: Vec<TypeId>,
    type_map: TypeMap,
    /// What the views need to know of each type when the types themselves are taken.
    scalars: Vec<Option<Scalar>>,
    pointees: Vec<Option<TypeId>>,
    vla_sizes: HashMap<ExprId, VlaId, FastBuild>,
    /// What the front end counts as the first byte of the text.
    base: u32,
    length: u32,
}

/// What the front end made of a text. With a problem of severity `Error`, the unit is not to be used.
pub struct Parsed {
    pub unit: Unit,
    pub problems: Vec<Problem>,
}

/// Reads a preprocessed C text. Needs a large stack for deeply nested input: runs on a thread of its own, unless
/// the caller is inside [`on_large_stack`] already.
pub fn parse(source: &SourceText, model: DataModel) -> Parsed {
    parse_after("", source, model)
}

/// The same behind declarations that are no part of the text.
pub fn parse_after(prelude: &str, source: &SourceText, model: DataModel) -> Parsed {
    match on_large_stack(|| parse_here(prelude, source, model)) {
        Ok(parsed) => parsed,
        Err(error) => {
            let problem = Problem::error(Span::NONE, format!("cannot start a thread to parse on: {error}"));
            Parsed { unit: Unit::empty(model), problems: vec![problem] }
        }
    }
}

fn parse_here(prelude: &str, source: &SourceText, model: DataModel) -> Parsed {
    if let Some(problem) = nesting::check(source.text()) {
        return Parsed { unit: Unit::empty(model), problems: vec![problem] };
    }
    // A defect of the front end must not take the whole program down.
    let run = || driver::run(source.file(), prelude, source.text(), model);
    let (tree, problems) = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        (None, vec![Problem::error(Span::NONE, "the front end failed on this text: that is a defect of it")])
    });
    let unit = match tree {
        Some(tree) => Unit::new(tree, model, source.text().len() as u32),
        None => Unit::empty(model),
    };
    Parsed { unit, problems }
}

impl Unit {
    fn empty(model: DataModel) -> Unit {
        Unit::new(driver::empty(model), model, 0)
    }

    fn new(tree: Tree, model: DataModel, length: u32) -> Unit {
        let checked = tree.checked;
        let mut converter = TypeConverter::new(&checked.types, &tree.names, &tree.target, Types::new(model));
        let expression_types = convert_types(&checked.tast, &mut converter);
        let (types, type_map) = (converter.types, converter.map);
        let scalars = types.iter().map(|(id, _)| types.scalar(id)).collect();
        let pointees = types.iter().map(|(id, _)| types.pointee(id)).collect();
        let vla_sizes = types.iter().filter_map(|(_, ty)| match *ty {
            Type::Array { length: Length::Variable(id), .. } => {
                Some((ExprId(checked.tast.vla_size(raw::VlaId(id.0)).raw()), id))
            }
            _ => None,
        });
        let vla_sizes = vla_sizes.collect();
        Unit {
            tree: checked.tast,
            raw_types: checked.types,
            names: tree.names,
            target: tree.target,
            model,
            types,
            expression_types,
            type_map,
            scalars,
            pointees,
            vla_sizes,
            base: tree.base,
            length,
        }
    }

    pub fn types(&self) -> &Types {
        &self.types
    }

    /// Takes the types out, for the program that is made from this unit.
    pub fn take_types(&mut self) -> Types {
        std::mem::replace(&mut self.types, Types::new(self.model))
    }

    /// Objects and functions at file scope, each once, in the order they were declared.
    pub fn top_level(&self) -> Vec<DeclId> {
        let mut seen = vec![false; self.tree.counts().decls];
        let all = self.tree.top_level().iter();
        let fresh = all.filter(|id| !std::mem::replace(&mut seen[id.index()], true));
        fresh.filter(|id| self.tree[**id].kind != rucc_sema::DeclKind::Type).map(|id| DeclId(id.raw())).collect()
    }

    pub fn label(&self, id: LabelId) -> Label {
        Label { name: self.name(self.tree[raw_id::<rucc_sema::Label>(id)].name) }
    }

    /// The bytes of a string literal as they lie in memory, terminating zero included.
    pub fn string(&self, id: StringId) -> Vec<u8> {
        self.tree[raw_id::<rucc_lex::StringLiteral>(id)].bytes(&self.target)
    }

    /// The expression that gives the number of elements of a variable-length array type.
    ///
    /// It is to be evaluated once, where the type is declared. The same expression then stands inside `sizeof` of the type and
    /// below pointer arithmetic on it, where it means the value of then: see [`Unit::vla_of`].
    pub fn vla_size(&self, id: VlaId) -> ExprId {
        ExprId(self.tree.vla_size(raw::VlaId(id.0)).raw())
    }

    /// The variable-length array type that an expression gives the number of elements of.
    pub fn vla_of(&self, id: ExprId) -> Option<VlaId> {
        self.vla_sizes.get(&id).copied()
    }

    pub(crate) fn name(&self, symbol: Symbol) -> String {
        self.names.resolve(symbol).to_string()
    }

    pub(crate) fn span(&self, span: rucc_diag::Span) -> Span {
        driver::raw_span(span, self.base, self.length)
    }

    /// The type of an expression without making its node.
    pub fn type_of(&self, id: ExprId) -> TypeId {
        self.expression_types[id.index()]
    }

    /// What a value of this type is made of; also after [`Unit::take_types`].
    pub(crate) fn scalar_of(&self, ty: TypeId) -> Option<Scalar> {
        self.scalars[ty.index()]
    }

    /// What a pointer type points to; also after [`Unit::take_types`].
    pub(crate) fn pointee_of(&self, ty: TypeId) -> Option<TypeId> {
        self.pointees[ty.index()]
    }

    /// A type that [`convert_types`] has met.
    pub(crate) fn known_type(&self, ty: raw::TypeId) -> TypeId {
        self.type_map[&ty]
    }
}

/// Our id as the index the front end's tables want.
pub(crate) fn raw_id<T>(id: impl Id) -> rucc_base::Idx<T> {
    rucc_base::Idx::from_usize(id.index())
}

/// Converts every type that a node of the tree mentions; returns those of the expressions.
fn convert_types(tree: &Tast, converter: &mut TypeConverter<'_>) -> Vec<TypeId> {
    let counts = tree.counts();
    for index in 0..counts.decls {
        converter.convert(tree[rucc_sema::DeclId::from_usize(index)].ty);
    }
    let mut types = Vec::with_capacity(counts.exprs);
    for index in 0..counts.exprs {
        let expression = tree[rucc_sema::ExprId::from_usize(index)];
        types.push(converter.convert(expression.ty));
        if let ExprKind::Assign { computation, .. } = expression.kind {
            converter.convert(computation);
        }
    }
    types
}
