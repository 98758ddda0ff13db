//! The residual as functions to be written.

use std::collections::HashSet;

use tandem_cfa::c_source::{Knot as Written, Shape, Source, Taken, identity};
use tandem_cfa::{Callee, ExprKind, FunctionId, InitialData, Op, Program};

use super::explore::{Context, Exploration, Knot, KnotKind};

pub fn source(program: &Program, exploration: &Exploration) -> Source {
    let names = names(program, &exploration.contexts);
    let mut functions: Vec<Shape> = Vec::new();
    for (number, context) in exploration.contexts.iter().enumerate() {
        functions.push(Shape {
            original: context.function,
            name: names[number].clone(),
            entry: context.entry,
            nodes: context.knots.iter().map(|knot| written(&names, knot)).collect(),
        });
    }
    let free = free_functions(program, exploration);
    let originals = identity(program).functions.into_iter().filter(|shape| free.contains(&shape.original));
    for mut original in originals {
        if names.contains(&original.name) {
            original.name = format!("{}_as_it_was", original.name);
        }
        functions.push(original);
    }
    Source { functions }
}

fn written(names: &[String], knot: &Knot) -> Written {
    match &knot.kind {
        KnotKind::Steps(steps) => Written::Steps(
            steps
                .iter()
                .map(|step| Taken {
                    edge: step.edge,
                    to: step.to,
                    callee: step.enters.map(|callee| names[callee].clone()),
                    leave: step.leave,
                })
                .collect(),
        ),
        KnotKind::Test { condition, yes, no } => Written::Test { condition: condition.clone(), yes: *yes, no: *no },
        KnotKind::Cut | KnotKind::Pending(..) => Written::Stop,
        KnotKind::Behind { ways, .. } => match ways.is_empty() {
            true => Written::Stop,
            false => Written::Dispatch(ways.iter().enumerate().map(|(code, to)| (code as u32, *to)).collect()),
        },
        KnotKind::Exit => Written::Exit,
    }
}

/// Names for the contexts: the entry function keeps its name, clones get one that nobody has.
fn names(program: &Program, contexts: &[Context]) -> Vec<String> {
    let mut taken: HashSet<String> = program.functions.iter().map(|function| function.name.to_string()).collect();
    taken.extend(program.variables.iter().map(|variable| variable.name.to_string()));
    let mut names = Vec::with_capacity(contexts.len());
    for (number, context) in contexts.iter().enumerate() {
        let own = program.functions[context.function].name.to_string();
        let name = match number {
            0 => own,
            _ => (1..).map(|count| format!("{own}_part{count}")).find(|name| !taken.contains(name)).unwrap_or(own),
        };
        taken.insert(name.clone());
        names.push(name);
    }
    names
}

/// The functions that are called as they are, or pointed to.
fn free_functions(program: &Program, exploration: &Exploration) -> HashSet<FunctionId> {
    let mut free: HashSet<FunctionId> = HashSet::new();
    let mut open: Vec<FunctionId> = Vec::new();
    let has_body = |function: FunctionId| {
        let function = &program.functions[function];
        function.body.is_some() && !function.is_library
    };
    let mut add = |function: FunctionId, open: &mut Vec<FunctionId>| {
        if has_body(function) && free.insert(function) {
            open.push(function);
        }
    };
    for context in &exploration.contexts {
        for knot in &context.knots {
            let KnotKind::Steps(steps) = &knot.kind else { continue };
            for step in steps.iter().filter(|step| step.enters.is_none()) {
                if let Op::Call { callee: Callee::Direct(function), .. } = &program.edges[step.edge].op {
                    add(*function, &mut open);
                }
            }
        }
    }
    // Whoever may be pointed to stays: in expressions and in the initial values of objects.
    let mut pointed: Vec<FunctionId> = Vec::new();
    for expr in program.arena.exprs().iter() {
        if let ExprKind::Function(function) = expr.kind {
            pointed.push(function);
        }
    }
    for value in program.variables.iter().flat_map(|variable| &variable.initializer) {
        if let InitialData::Scalar(expr) = &value.value
            && let ExprKind::Function(function) = program.expr(*expr).kind
        {
            pointed.push(function);
        }
    }
    pointed.iter().for_each(|function| add(*function, &mut open));
    while let Some(function) = open.pop() {
        let Some(body) = &program.functions[function].body else { continue };
        for edge in body.edges.iter() {
            if let Op::Call { callee: Callee::Direct(callee), .. } = &program.edges[edge].op {
                add(*callee, &mut open);
            }
        }
    }
    free
}
