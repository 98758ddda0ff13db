//! Statements that say the same in the words of the source: `while`, `do`, `else if`.

use super::structure::Statement;

/// A loop whose first or last statement is its only test is a `while` or `do`; `continue` would skip the test of a `do`.
pub(super) fn tidy(mut body: Vec<Statement<'_>>, has_continue: bool) -> Statement<'_> {
    if body.first().is_some_and(is_exit)
        && let Statement::If { condition, span, .. } = body.remove(0)
    {
        return Statement::While { condition: condition.not(), body, span };
    }
    if !has_continue
        && body.last().is_some_and(is_exit)
        && let Some(Statement::If { condition, span, .. }) = body.pop()
    {
        return Statement::DoWhile { condition: condition.not(), body, span };
    }
    Statement::Loop(body)
}

/// `if (...) break;`
fn is_exit(statement: &Statement<'_>) -> bool {
    matches!(statement, Statement::If { yes, no, .. } if no.is_empty() && matches!(yes[..], [Statement::Break]))
}

/// As many tests that leave are drawn into a chain of `else if`.
const EARLY_EXITS: usize = 200;

/// `if (a) goto x; if (b) y; else z;` behind an `else` is as well `if (a) goto x; else if (b) y; else z;`, which needs no braces.
pub(super) fn chained(mut statements: Vec<Statement<'_>>) -> Vec<Statement<'_>> {
    let is_chain = |statement: &Statement<'_>| match statement {
        Statement::If { yes, no, .. } => no.is_empty() && yes.last().is_some_and(leaves),
        _ => false,
    };
    let Some(Statement::If { .. }) = statements.last() else { return statements };
    if statements.len() > EARLY_EXITS || !statements[..statements.len() - 1].iter().all(is_chain) {
        return statements;
    }
    let mut rest = Vec::new();
    while let Some(mut statement) = statements.pop() {
        if let Statement::If { no, .. } = &mut statement
            && !rest.is_empty()
        {
            *no = rest;
        }
        rest = vec![statement];
    }
    rest
}

/// Whether control never comes behind the statement.
fn leaves(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::Break | Statement::Continue | Statement::Goto(_) | Statement::Stop | Statement::Leave => true,
        Statement::Step(_) | Statement::If { .. } | Statement::Loop(_) => false,
        Statement::While { .. } | Statement::DoWhile { .. } | Statement::Label(_) => false,
    }
}
