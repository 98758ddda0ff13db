//! Each invariant, broken on purpose in an otherwise well-formed program.

use tandem_base::SourceText;
use tandem_syntax::DataModel;
use tandem_syntax::types::{IntKind, Type};

use super::check;
use crate::model::*;

fn program() -> Program {
    let text = "struct s { int a; unsigned b : 3; } s; int g = 5; int h(int x) { return x; }
        int f(int x) { int y; if (x < 5) y = h(x); else y = s.a; while (y) y--; return y; }
        int main(void) { return f(3); }";
    let built = crate::build(SourceText::plain("a.c", text.as_bytes().to_vec()), DataModel::Lp64);
    let program = built.program.unwrap_or_else(|| panic!("{:?}", built.problems));
    assert_eq!(check(&program), []);
    program
}

/// The numbers of the invariants that the change breaks.
#[track_caller]
fn breaks(invariant: u8, change: impl FnOnce(&mut Program)) {
    let mut program = program();
    change(&mut program);
    let found: Vec<u8> = check(&program).iter().map(|violation| violation.invariant).collect();
    assert!(found.contains(&invariant), "{invariant} is not among {found:?}");
}

fn edge(program: &mut Program, wanted: impl Fn(&Op) -> bool) -> EdgeId {
    program.edges.enumerate().find(|(_, edge)| wanted(&edge.op)).unwrap().0
}

fn is_assign(op: &Op) -> bool {
    matches!(op, Op::Assign { .. })
}

fn function(program: &Program, name: &str) -> FunctionId {
    program.function_named(name).unwrap()
}

fn body<'a>(program: &'a mut Program, name: &str) -> &'a mut Body {
    let id = function(program, name);
    program.functions[id].body.as_mut().unwrap()
}

#[test]
fn ids_and_types() {
    breaks(1, |p| p.entry = Some(FunctionId(99)));
    breaks(1, |p| p.edges[EdgeId(0)].target = NodeId(9999));
    breaks(1, |p| p.statements[0].node = NodeId(9999));
    breaks(2, |p| {
        let next = tandem_syntax::types::TypeId(p.types.len() as u32);
        p.types.intern(Type::Pointer(next));
    });
    breaks(2, |p| {
        let record = p.types.records.ids().next().unwrap();
        let ty = p.types.intern(Type::Record(record));
        p.types.records[record].fields[0].ty = ty;
    });
    breaks(3, |p| {
        let int = p.types.int(IntKind::Int);
        let itself = ExprId(p.arena.exprs().len() as u32);
        p.arena.add_expr(ExprKind::Unary(UnaryOp::Neg, itself), int);
    });
}

#[test]
fn graphs() {
    breaks(4, |p| p.functions[FunctionId(0)].ty = p.types.int(IntKind::Int));
    breaks(5, |p| p.nodes[NodeId(0)].function = FunctionId(1));
    breaks(6, |p| p.nodes[NodeId(0)].out.end.0 += 1);
    breaks(7, |p| {
        let last = NodeId(p.nodes.len() as u32 - 1);
        p.edges[EdgeId(0)].target = last;
    });
    breaks(8, |p| {
        let id = edge(p, is_assign);
        let exit = p.functions[p.function_of(id)].body.as_ref().unwrap().exit;
        p.edges[id].target = exit;
    });
    breaks(9, |p| {
        let id = edge(p, |op| matches!(op, Op::Assume { .. }));
        p.edges[id].op = Op::Skip;
    });
    breaks(9, |p| {
        let id = edge(p, is_assign);
        let int = p.types.int(IntKind::Int);
        let condition = p.arena.add_expr(ExprKind::Bits(1), int);
        p.edges[id].op = Op::Assume { condition, truth: true };
    });
    breaks(11, |p| {
        let entry = body(p, "f").entry;
        for id in p.out(entry).iter() {
            p.edges[id].target = entry;
        }
    });
}

#[test]
fn types_of_terms() {
    let int = |p: &mut Program| p.types.int(IntKind::Int);
    breaks(12, |p| {
        let int = int(p);
        p.arena.add_expr(ExprKind::Bits(1 << 40), int);
    });
    breaks(13, |p| {
        let int = int(p);
        p.arena.add_expr(ExprKind::Zero, int);
    });
    breaks(14, |p| {
        let int = int(p);
        p.arena.add_expr(ExprKind::AddressOf(PlaceId(0)), int);
    });
    breaks(15, |p| {
        let long = p.types.int(IntKind::Long);
        let int = int(p);
        let one = p.arena.add_expr(ExprKind::Bits(1), int);
        p.arena.add_expr(ExprKind::Binary(BinaryOp::Add, one, one), long);
    });
    breaks(16, |p| {
        let void = p.types.intern(Type::Void);
        p.arena.add_place(PlaceKind::Variable(VariableId(0)), void);
    });
    breaks(17, |p| {
        let record = p.types.records.ids().next().unwrap();
        let ty = p.types.intern(Type::Record(record));
        let zero = p.arena.add_expr(ExprKind::Zero, ty);
        let id = edge(p, |op| matches!(op, Op::Return { .. }));
        p.edges[id].op = Op::Return { value: Some(zero) };
    });
}

#[test]
fn steps_and_data() {
    let long_one = |p: &mut Program| {
        let long = p.types.int(IntKind::Long);
        p.arena.add_expr(ExprKind::Bits(1), long)
    };
    breaks(18, |p| {
        let one = long_one(p);
        let id = edge(p, is_assign);
        if let Op::Assign { value, .. } = &mut p.edges[id].op {
            *value = one;
        }
    });
    breaks(19, |p| {
        let id = edge(p, |op| matches!(op, Op::Call { .. }));
        if let Op::Call { arguments, .. } = &mut p.edges[id].op {
            *arguments = Box::new([]);
        }
    });
    breaks(20, |p| {
        let one = long_one(p);
        let id = edge(p, |op| matches!(op, Op::Return { .. }));
        p.edges[id].op = Op::Return { value: Some(one) };
    });
    breaks(22, |p| {
        let other = body(p, "h").parameters[0];
        let ty = p.variables[other].ty;
        let place = p.arena.add_place(PlaceKind::Variable(other), ty);
        let id = edge(p, is_assign);
        if let Op::Assign { place: target, .. } = &mut p.edges[id].op {
            *target = place;
        }
    });
    breaks(23, |p| body(p, "f").locals = Box::new([]));
    breaks(23, |p| body(p, "f").parameters = Box::new([]));
    breaks(24, |p| {
        let id = p.variables.enumerate().find(|(_, v)| &*v.name == "g").unwrap().0;
        p.variables[id].initializer[0].offset = 1;
    });
    breaks(25, |p| {
        let id = p.variables.enumerate().find(|(_, v)| &*v.name == "s").unwrap().0;
        p.variables[id].in_memory = false;
    });
    breaks(26, |p| p.decisions[DecisionId(0)].outcomes = 3);
    breaks(27, |p| {
        let id = edge(p, is_assign);
        p.edges[id].condition = Some(ConditionId(0));
    });
}
