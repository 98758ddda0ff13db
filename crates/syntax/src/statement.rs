//! Statements and declarations of the unit: the front end's nodes as ours.

use rucc_ast::AsmQuals;
use rucc_sema::{AsmOperandList, Decl, DeclFlags, DeclKind, Definition, InitList, Stmt, StorageDuration};
use rucc_types::Qualifiers;

use crate::ast::*;
use crate::expression::expr;
use crate::types::BitRange;
use crate::unit::{Unit, raw_id};

/// The registers of the machine that a program may name a variable after, behind their `e` or `r`.
const REGISTERS: [&str; 16] =
    ["ax", "bx", "cx", "dx", "si", "di", "bp", "sp", "8", "9", "10", "11", "12", "13", "14", "15"];

impl Unit {
    pub fn statement(&self, id: StmtId) -> Statement {
        let raw = raw_id::<Stmt>(id);
        Statement { kind: self.statement_kind(self.tree[raw]), span: self.span(self.tree.stmt_span(raw)) }
    }

    fn statement_kind(&self, statement: Stmt) -> StatementKind {
        match statement {
            Stmt::Error => StatementKind::Unsupported("a statement with an error".to_string()),
            Stmt::Empty => StatementKind::Empty,
            Stmt::Expr(value) => StatementKind::Expression(expr(value)),
            Stmt::Block(list) => StatementKind::Block(self.tree[list].iter().map(|id| stmt(*id)).collect()),
            Stmt::Decls(list) => self.declarations(list),
            Stmt::If { cond, then, otherwise } => {
                StatementKind::If { condition: expr(cond), then: stmt(then), otherwise: otherwise.map(stmt) }
            }
            Stmt::While { cond, body } => StatementKind::While { condition: expr(cond), body: stmt(body) },
            Stmt::DoWhile { body, cond } => StatementKind::DoWhile { body: stmt(body), condition: expr(cond) },
            Stmt::For { init, cond, step, body } => StatementKind::For {
                init: init.map(stmt),
                condition: cond.map(expr),
                step: step.map(expr),
                body: stmt(body),
            },
            Stmt::Switch { cond, body, cases, default } => StatementKind::Switch {
                value: expr(cond),
                body: stmt(body),
                cases: self.cases(cases),
                default: default.map(stmt),
            },
            Stmt::Case { body, .. } => StatementKind::Case { body: stmt(body) },
            Stmt::Default { body } => StatementKind::Default { body: stmt(body) },
            Stmt::Label { label, body } => StatementKind::Label { label: LabelId(label.raw()), body: stmt(body) },
            Stmt::Goto(label) => StatementKind::Goto(LabelId(label.raw())),
            Stmt::IndirectGoto(target) => StatementKind::ComputedGoto(expr(target)),
            Stmt::Asm(id) => StatementKind::Asm(self.assembler(id)),
            Stmt::Break => StatementKind::Break,
            Stmt::Continue => StatementKind::Continue,
            Stmt::Return(value) => StatementKind::Return(value.map(expr)),
        }
    }

    /// A type name stays in the tree only where it fixes the size of a variable-length array, which the objects of that
    /// type would then have to find again.
    fn declarations(&self, list: rucc_sema::DeclList) -> StatementKind {
        let list = &self.tree[list];
        if list.iter().any(|id| self.tree[*id].kind == DeclKind::Type) {
            return StatementKind::Unsupported("typedef of a variable-length array".to_string());
        }
        StatementKind::Declarations(list.iter().map(|id| DeclId(id.raw())).collect())
    }

    /// The front end sorts by value; the labelled statements stand in the order of the text.
    fn cases(&self, list: rucc_sema::CaseList) -> Vec<Case> {
        let mut cases: Vec<_> = self.tree[list].to_vec();
        cases.sort_by_key(|case| self.tree.stmt_span(case.body).lo);
        cases.iter().map(|case| Case { low: case.low, high: case.high, body: stmt(case.body) }).collect()
    }

    fn assembler(&self, id: rucc_sema::AsmId) -> Asm {
        let asm = self.tree[id];
        let is_empty = self.characters(asm.template).trim().is_empty();
        let opaque = asm.quals.has(AsmQuals::BASIC) && !is_empty;
        let memory = self.tree[asm.clobbers].iter().any(|clobber| self.characters(*clobber) == "memory");
        Asm {
            is_empty,
            outputs: self.operands(asm.outputs),
            inputs: self.operands(asm.inputs),
            clobbers_memory: opaque || memory,
            jumps: !self.tree[asm.labels].is_empty(),
        }
    }

    fn operands(&self, list: AsmOperandList) -> Vec<ExprId> {
        self.tree[list].iter().map(|operand| expr(operand.value)).collect()
    }

    fn characters(&self, id: rucc_sema::StrId) -> String {
        self.tree[id].elements.iter().map(|element| char::from_u32(*element).unwrap_or('?')).collect()
    }

    pub fn declaration(&self, id: DeclId) -> Declaration {
        let raw = raw_id::<Decl>(id);
        let declaration = &self.tree[raw];
        let is_function = declaration.kind == DeclKind::Function;
        let span = match declaration.body {
            Some(_) => self.tree.definition_span(raw),
            None => self.tree.decl_span(raw),
        };
        let extent = self.tree.extent(raw);
        Declaration {
            name: declaration.name.map(|name| self.name(name)),
            ty: self.known_type(declaration.ty),
            span: self.span(span),
            is_function,
            storage: storage(declaration),
            is_defined: if is_function {
                declaration.body.is_some()
            } else {
                declaration.state != Definition::Declared
            },
            is_noreturn: declaration.flags.contains(DeclFlags::NORETURN),
            is_volatile: self
                .raw_types
                .object_quals(self.raw_types.canonical(declaration.ty))
                .has(Qualifiers::VOLATILE),
            initializer: declaration.init.map(|entries| self.entries(entries)),
            extent: (extent > 0).then_some(extent),
            parameters: self.tree[declaration.params].iter().map(|id| DeclId(id.raw())).collect(),
            body: declaration.body.map(stmt),
            cleanup: declaration.cleanup.map(|id| DeclId(id.raw())),
            alias: declaration.alias.map(|name| self.characters(name)),
            runs_outside_main: declaration.startup.asked(),
        }
    }

    /// Whether a static object is a register of the machine: `register long sp asm("esp");`
    pub(crate) fn is_register(&self, id: rucc_sema::DeclId) -> bool {
        let declaration = &self.tree[id];
        let Some(label) = declaration.asm_label else { return false };
        let name = self.characters(label);
        let name = name.trim_start_matches('%');
        declaration.kind == DeclKind::Object
            && REGISTERS.iter().any(|register| name.strip_prefix(['e', 'r']) == Some(register))
    }

    fn entries(&self, list: InitList) -> Vec<InitEntry> {
        let entries = self.tree[list].iter();
        let converted = entries.map(|entry| InitEntry {
            offset: entry.offset,
            bits: entry.is_bit_field().then_some(BitRange { offset: entry.bit_offset, width: entry.bit_width }),
            value: expr(entry.value),
        });
        converted.collect()
    }
}

fn stmt(id: rucc_sema::StmtId) -> StmtId {
    StmtId(id.raw())
}

fn storage(declaration: &Decl) -> Storage {
    match declaration.duration {
        _ if declaration.kind == DeclKind::Function => Storage::Static,
        StorageDuration::Static => Storage::Static,
        StorageDuration::Thread => Storage::Thread,
        StorageDuration::Automatic => Storage::Automatic,
    }
}
