//! The calls of error functions in what is left of a program, one by one: a tool that cannot show that none of them is reached may show it
//! of some. Knows where they stand, and which calls of the original program they stand for.

use std::collections::{BTreeMap, BTreeSet};

use tandem_artifact::ErrorCall;
use tandem_artifact::convert::error_targets;
use tandem_cfa::types::Type;
use tandem_cfa::{Callee, EdgeId, ExprKind, Op, Program};

use super::error_functions;

/// A call of an error function that returns nothing: a statement of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Site {
    /// Where the call begins, in bytes.
    pub at: usize,
    /// The line of the original file.
    line: u32,
}

/// All calls of error functions in a text, which was written with `#line` directives and is `program`, if all can be told apart.
pub fn sites(program: &Program, error: &ErrorCall, text: &str, with_lines: &str) -> Vec<Site> {
    let errors = error_functions(program, error);
    let is_error = |function| errors.iter().any(|name| **name == *program.functions[function].name);
    let mut exprs = program.arena.exprs().iter();
    if exprs.any(|expr| matches!(expr.kind, ExprKind::Function(function) if is_error(function))) {
        return Vec::new();
    }
    let origins = origins(with_lines);
    let site = |(function, at): (tandem_cfa::FunctionId, usize)| {
        let name = &*program.functions[function].name;
        let stands_there = text.get(at..).is_some_and(|rest| rest.starts_with(name));
        let line = text.get(..at)?.bytes().filter(|byte| *byte == b'\n').count();
        let line = origins.get(line).copied().flatten()?;
        (stands_there && returns_nothing(program, function)).then_some(Site { at, line })
    };
    let calls = program.edges.iter().filter_map(|edge| match edge.op {
        Op::Call { callee: Callee::Direct(function), .. } if is_error(function) => {
            Some((function, edge.span.lo as usize))
        }
        _ => None,
    });
    calls.map(site).collect::<Option<Vec<Site>>>().unwrap_or_default()
}

fn returns_nothing(program: &Program, function: tandem_cfa::FunctionId) -> bool {
    match program.types.get(program.functions[function].ty) {
        Type::Function(signature) => matches!(program.types.get(signature.result), Type::Void),
        _ => false,
    }
}

/// The line of the original file, for each line of a text.
fn origins(text: &str) -> Vec<Option<u32>> {
    let mut next: Option<u32> = None;
    let origin = |line: &str| match line.strip_prefix("#line ") {
        Some(directive) => {
            next = directive.split(' ').next().and_then(|number| number.parse().ok());
            None
        }
        None => {
            let here = next;
            next = next.map(|line| line + 1);
            here
        }
    };
    text.lines().map(origin).collect()
}

/// The calls of the original program that are not reached if these sites are not.
pub fn settled(original: &Program, error: &ErrorCall, sites: &[Site], unreached: &[usize]) -> BTreeSet<EdgeId> {
    let mut lines: BTreeMap<u32, bool> = BTreeMap::new();
    for (number, site) in sites.iter().enumerate() {
        *lines.entry(site.line).or_insert(true) &= unreached.contains(&number);
    }
    let edges = error_targets(original, error).into_iter().flat_map(|target| target.edges);
    let line = |edge: &EdgeId| original.source.position(original.edges[*edge].span.lo).line;
    edges.filter(|edge| lines.get(&line(edge)) == Some(&true)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_follow_the_directives() {
        let text = "int x;\n#line 7 \"a.c\"\nf();\ng();\n#line 3 \"a.c\"\nh();\n";
        assert_eq!(origins(text), [None, None, Some(7), Some(8), None, Some(3)]);
    }
}
