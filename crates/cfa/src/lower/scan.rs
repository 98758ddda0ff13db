//! One walk over the whole tree before lowering: whose address is taken, which functions are used, which labels
//! are values.
//!
//! Knows the tree only.

use tandem_base::Id;
use tandem_syntax::Unit;
use tandem_syntax::ast::*;
use tandem_syntax::types::{Length, Type, TypeId};

/// What the walk found.
#[derive(Default)]
pub(crate) struct Scan {
    address_taken: Vec<bool>,
    used: Vec<bool>,
    /// Objects and functions in the order of their first use.
    pub uses: Vec<DeclId>,
    labels_seen: Vec<bool>,
    /// Labels whose address is taken.
    pub labels: Vec<LabelId>,
}

impl Scan {
    pub fn new(unit: &Unit) -> Scan {
        let mut walk = Walk { unit, scan: Scan::default() };
        for id in unit.top_level() {
            walk.declaration(id);
        }
        walk.scan
    }

    pub fn address_taken(&self, id: DeclId) -> bool {
        self.address_taken.get(id.index()).copied().unwrap_or(false)
    }
}

struct Walk<'u> {
    unit: &'u Unit,
    scan: Scan,
}

impl Walk<'_> {
    fn declaration(&mut self, id: DeclId) {
        let declaration = self.unit.declaration(id);
        for entry in declaration.initializer.iter().flatten() {
            self.expression(entry.value);
        }
        self.sizes(declaration.ty);
        for parameter in &declaration.parameters {
            let ty = self.unit.declaration(*parameter).ty;
            self.sizes(ty);
        }
        if let Some(cleanup) = declaration.cleanup {
            self.use_of(cleanup);
            self.take(id);
        }
        if let Some(body) = declaration.body {
            self.statement(body);
        }
    }

    /// The size expressions of variable-length arrays hang on types only.
    fn sizes(&mut self, ty: TypeId) {
        match *self.unit.types().get(ty) {
            Type::Array { element, length } => {
                if let Length::Variable(id) = length {
                    let size = self.unit.vla_size(id);
                    self.expression(size);
                }
                self.sizes(element);
            }
            Type::Pointer(to) if matches!(self.unit.types().get(to), Type::Array { .. } | Type::Pointer(_)) => {
                self.sizes(to);
            }
            _ => {}
        }
    }

    fn use_of(&mut self, id: DeclId) {
        if !mark(&mut self.scan.used, id) {
            self.scan.uses.push(id);
        }
    }

    fn take(&mut self, id: DeclId) {
        mark(&mut self.scan.address_taken, id);
    }

    fn statement(&mut self, id: StmtId) {
        let kind = self.unit.statement(id).kind;
        if let StatementKind::Declarations(list) = &kind {
            for id in list {
                self.declaration(*id);
            }
        }
        expressions_of(&kind, &mut |child| self.expression(child));
        statements_of(&kind, &mut |child| self.statement(child));
    }

    fn expression(&mut self, id: ExprId) {
        let kind = self.unit.expression(id).kind;
        match &kind {
            ExpressionKind::Declaration(id) => self.use_of(*id),
            ExpressionKind::Address { base: AddressBase::Declaration(id), .. } => {
                self.use_of(*id);
                self.take(*id);
            }
            ExpressionKind::Address { base: AddressBase::Label(label), .. } | ExpressionKind::LabelAddress(label) => {
                self.label(*label);
            }
            ExpressionKind::LabelDifference { to, from } => {
                self.label(*to);
                self.label(*from);
            }
            ExpressionKind::AddressOf(place) | ExpressionKind::Decay(place) => self.root(*place),
            ExpressionKind::Subscript { pointer, index } => {
                self.element(*pointer);
                self.expression(*index);
                return;
            }
            ExpressionKind::Deref(pointer) => {
                self.element(*pointer);
                return;
            }
            ExpressionKind::CompoundLiteral(id) => self.declaration(*id),
            ExpressionKind::StatementExpression(body) => self.statement(*body),
            _ => {}
        }
        children(&kind, &mut |child| self.expression(child));
    }

    fn label(&mut self, id: LabelId) {
        if self.scan.labels_seen.len() <= id.index() {
            self.scan.labels_seen.resize(id.index() + 1, false);
        }
        if !std::mem::replace(&mut self.scan.labels_seen[id.index()], true) {
            self.scan.labels.push(id);
        }
    }

    /// An array that decays only to be indexed keeps its address to itself.
    fn element(&mut self, pointer: ExprId) {
        match self.unit.expression(pointer).kind {
            ExpressionKind::Decay(array) => self.expression(array),
            _ => self.expression(pointer),
        }
    }

    fn root(&mut self, mut place: ExprId) {
        loop {
            match self.unit.expression(place).kind {
                ExpressionKind::Declaration(id) => return self.take(id),
                ExpressionKind::Member { base, .. } => place = base,
                ExpressionKind::Subscript { pointer, .. } | ExpressionKind::Deref(pointer) => {
                    match self.unit.expression(pointer).kind {
                        ExpressionKind::Decay(array) => place = array,
                        _ => return,
                    }
                }
                _ => return,
            }
        }
    }
}

fn mark(set: &mut Vec<bool>, id: DeclId) -> bool {
    if set.len() <= id.index() {
        set.resize(id.index() + 1, false);
    }
    std::mem::replace(&mut set[id.index()], true)
}

/// The operands of an expression; not the statement of a statement expression, nor what declarations carry.
pub(super) fn children(kind: &ExpressionKind, visit: &mut impl FnMut(ExprId)) {
    use ExpressionKind::*;
    match kind {
        Integer(_)
        | Float(_)
        | Address { .. }
        | LabelDifference { .. }
        | String(_)
        | Declaration(_)
        | CompoundLiteral(_)
        | StatementExpression(_)
        | LabelAddress(_)
        | Unsupported(_) => {}
        Member { base: one, .. }
        | Deref(one)
        | AddressOf(one)
        | Unary { operand: one, .. }
        | Step { place: one, .. }
        | Load(one)
        | Decay(one)
        | FunctionDecay(one)
        | Convert(one)
        | VaStart { list: one }
        | VaArg { list: one }
        | VaEnd { list: one } => visit(*one),
        Subscript { pointer: left, index: right }
        | Binary { left, right, .. }
        | Assign { place: left, value: right, .. }
        | Comma { left, right }
        | VaCopy { to: left, from: right } => {
            visit(*left);
            visit(*right);
        }
        Conditional { condition, then, otherwise } => {
            visit(*condition);
            if let Some(then) = then {
                visit(*then);
            }
            visit(*otherwise);
        }
        Call { callee, arguments } => {
            visit(*callee);
            arguments.iter().for_each(|argument| visit(*argument));
        }
        Builtin { arguments, .. } => arguments.iter().for_each(|argument| visit(*argument)),
    }
}

/// The expressions a statement evaluates itself.
pub(super) fn expressions_of(kind: &StatementKind, visit: &mut impl FnMut(ExprId)) {
    use StatementKind::*;
    match kind {
        Expression(one)
        | If { condition: one, .. }
        | While { condition: one, .. }
        | DoWhile { condition: one, .. }
        | Switch { value: one, .. }
        | ComputedGoto(one)
        | Return(Some(one)) => visit(*one),
        For { condition, step, .. } => condition.iter().chain(step).for_each(|one| visit(*one)),
        Asm(asm) => asm.outputs.iter().chain(&asm.inputs).for_each(|one| visit(*one)),
        Empty
        | Block(_)
        | Declarations(_)
        | Case { .. }
        | Default { .. }
        | Label { .. }
        | Goto(_)
        | Break
        | Continue
        | Return(None)
        | Unsupported(_) => {}
    }
}

/// The statements inside a statement.
pub(super) fn statements_of(kind: &StatementKind, visit: &mut impl FnMut(StmtId)) {
    use StatementKind::*;
    match kind {
        Block(list) => list.iter().for_each(|one| visit(*one)),
        If { then, otherwise, .. } => std::iter::once(then).chain(otherwise).for_each(|one| visit(*one)),
        While { body, .. }
        | DoWhile { body, .. }
        | Switch { body, .. }
        | Case { body }
        | Default { body }
        | Label { body, .. } => visit(*body),
        For { init, body, .. } => init.iter().chain(std::iter::once(body)).for_each(|one| visit(*one)),
        Empty | Expression(_) | Declarations(_) | Goto(_) | ComputedGoto(_) | Asm(_) | Break | Continue | Return(_)
        | Unsupported(_) => {}
    }
}
