//! Invariants as C expressions, for witnesses: formulas over start symbols, written with the names that mean these variables where the
//! loop stands. What cannot be written is left out, which makes an invariant weaker, never wrong.

use tandem_artifact::Invariant;
use tandem_cfa::types::Type;
use tandem_cfa::{FunctionId, NodeId, Program, Scalar, VariableId, VariableKind};
use tandem_smt::c::{CType, CVariable, c_expression};
use tandem_smt::{Op, Sort, Term, TermMap, Terms};

use crate::formula::Formulas;
use crate::store::{ObjectKey, StartKey};

/// Atoms that are left out of one formula at most.
const LEFT_OUT: usize = 8;

/// Which call the variables of a formula belong to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    /// Calls on the stack, the outermost counted as one.
    pub depth: u32,
    /// Calls of the same function further out.
    pub instance: u32,
}

/// The invariant at the head of a loop where one of these holds, each in its frame; nothing if it says nothing in C.
pub fn render(program: &Program, formulas: &Formulas, node: NodeId, any_of: &[(Frame, Term)]) -> Option<Invariant> {
    let function = program.nodes[node].function;
    let body = program.functions[function].body.as_ref()?;
    let statement = body.loops.iter().find(|statement| statement.head == node)?;
    let mut texts: Vec<String> = Vec::new();
    for (frame, formula) in any_of {
        let names = Names { program, formulas, function, at: statement.span.lo, frame: *frame };
        let text = names.text(*formula)?;
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    let value = match texts.as_slice() {
        [] => return None,
        [one] => one.clone(),
        _ => texts.iter().map(|text| format!("({text})")).collect::<Vec<_>>().join(" || "),
    };
    Some(Invariant { function, at: statement.span, value })
}

struct Names<'a> {
    program: &'a Program,
    formulas: &'a Formulas,
    function: FunctionId,
    /// Where the loop stands.
    at: u32,
    frame: Frame,
}

impl Names<'_> {
    /// The formula in C, without what cannot be written; nothing if nothing is left.
    fn text(&self, formula: Term) -> Option<String> {
        let terms = &self.formulas.terms;
        let mut formula = formula;
        let mut left_out = 0;
        for atom in atoms(terms, formula) {
            if c_expression(terms, atom, &|symbol| self.variable(symbol)).is_none() {
                left_out += 1;
                if left_out > LEFT_OUT {
                    return None;
                }
                // Whatever it is.
                let side = |value: bool| {
                    let map: TermMap = [(atom, terms.bool(value))].into_iter().collect();
                    terms.substitute(formula, &map)
                };
                formula = terms.or2(side(true), side(false));
            }
        }
        match terms.op(formula) {
            Op::True => None,
            _ => c_expression(terms, formula, &|symbol| self.variable(symbol)),
        }
    }

    fn variable(&self, symbol: u32) -> Option<CVariable> {
        let key = self.formulas.start_keys.get(&self.formulas.terms.constant(symbol))?;
        match *key {
            StartKey::Slot { depth, variable } => {
                let is_static = self.program.variables[variable].kind.is_static();
                (is_static || depth == self.frame.depth).then_some(())?;
                self.named(variable, None)
            }
            StartKey::Cell { object: ObjectKey::Static(variable), offset, size } => {
                self.named(variable, Some((offset, size)))
            }
            StartKey::Cell { object: ObjectKey::Local(variable, instance), offset, size } => {
                let own = self.program.variables[variable].function == Some(self.function);
                (own && instance == self.frame.instance).then_some(())?;
                self.named(variable, Some((offset, size)))
            }
            StartKey::Cell { object: ObjectKey::Heap(..), .. } | StartKey::Elements { .. } => None,
        }
    }

    /// The variable, or the bytes of it, if its name means it where the loop stands.
    fn named(&self, variable: VariableId, bytes: Option<(u64, u64)>) -> Option<CVariable> {
        let name = &self.program.variables[variable].name;
        let usable = !name.is_empty() && !name.contains('$');
        (usable && self.lookup(name) == Some(variable)).then_some(())?;
        let ty = self.program.variables[variable].ty;
        let types = &self.program.types;
        let (text, ty) = match (types.get(ty), bytes) {
            (Type::Record(record), Some((offset, _))) => {
                let record = &types.records[*record];
                let field = record.fields.iter().find(|field| field.offset == offset && field.bits.is_none())?;
                (format!("{name}.{}", field.name.as_ref()?), field.ty)
            }
            (_, Some((offset, _))) if offset != 0 => return None,
            _ => (name.to_string(), ty),
        };
        let scalar = types.scalar(ty)?;
        bytes.is_none_or(|(_, size)| size * 8 == u64::from(scalar.bits())).then_some(())?;
        let kind = match scalar {
            Scalar::Bool => CType::Integer { width: 8, signed: false },
            Scalar::Int { bits: width @ (8 | 16 | 32 | 64), signed } => CType::Integer { width, signed },
            Scalar::Int { .. } | Scalar::Float(_) | Scalar::Pointer { .. } => return None,
        };
        Some(CVariable { text, kind })
    }

    /// The variable that a name means where the loop stands: of those in scope, the one whose scope is the smallest.
    fn lookup(&self, name: &str) -> Option<VariableId> {
        let visible = self.program.variables.enumerate().filter(|(_, variable)| {
            let here = variable.function.is_none_or(|function| function == self.function);
            let named = &*variable.name == name && variable.kind != VariableKind::StringLiteral;
            here && named && variable.scope.lo <= self.at && self.at < variable.scope.hi
        });
        visible.min_by_key(|(_, variable)| variable.scope.hi - variable.scope.lo).map(|(id, _)| id)
    }
}

/// The conditions that a formula combines.
fn atoms(terms: &Terms, formula: Term) -> Vec<Term> {
    let mut found = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut open = vec![formula];
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        let args = terms.args(term);
        match args.iter().all(|arg| terms.sort(*arg) == Sort::Bool) && !args.is_empty() {
            true => open.extend(args),
            false if matches!(terms.op(term), Op::True | Op::False) => {}
            false => found.push(term),
        }
    }
    found
}
