//! Conditions that travel from one analysis to another. They are hints about what to track, and no facts: what holds on some paths need not hold on
//! others.

use tandem_analyses::Hint;
use tandem_artifact::Invariant;
use tandem_cfa::expression::{Context, Formula, Names, parse_formula};
use tandem_cfa::{NodeId, Program};

/// Hints that are handed over at most.
const MOST: usize = 200;

/// The program with the expressions of the conditions, and these as hints; nothing if there are none.
pub fn with_hints<'i>(
    program: &Program,
    invariants: impl IntoIterator<Item = &'i Invariant>,
) -> Option<(Program, Vec<Hint>)> {
    let mut invariants = invariants.into_iter().peekable();
    invariants.peek()?;
    let mut program = program.clone();
    let names = Names::of(&program);
    let mut hints: Vec<Hint> = Vec::new();
    for invariant in invariants {
        let Some((node, at)) = place(&program, invariant) else { continue };
        let context = Context { names: &names, function: invariant.function, at, result: None };
        let Ok(formula) = parse_formula(&mut program, context, &invariant.value) else { continue };
        for atom in formula.atoms() {
            let hint = Hint { node, formula: Formula::Atom(atom) };
            if hints.len() < MOST && !hints.contains(&hint) {
                hints.push(hint);
            }
        }
    }
    (!hints.is_empty()).then_some((program, hints))
}

/// The head of the loop, and where the names of its invariant are meant.
fn place(program: &Program, invariant: &Invariant) -> Option<(NodeId, u32)> {
    let body = program.functions[invariant.function].body.as_ref()?;
    let statement = body.loops.iter().find(|statement| statement.span == invariant.at)?;
    let control = program.decisions.iter().find(|decision| decision.statement == statement.span);
    Some((statement.head, control.map_or(statement.span.lo, |decision| decision.span.lo)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_base::SourceText;
    use tandem_cfa::{DataModel, build};

    #[test]
    fn conditions_become_hints() {
        let text = "int main(void) { int a = 0, b = 0; while (a < 9) { a++; b++; } return a - b; }\n";
        let program = build(SourceText::plain("test.c", text.as_bytes()), DataModel::Lp64).program.unwrap();
        let function = program.entry.unwrap();
        let at = program.functions[function].body.as_ref().unwrap().loops[0].span;
        let invariant = |value: &str| Invariant { function, at, value: value.to_string() };
        let (_, hints) =
            with_hints(&program, &[invariant("a == b && (a < 9 || b >= 0)"), invariant("a == b")]).unwrap();
        assert_eq!(hints.len(), 3);
        assert!(with_hints(&program, &[invariant("nothing == known")]).is_none());
        assert!(with_hints(&program, &[]).is_none());
    }
}
