//! From terms to Z3's trees: iterative, each term once per session.
//!
//! Where SMT-LIB leaves a result open, [`Op`] says which one is meant; `floats` writes that down for Z3.

use tandem_base::{Budget, FastBuild, StopReason};

use super::ffi::{
    Ast, Binary, Constant, Conversion, Decl, Error, Indexed, Result, Session, SortHandle, Ternary, Unary,
};
use super::floats;
use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::sort::{FloatSort, RoundingMode, Sort};

/// Nodes between two looks at the clock.
const CLOCK_PERIOD: u32 = 4096;

/// Why a term has no tree.
pub enum Failure {
    Stopped(StopReason),
    Refused(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Refused(error)
    }
}

/// The trees of one session.
#[derive(Default)]
pub struct Translation {
    /// With the depth of each term.
    trees: hashbrown::HashMap<Term, (Ast, u32), FastBuild>,
    sorts: hashbrown::HashMap<Sort, SortHandle, FastBuild>,
    /// Symbols of the pool in the order in which they were met, with their declarations.
    pub symbols: Vec<(u32, Decl)>,
    by_symbol: hashbrown::HashMap<u32, Decl, FastBuild>,
    /// How much work the terms are for a bit-level solver, roughly in gates.
    pub weight: u64,
    /// The deepest nesting met.
    pub depth: u32,
    /// Whether there are floats, or arrays with the same element everywhere: Z3 has called queries about them satisfiable that are not.
    pub is_doubtful: bool,
    stack: Vec<Term>,
    args: Vec<Ast>,
}

impl Translation {
    /// The tree of a term, made now if need be.
    pub fn tree(
        &mut self,
        terms: &Terms,
        session: &mut Session,
        root: Term,
        budget: &Budget,
    ) -> std::result::Result<Ast, Failure> {
        if let Some(&(tree, _)) = self.trees.get(&root) {
            return Ok(tree);
        }
        let mut until_clock = CLOCK_PERIOD;
        self.stack.clear();
        self.stack.push(root);
        while let Some(&term) = self.stack.last() {
            if self.trees.contains_key(&term) {
                self.stack.pop();
                continue;
            }
            self.args.clear();
            let node = terms.node(term);
            let (before, mut depth) = (self.stack.len(), 0);
            for &arg in node.args.iter() {
                match self.trees.get(&arg) {
                    Some(&(tree, below)) => {
                        self.args.push(tree);
                        depth = depth.max(below + 1);
                    }
                    None => self.stack.push(arg),
                }
            }
            if self.stack.len() > before {
                continue;
            }
            let args = std::mem::take(&mut self.args);
            let made = self.make(terms, session, term, &args);
            self.args = args;
            self.trees.insert(term, (made?, depth));
            self.depth = self.depth.max(depth);
            self.weight += weight(terms, term);
            self.is_doubtful |= matches!(node.sort, Sort::Float(_)) || matches!(node.op, Op::ConstArray(_));
            self.stack.pop();
            until_clock -= 1;
            if until_clock == 0 {
                until_clock = CLOCK_PERIOD;
                if let Some(reason) = budget.exhausted() {
                    return Err(Failure::Stopped(reason));
                }
            }
        }
        Ok(self.trees[&root].0)
    }

    /// All terms that have a tree.
    pub fn translated(&self) -> impl Iterator<Item = (Term, Ast)> {
        self.trees.iter().map(|(&term, &(tree, _))| (term, tree))
    }

    pub fn known(&self, term: Term) -> Option<Ast> {
        self.trees.get(&term).map(|&(tree, _)| tree)
    }

    pub fn sort(&mut self, terms: &Terms, session: &mut Session, sort: Sort) -> Result<SortHandle> {
        if let Some(&handle) = self.sorts.get(&sort) {
            return Ok(handle);
        }
        let handle = match sort {
            Sort::Bool => session.bool_sort()?,
            Sort::Bv(width) => session.bv_sort(width)?,
            Sort::Float(float) => session.float_sort(float.exponent, float.significand)?,
            Sort::RoundingMode => session.rounding_sort()?,
            Sort::Array(id) => {
                let (index, element) = terms.array_sorts(id);
                let index = self.sort(terms, session, index)?;
                let element = self.sort(terms, session, element)?;
                session.array_sort(index, element)?
            }
            // Names are made up so that they can never be taken for a name of Z3's own.
            Sort::Uninterpreted(id) => session.uninterpreted_sort(&format!("sort#{id}"))?,
        };
        self.sorts.insert(sort, handle);
        Ok(handle)
    }

    fn declaration(&mut self, terms: &Terms, session: &mut Session, symbol: u32) -> Result<Decl> {
        if let Some(&decl) = self.by_symbol.get(&symbol) {
            return Ok(decl);
        }
        let declared = terms.symbol(symbol);
        let mut parameters = Vec::with_capacity(declared.parameters.len());
        for &parameter in &declared.parameters {
            parameters.push(self.sort(terms, session, parameter)?);
        }
        let result = self.sort(terms, session, declared.result)?;
        let decl = session.declare(&format!("symbol#{symbol}"), &parameters, result)?;
        self.by_symbol.insert(symbol, decl);
        self.symbols.push((symbol, decl));
        Ok(decl)
    }

    fn make(&mut self, terms: &Terms, session: &mut Session, term: Term, args: &[Ast]) -> Result<Ast> {
        let node = terms.node(term);
        floats::refuse_unsafe(terms, term)?;
        let unary = |session: &mut Session, operation| match *args {
            [a] => session.unary(operation, a),
            _ => Err(wrong_arity(node.op)),
        };
        let binary = |session: &mut Session, operation| match *args {
            [a, b] => session.binary(operation, a, b),
            _ => Err(wrong_arity(node.op)),
        };
        let ternary = |session: &mut Session, operation| match *args {
            [a, b, c] => session.ternary(operation, a, b, c),
            _ => Err(wrong_arity(node.op)),
        };
        match node.op {
            Op::Variable(symbol) | Op::Apply(symbol) => {
                let decl = self.declaration(terms, session, symbol)?;
                session.apply(decl, args)
            }
            Op::True => session.constant(Constant::True),
            Op::False => session.constant(Constant::False),
            Op::Not => unary(session, Unary::Not),
            Op::And => session.and(args),
            Op::Or => session.or(args),
            Op::Xor => binary(session, Binary::Xor),
            Op::Eq => binary(session, Binary::Eq),
            Op::Ite if matches!(node.sort, Sort::Float(_)) => self.make_guarded(terms, session, term, args),
            Op::Ite => ternary(session, Ternary::Ite),
            Op::Bits(bits) => {
                let sort = self.sort(terms, session, node.sort)?;
                session.bits(sort, bits)
            }
            Op::WideBits(id) => {
                let sort = self.sort(terms, session, node.sort)?;
                session.numeral(sort, &terms.wide_bits(id).to_big().to_string())
            }
            Op::BvNot => unary(session, Unary::BvNot),
            Op::BvNeg => unary(session, Unary::BvNeg),
            Op::BvAnd => binary(session, Binary::BvAnd),
            Op::BvOr => binary(session, Binary::BvOr),
            Op::BvXor => binary(session, Binary::BvXor),
            Op::BvAdd => binary(session, Binary::BvAdd),
            Op::BvMul => binary(session, Binary::BvMul),
            Op::BvUdiv => binary(session, Binary::BvUdiv),
            Op::BvUrem => binary(session, Binary::BvUrem),
            Op::BvSdiv => binary(session, Binary::BvSdiv),
            Op::BvSrem => binary(session, Binary::BvSrem),
            Op::BvShl => binary(session, Binary::BvShl),
            Op::BvLshr => binary(session, Binary::BvLshr),
            Op::BvAshr => binary(session, Binary::BvAshr),
            Op::BvUlt => binary(session, Binary::BvUlt),
            Op::BvUle => binary(session, Binary::BvUle),
            Op::BvSlt => binary(session, Binary::BvSlt),
            Op::BvSle => binary(session, Binary::BvSle),
            Op::Concat => binary(session, Binary::Concat),
            Op::Extract { high, low } => indexed(session, Indexed::Extract { high, low }, args, node.op),
            Op::ZeroExtend(by) => indexed(session, Indexed::ZeroExtend(by), args, node.op),
            Op::SignExtend(by) => indexed(session, Indexed::SignExtend(by), args, node.op),
            Op::Rounding(mode) => session.constant(rounding_constant(mode)),
            Op::FloatFromBits(float) => {
                let sort = self.sort(terms, session, Sort::Float(float))?;
                indexed(session, Indexed::FloatFromBits(sort), args, node.op)
            }
            Op::FloatToBits | Op::FloatMin | Op::FloatMax | Op::FloatToSigned(_) | Op::FloatToUnsigned(_) => {
                self.make_guarded(terms, session, term, args)
            }
            Op::FloatAbs => unary(session, Unary::FloatAbs),
            Op::FloatNeg => unary(session, Unary::FloatNeg),
            Op::FloatAdd => ternary(session, Ternary::FloatAdd),
            Op::FloatSub => ternary(session, Ternary::FloatSub),
            Op::FloatMul => ternary(session, Ternary::FloatMul),
            Op::FloatDiv => ternary(session, Ternary::FloatDiv),
            Op::FloatFma => match *args {
                [rounding, x, y, z] => session.fma(rounding, x, y, z),
                _ => Err(wrong_arity(node.op)),
            },
            Op::FloatSqrt => binary(session, Binary::FloatSqrt),
            Op::FloatRem => binary(session, Binary::FloatRem),
            Op::FloatRoundToIntegral => binary(session, Binary::FloatRoundToIntegral),
            Op::FloatEq => binary(session, Binary::FloatEq),
            Op::FloatLt => binary(session, Binary::FloatLt),
            Op::FloatLe => binary(session, Binary::FloatLe),
            Op::FloatIsNormal => unary(session, Unary::FloatIsNormal),
            Op::FloatIsSubnormal => unary(session, Unary::FloatIsSubnormal),
            Op::FloatIsZero => unary(session, Unary::FloatIsZero),
            Op::FloatIsInfinite => unary(session, Unary::FloatIsInfinite),
            Op::FloatIsNan => unary(session, Unary::FloatIsNan),
            Op::FloatIsNegative => unary(session, Unary::FloatIsNegative),
            Op::FloatIsPositive => unary(session, Unary::FloatIsPositive),
            Op::FloatToFloat(float) => {
                let sort = self.sort(terms, session, Sort::Float(float))?;
                convert(session, Conversion::ToFloat(sort), args, node.op)
            }
            Op::FloatFromSigned(float) => {
                let sort = self.sort(terms, session, Sort::Float(float))?;
                convert(session, Conversion::FromSigned(sort), args, node.op)
            }
            Op::FloatFromUnsigned(float) => {
                let sort = self.sort(terms, session, Sort::Float(float))?;
                convert(session, Conversion::FromUnsigned(sort), args, node.op)
            }
            Op::Select => binary(session, Binary::Select),
            Op::Store => ternary(session, Ternary::Store),
            Op::ConstArray(id) => {
                let index = self.sort(terms, session, terms.array_sorts(id).0)?;
                indexed(session, Indexed::ConstArray { index }, args, node.op)
            }
        }
    }

    /// The operators with results that SMT-LIB leaves open.
    fn make_guarded(&mut self, terms: &Terms, session: &mut Session, term: Term, args: &[Ast]) -> Result<Ast> {
        let node = terms.node(term);
        let float = argument_format(terms, term).ok_or_else(|| wrong_arity(node.op))?;
        let sort = self.sort(terms, session, Sort::Float(float))?;
        match (node.op, args) {
            (Op::FloatToBits, &[x]) => {
                let bits = self.sort(terms, session, node.sort)?;
                floats::to_bits(session, float, bits, x)
            }
            (Op::Ite, &[condition, a, b]) => {
                let bits = self.sort(terms, session, Sort::Bv(float.width()))?;
                floats::choice(session, floats::Format { float, sort, bits }, condition, a, b)
            }
            (Op::FloatMin, &[a, b]) => floats::second_zero(session, Binary::FloatMin, a, b),
            (Op::FloatMax, &[a, b]) => floats::second_zero(session, Binary::FloatMax, a, b),
            (Op::FloatToSigned(width), &[rounding, x]) => {
                let bits = self.sort(terms, session, Sort::Bv(float.width()))?;
                let result = self.sort(terms, session, node.sort)?;
                let target = floats::Target { width, signed: true, result };
                floats::to_integer(session, floats::Format { float, sort, bits }, target, rounding, x)
            }
            (Op::FloatToUnsigned(width), &[rounding, x]) => {
                let bits = self.sort(terms, session, Sort::Bv(float.width()))?;
                let result = self.sort(terms, session, node.sort)?;
                let target = floats::Target { width, signed: false, result };
                floats::to_integer(session, floats::Format { float, sort, bits }, target, rounding, x)
            }
            (op, _) => Err(wrong_arity(op)),
        }
    }
}

fn indexed(session: &mut Session, operation: Indexed, args: &[Ast], op: Op) -> Result<Ast> {
    match *args {
        [a] => session.indexed(operation, a),
        _ => Err(wrong_arity(op)),
    }
}

fn convert(session: &mut Session, conversion: Conversion, args: &[Ast], op: Op) -> Result<Ast> {
    match *args {
        [rounding, a] => session.convert(conversion, rounding, a),
        _ => Err(wrong_arity(op)),
    }
}

fn wrong_arity(op: Op) -> Error {
    Error(format!("{op:?} with a wrong number of arguments"))
}

/// The format of the float among the last arguments.
fn argument_format(terms: &Terms, term: Term) -> Option<FloatSort> {
    match terms.sort(*terms.args(term).last()?) {
        Sort::Float(float) => Some(float),
        _ => None,
    }
}

pub fn rounding_constant(mode: RoundingMode) -> Constant {
    match mode {
        RoundingMode::NearestEven => Constant::NearestEven,
        RoundingMode::NearestAway => Constant::NearestAway,
        RoundingMode::TowardPositive => Constant::TowardPositive,
        RoundingMode::TowardNegative => Constant::TowardNegative,
        RoundingMode::TowardZero => Constant::TowardZero,
    }
}

/// Gates that the term takes, roughly. Decides whether a check may run where it cannot be left behind.
fn weight(terms: &Terms, term: Term) -> u64 {
    let node = terms.node(term);
    let width = |sort| match sort {
        Sort::Bv(width) => u64::from(width),
        Sort::Float(float) => u64::from(float.width()),
        Sort::Bool | Sort::RoundingMode | Sort::Array(_) | Sort::Uninterpreted(_) => 1,
    };
    let widest = node.args.iter().map(|&arg| width(terms.sort(arg))).max().unwrap_or(0).max(width(node.sort));
    match node.op {
        Op::BvMul => 2 * widest * widest,
        Op::BvUdiv | Op::BvUrem => 4 * widest * widest,
        Op::BvSdiv | Op::BvSrem => 5 * widest * widest,
        Op::BvShl | Op::BvLshr | Op::BvAshr => 8 * widest,
        Op::FloatAdd | Op::FloatSub | Op::FloatRoundToIntegral | Op::FloatToFloat(_) => 64 * widest,
        Op::FloatFromSigned(_) | Op::FloatFromUnsigned(_) | Op::FloatToSigned(_) | Op::FloatToUnsigned(_) => {
            64 * widest
        }
        Op::FloatMul | Op::FloatDiv | Op::FloatSqrt => 16 * widest * widest,
        Op::FloatFma => 32 * widest * widest,
        // Z3 divides numbers as wide as the range of exponents.
        Op::FloatRem => 1 << 24,
        _ => widest,
    }
}
