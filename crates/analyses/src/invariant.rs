//! Formulas at loop heads as C expressions: what a proof can show to others.
//!
//! A loop is met under several stacks; what is handed out holds under all of them, or is not handed out.

use std::collections::{BTreeMap, HashMap};

use tandem_artifact::Invariant;
use tandem_base::{FastBuild, Span};
use tandem_cfa::types::{FloatKind, Type, TypeId};
use tandem_cfa::{Callee, FunctionId, NodeId, Op, Program, Scalar, VariableId};
use tandem_cpa::{Flow, Point};
use tandem_smt::c::{CType, CVariable, c_expression};
use tandem_smt::{FloatSort, Term, Terms};

use crate::store::{ObjectKey, StartKey};

/// Conjuncts of one invariant.
const MOST: usize = 24;
/// Characters of one conjunct.
const LENGTH: usize = 200;

/// The formulas that hold at points, as invariants of the loops of the source: conjuncts that C can say, over
/// variables in scope, and that hold under every stack.
pub fn render_all(
    flow: &Flow<'_>,
    terms: &Terms,
    keys: &HashMap<Term, StartKey, FastBuild>,
    by_point: &BTreeMap<Point, Vec<Term>>,
) -> Vec<Invariant> {
    let program = flow.program;
    let mut by_node: BTreeMap<NodeId, Vec<(Point, &[Term])>> = BTreeMap::new();
    for (point, formulas) in by_point {
        by_node.entry(point.node).or_default().push((*point, formulas));
    }
    let mut contexts = Contexts { program, known: HashMap::new() };
    let mut found = Vec::new();
    for (function, definition) in program.functions.enumerate().filter(|(_, function)| !function.is_library) {
        let Some(body) = &definition.body else { continue };
        for statement in &body.loops {
            let Some(points) = by_node.get(&statement.head) else { continue };
            if contexts.of(function) != Some(points.len() as u64) {
                continue;
            }
            let scope = Scope { flow, terms, keys, function, at: statement.span };
            if let Some(value) = scope.common(points) {
                found.push(Invariant { function, at: statement.span, value });
            }
        }
    }
    found
}

/// In how many ways a function is called.
struct Contexts<'a> {
    program: &'a Program,
    known: HashMap<FunctionId, Option<u64>>,
}

impl Contexts<'_> {
    /// Nothing: there is no end of ways, or nobody knows them all.
    fn of(&mut self, function: FunctionId) -> Option<u64> {
        if let Some(known) = self.known.get(&function) {
            return *known;
        }
        // While it is being counted, another visit means recursion.
        self.known.insert(function, None);
        let count = self.count(function);
        self.known.insert(function, count);
        count
    }

    fn count(&mut self, function: FunctionId) -> Option<u64> {
        let program = self.program;
        let is_taken = program.arena.exprs().iter().any(|expr| expr.kind == tandem_cfa::ExprKind::Function(function));
        if is_taken {
            return None;
        }
        let mut sum = u64::from(program.entry == Some(function));
        for (id, edge) in program.edges.enumerate() {
            if matches!(&edge.op, Op::Call { callee: Callee::Direct(called), .. } if *called == function) {
                sum = sum.checked_add(self.of(program.function_of(id))?)?;
            }
        }
        Some(sum)
    }
}

struct Scope<'a> {
    flow: &'a Flow<'a>,
    terms: &'a Terms,
    keys: &'a HashMap<Term, StartKey, FastBuild>,
    function: FunctionId,
    at: Span,
}

impl Scope<'_> {
    /// What is said at all of the points, in the same words.
    fn common(&self, points: &[(Point, &[Term])]) -> Option<String> {
        let mut said: Option<Vec<String>> = None;
        for (point, formulas) in points {
            let here: Vec<String> = formulas.iter().filter_map(|formula| self.text(*point, *formula)).collect();
            said = Some(match said {
                None => here,
                Some(before) => before.into_iter().filter(|text| here.contains(text)).collect(),
            });
        }
        let mut said = said?;
        said.sort_by_key(String::len);
        said.dedup();
        said.truncate(MOST);
        match said.as_slice() {
            [] => None,
            [one] => Some(one.clone()),
            several => Some(several.iter().map(|text| format!("({text})")).collect::<Vec<_>>().join(" && ")),
        }
    }

    fn text(&self, point: Point, formula: Term) -> Option<String> {
        let name = |symbol: u32| self.variable(point, self.terms.constant(symbol));
        c_expression(self.terms, formula, &name).filter(|text| text.len() <= LENGTH)
    }

    fn variable(&self, point: Point, symbol: Term) -> Option<CVariable> {
        let program = self.flow.program;
        match *self.keys.get(&symbol)? {
            StartKey::Slot { depth, variable } => {
                let here = self.flow.stacks.depth(point.stack) as u32 + 1;
                let is_local = program.variables[variable].function.is_some();
                if is_local && depth != here || !self.is_meant(variable) {
                    return None;
                }
                let kind = c_type(program.types.scalar(program.variables[variable].ty)?)?;
                Some(CVariable { text: program.variables[variable].name.to_string(), kind })
            }
            StartKey::Cell { object: ObjectKey::Static(variable), offset, size } if self.is_meant(variable) => {
                self.part(variable, offset, size)
            }
            StartKey::Cell { object: ObjectKey::Local(variable, instance), offset, size } => {
                let own = program.variables[variable].function == Some(self.function);
                (own && instance == self.flow.stacks.instance(point.stack) && self.is_meant(variable))
                    .then(|| self.part(variable, offset, size))?
            }
            StartKey::Cell { .. } | StartKey::Elements { .. } => None,
        }
    }

    /// The scalar at an offset of a variable, as C reads it.
    fn part(&self, variable: VariableId, offset: u64, size: u64) -> Option<CVariable> {
        let program = self.flow.program;
        let types = &program.types;
        let mut text = program.variables[variable].name.to_string();
        let (mut ty, mut at): (TypeId, u64) = (program.variables[variable].ty, offset);
        loop {
            match types.get(ty) {
                Type::Array { element, .. } => {
                    let width = types.size(*element).filter(|width| *width > 0)?;
                    text = format!("{text}[{}]", at / width);
                    at %= width;
                    ty = *element;
                }
                Type::Record(record) => {
                    let record = &types.records[*record];
                    let field = record.fields.iter().find(|field| {
                        let end = field.offset + types.size(field.ty).unwrap_or(0);
                        field.bits.is_none() && field.offset <= at && at < end
                    })?;
                    text = format!("{text}.{}", field.name.as_ref()?);
                    at -= field.offset;
                    ty = field.ty;
                }
                _ => {
                    let scalar = types.scalar(ty).filter(|scalar| u64::from(scalar.bits()) == size * 8)?;
                    return (at == 0).then_some(CVariable { text, kind: c_type(scalar)? });
                }
            }
        }
    }

    /// Whether the variable's name means it at the loop: it is in scope, and nothing further inside has its name.
    fn is_meant(&self, variable: VariableId) -> bool {
        let program = self.flow.program;
        let (name, at) = (&program.variables[variable].name, self.at.lo);
        if name.contains('$') || program.source.is_appendix(program.variables[variable].span.lo) {
            return false;
        }
        let mut best: Option<(u32, VariableId)> = None;
        for (id, other) in program.variables.enumerate().filter(|(_, other)| other.name == *name) {
            let visible = other.function.is_none_or(|function| function == self.function)
                && !other.scope.is_none()
                && other.scope.lo <= at
                && at < other.scope.hi;
            let length = other.scope.hi.saturating_sub(other.scope.lo);
            if visible && best.is_none_or(|(shortest, _)| length < shortest) {
                best = Some((length, id));
            }
        }
        best.is_some_and(|(_, id)| id == variable)
    }
}

fn c_type(scalar: Scalar) -> Option<CType> {
    Some(match scalar {
        Scalar::Bool => CType::Integer { width: 8, signed: false },
        Scalar::Int { bits: width @ (8 | 16 | 32 | 64), signed } => CType::Integer { width, signed },
        Scalar::Float(FloatKind::Single) => CType::Float(FloatSort::SINGLE),
        Scalar::Float(FloatKind::Double) => CType::Float(FloatSort::DOUBLE),
        Scalar::Int { .. } | Scalar::Float(_) | Scalar::Pointer { .. } => return None,
    })
}
