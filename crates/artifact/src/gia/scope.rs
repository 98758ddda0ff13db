//! What the names of a guard mean: those in scope at the place just behind an edge.
//!
//! - Behind most edges that is the end of the edge's text, in its function (behind a `return`: still inside the function); behind an
//!   edge to the head of a loop it is where the loop decides.
//! - A call that enters a body of the user's program leads to the beginning of that body: globals and parameters.
//! - A call of a function without a body, or of a library model, leaves the names as they are; `\result` is its result.
//! - A call through a pointer may lead anywhere: only globals have a meaning behind it.
//!
//! Knows no file format and no solver.

use tandem_base::{Id, Problem, Span};
use tandem_cfa::expression::{Context, Formula, Names, parse_formula};
use tandem_cfa::types::{Type, TypeId};
use tandem_cfa::{Callee, EdgeId, FunctionId, Op, PlaceId, PlaceKind, Program, Variable, VariableKind};

/// The place whose names count.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Scope {
    pub function: FunctionId,
    /// A byte of the source.
    pub at: u32,
}

/// Whether the edge is a step of paths: one of the user's program and not of a library model.
pub fn is_path_step(program: &Program, edge: EdgeId) -> bool {
    !program.functions[program.function_of(edge)].is_library
}

/// The place just behind an edge.
pub fn scope_behind(program: &Program, edge: EdgeId) -> Scope {
    let function = program.function_of(edge);
    match &program.edges[edge].op {
        Op::Call { callee: Callee::Direct(callee), .. } => match entered(program, *callee) {
            Some(callee) => Scope { function: callee, at: beginning(program, callee) },
            None => Scope { function, at: place_behind(program, edge) },
        },
        // Every local's scope ends before the end of the text.
        Op::Call { callee: Callee::Pointer(_), .. } => Scope { function, at: program.source.text().len() as u32 },
        Op::Call { callee: Callee::Builtin(_), .. }
        | Op::Skip
        | Op::Assume { .. }
        | Op::Assign { .. }
        | Op::Return { .. }
        | Op::Declare(_)
        | Op::Unsupported { .. } => Scope { function, at: place_behind(program, edge) },
    }
}

/// Behind an edge to the head of a loop that is where the loop decides whether to go on: what was declared inside it is gone.
fn place_behind(program: &Program, edge: EdgeId) -> u32 {
    let target = program.edges[edge].target;
    let body = program.functions[program.function_of(edge)].body.as_ref();
    let found = body.and_then(|body| body.loops.iter().find(|statement| statement.head == target));
    match found {
        Some(statement) => {
            let control = program.decisions.iter().find(|decision| decision.statement == statement.span);
            control.map_or(statement.span.lo, |decision| decision.span.lo)
        }
        None => end_of(program, edge),
    }
}

/// The function of the user's program whose body a call of this function enters.
fn entered(program: &Program, function: FunctionId) -> Option<FunctionId> {
    let content = &program.functions[function];
    (content.body.is_some() && !content.is_library).then_some(function)
}

fn end_of(program: &Program, edge: EdgeId) -> u32 {
    let span = program.edges[edge].span;
    if span.is_none() { beginning(program, program.function_of(edge)) } else { span.hi }
}

/// A byte where the parameters of a function are in scope and none of its locals is.
fn beginning(program: &Program, function: FunctionId) -> u32 {
    let content = &program.functions[function];
    let Some(body) = &content.body else { return content.span.hi };
    let of_parameters = body.parameters.iter().map(|parameter| program.variables[*parameter].scope);
    if let Some(scope) = of_parameters.into_iter().find(|scope| !scope.is_none()) {
        return scope.lo;
    }
    let first = program.out(body.entry).iter().map(|edge| program.edges[edge].span).find(|span| !span.is_none());
    first.map_or(content.span.hi, |span| span.lo.saturating_sub(1))
}

/// What a guard means behind an edge. Problems have spans in `text`. `names` are those of the program.
pub fn guard_formula(program: &mut Program, names: &Names, edge: EdgeId, text: &str) -> Result<Formula, Problem> {
    let Scope { function, at } = scope_behind(program, edge);
    let result = if text.contains("\\result") { result_place(program, edge) } else { None };
    parse_formula(program, Context { names, function, at, result }, text)
}

/// Where `\result` is to be found behind the call of a function without a body: the variable that the call stores its result in. If
/// it stores it nowhere, or in a place that is not a variable, a new temporary of the caller: whoever uses the formula has to store
/// the result there, too. Nothing for other edges.
pub fn result_place(program: &mut Program, edge: EdgeId) -> Option<PlaceId> {
    let Op::Call { callee: Callee::Direct(callee), result, .. } = &program.edges[edge].op else { return None };
    if entered(program, *callee).is_some() {
        return None;
    }
    let (callee, result) = (*callee, *result);
    if let Some(place) = result.filter(|place| matches!(program.place(*place).kind, PlaceKind::Variable(_))) {
        return Some(place);
    }
    let Type::Function(signature) = program.types.get(program.functions[callee].ty) else { return None };
    let ty = signature.result;
    program.types.scalar(ty)?;
    Some(temporary(program, edge, ty))
}

/// The temporary for the result of the call, the same each time.
fn temporary(program: &mut Program, edge: EdgeId, ty: TypeId) -> PlaceId {
    let name = format!("result${}", edge.index());
    let known = program.variables.enumerate().find(|(_, variable)| *variable.name == *name).map(|(id, _)| id);
    let variable = known.unwrap_or_else(|| {
        let function = program.function_of(edge);
        let variable = program.variables.push(Variable {
            name: name.into(),
            ty,
            kind: VariableKind::Temporary,
            function: Some(function),
            span: program.edges[edge].span,
            scope: Span::NONE,
            initializer: Box::new([]),
            in_memory: false,
        });
        if let Some(body) = &mut program.functions[function].body {
            let mut locals = std::mem::take(&mut body.locals).into_vec();
            locals.push(variable);
            body.locals = locals.into();
        }
        variable
    });
    program.arena.add_place(PlaceKind::Variable(variable), ty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gia::testing::{edge, program};

    const TEXT: &str = "extern int input(void);
int g;
void bump(void) { int g2 = g; g = g2 + 1; }
int twice(int a) { int b = a + a; return b; }
int main(void) {
  int x = input();
  input();
  for (int i = 0; i < 3; i++) { int y = twice(x); g += y; }
  int (*p)(int) = twice;
  x = p(1);
  bump();
  return x;
}
";

    fn accepted(line: u32, kind: &str, texts: &[&str], refused: &[&str]) {
        let mut program = program(TEXT);
        let names = Names::of(&program);
        let edge = edge(&program, &format!("{line}:"), kind);
        for text in texts {
            guard_formula(&mut program, &names, edge, text).unwrap_or_else(|problem| panic!("{text}: {problem:?}"));
        }
        for text in refused {
            assert!(guard_formula(&mut program, &names, edge, text).is_err(), "{text} behind line {line}");
        }
    }

    #[test]
    fn names_are_those_behind_the_edge() {
        accepted(6, "call", &["x == 0 && g < 1", "\\result == x"], &["i == 0", "a == 1", "y"]);
        accepted(7, "call", &["\\result > 3"], &["\\result2"]);
        accepted(8, "branch true", &["i < 3"], &["y == 1", "\\result == 0"]);
        accepted(8, "call", &["a == g"], &["x == 1", "b == 1", "\\result == 1"]);
        accepted(10, "call", &["g == 1"], &["x == 1", "a == 1", "\\result == 1"]);
        accepted(11, "call", &["g == 1"], &["x == 1", "g2 == 1"]);
        accepted(4, "return", &["b == a"], &["x == 1"]);
    }

    #[test]
    fn one_temporary_for_a_result_that_nobody_keeps() {
        let mut program = program(TEXT);
        let names = Names::of(&program);
        let call = edge(&program, "7:", "call");
        let before = program.variables.len();
        let one = guard_formula(&mut program, &names, call, "\\result == 1").unwrap();
        let other = guard_formula(&mut program, &names, call, "\\result == 1").unwrap();
        assert_eq!((one == other, program.variables.len()), (true, before + 1));
    }
}
