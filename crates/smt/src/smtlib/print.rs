//! Terms, values and scripts as SMT-LIB text. Terms that occur several times are bound by `let`, so that the text is
//! as long as the term has different subterms. Without recursion.

use std::collections::HashMap;
use std::fmt::{self, Write};

use tandem_base::FastBuild;

use super::symbol::{DisplaySymbol, head};
use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::softfloat;
use crate::sort::{FloatSort, Sort};
use crate::value::{BitVector, Value};

/// Operators without parameters.
pub(super) const HEADS: [(Op, &str); 52] = [
    (Op::True, "true"),
    (Op::False, "false"),
    (Op::Not, "not"),
    (Op::And, "and"),
    (Op::Or, "or"),
    (Op::Xor, "xor"),
    (Op::Eq, "="),
    (Op::Ite, "ite"),
    (Op::BvNot, "bvnot"),
    (Op::BvNeg, "bvneg"),
    (Op::BvAnd, "bvand"),
    (Op::BvOr, "bvor"),
    (Op::BvXor, "bvxor"),
    (Op::BvAdd, "bvadd"),
    (Op::BvMul, "bvmul"),
    (Op::BvUdiv, "bvudiv"),
    (Op::BvUrem, "bvurem"),
    (Op::BvSdiv, "bvsdiv"),
    (Op::BvSrem, "bvsrem"),
    (Op::BvShl, "bvshl"),
    (Op::BvLshr, "bvlshr"),
    (Op::BvAshr, "bvashr"),
    (Op::BvUlt, "bvult"),
    (Op::BvUle, "bvule"),
    (Op::BvSlt, "bvslt"),
    (Op::BvSle, "bvsle"),
    (Op::Concat, "concat"),
    (Op::FloatToBits, "fp.to_ieee_bv"),
    (Op::FloatAbs, "fp.abs"),
    (Op::FloatNeg, "fp.neg"),
    (Op::FloatAdd, "fp.add"),
    (Op::FloatSub, "fp.sub"),
    (Op::FloatMul, "fp.mul"),
    (Op::FloatDiv, "fp.div"),
    (Op::FloatFma, "fp.fma"),
    (Op::FloatSqrt, "fp.sqrt"),
    (Op::FloatRem, "fp.rem"),
    (Op::FloatRoundToIntegral, "fp.roundToIntegral"),
    (Op::FloatMin, "fp.min"),
    (Op::FloatMax, "fp.max"),
    (Op::FloatEq, "fp.eq"),
    (Op::FloatLt, "fp.lt"),
    (Op::FloatLe, "fp.leq"),
    (Op::FloatIsNormal, "fp.isNormal"),
    (Op::FloatIsSubnormal, "fp.isSubnormal"),
    (Op::FloatIsZero, "fp.isZero"),
    (Op::FloatIsInfinite, "fp.isInfinite"),
    (Op::FloatIsNan, "fp.isNaN"),
    (Op::FloatIsNegative, "fp.isNegative"),
    (Op::FloatIsPositive, "fp.isPositive"),
    (Op::Select, "select"),
    (Op::Store, "store"),
];

/// A sort as SMT-LIB writes it.
pub struct DisplaySort<'a>(pub &'a Terms, pub Sort);

impl fmt::Display for DisplaySort<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            Sort::Bool => f.write_str("Bool"),
            Sort::Bv(width) => write!(f, "(_ BitVec {width})"),
            Sort::Float(FloatSort { exponent, significand }) => write!(f, "(_ FloatingPoint {exponent} {significand})"),
            Sort::RoundingMode => f.write_str("RoundingMode"),
            Sort::Array(id) => {
                let (index, element) = self.0.array_sorts(id);
                write!(f, "(Array {} {})", DisplaySort(self.0, index), DisplaySort(self.0, element))
            }
            Sort::Uninterpreted(id) => write!(f, "{}", DisplaySymbol(self.0.sort_name(id))),
        }
    }
}

fn float_constant(sort: FloatSort, bits: &BitVector) -> String {
    let FloatSort { exponent, significand } = sort;
    let sign = if bits.is_negative() { '-' } else { '+' };
    if softfloat::is_nan(sort, bits) {
        return format!("(_ NaN {exponent} {significand})");
    }
    if softfloat::is_infinite(sort, bits) {
        return format!("(_ {sign}oo {exponent} {significand})");
    }
    if softfloat::is_zero(sort, bits) {
        return format!("(_ {sign}zero {exponent} {significand})");
    }
    let width = sort.width();
    let fraction = significand - 1;
    let (first, second) = (bits.extract(width - 2, fraction), bits.extract(fraction - 1, 0));
    format!("(fp #b{} {first} {second})", u8::from(bits.is_negative()))
}

/// A term as SMT-LIB writes it.
pub struct DisplayTerm<'a>(pub &'a Terms, pub Term);

impl Terms {
    /// The term as SMT-LIB text.
    pub fn display(&self, term: Term) -> DisplayTerm<'_> {
        DisplayTerm(self, term)
    }
}

enum Piece {
    Term(Term),
    Close,
}

struct Printer<'a> {
    terms: &'a Terms,
    /// Names of the terms that are bound by `let` so far, by number.
    names: HashMap<Term, usize, FastBuild>,
    prefix: String,
}

impl fmt::Display for DisplayTerm<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terms = self.0;
        let subterms = terms.subterms(&[self.1]);
        let levels = shared_by_level(terms, &subterms);
        let mut printer = Printer { terms, names: HashMap::default(), prefix: prefix(terms, &subterms) };
        for level in &levels {
            f.write_str("(let (")?;
            for (index, &term) in level.iter().enumerate() {
                let number = printer.names.len() + index;
                write!(f, "{}({}{number} ", if index == 0 { "" } else { " " }, printer.prefix)?;
                printer.definition(f, term)?;
                f.write_str(")")?;
            }
            for &term in level {
                let number = printer.names.len();
                printer.names.insert(term, number);
            }
            f.write_str(") ")?;
        }
        printer.definition(f, self.1)?;
        for _ in &levels {
            f.write_str(")")?;
        }
        Ok(())
    }
}

/// Dollar signs that no symbol starts with.
fn prefix(terms: &Terms, subterms: &[Term]) -> String {
    let mut prefix = String::from("$");
    for &term in subterms {
        if let Op::Variable(symbol) | Op::Apply(symbol) = terms.op(term) {
            while terms.symbol(symbol).name.starts_with(&prefix) {
                prefix.push('$');
            }
        }
    }
    prefix
}

/// The terms that occur several times, in groups that only need the groups before them.
fn shared_by_level(terms: &Terms, subterms: &[Term]) -> Vec<Vec<Term>> {
    let mut uses: HashMap<Term, u32, FastBuild> = HashMap::default();
    for &term in subterms {
        for &arg in terms.args(term) {
            *uses.entry(arg).or_default() += 1;
        }
    }
    let mut levels: Vec<Vec<Term>> = Vec::new();
    // How many levels must be open for a term to be written.
    let mut needed: HashMap<Term, usize, FastBuild> = HashMap::default();
    for &term in subterms {
        let mut level = terms.args(term).iter().map(|arg| needed[arg]).max().unwrap_or(0);
        if !terms.args(term).is_empty() && !terms.is_value(term) && uses.get(&term).is_some_and(|&count| count > 1) {
            if levels.len() <= level {
                levels.push(Vec::new());
            }
            levels[level].push(term);
            level += 1;
        }
        needed.insert(term, level);
    }
    levels
}

impl Printer<'_> {
    /// Writes a term out, with names for the bound terms below it.
    fn definition(&self, f: &mut fmt::Formatter<'_>, term: Term) -> fmt::Result {
        let mut stack = Vec::new();
        self.open(f, term, &mut stack)?;
        while let Some(piece) = stack.pop() {
            match piece {
                Piece::Close => f.write_str(")")?,
                Piece::Term(term) => {
                    f.write_str(" ")?;
                    match self.names.get(&term) {
                        Some(number) => write!(f, "{}{number}", self.prefix)?,
                        None => self.open(f, term, &mut stack)?,
                    }
                }
            }
        }
        Ok(())
    }

    /// Writes the operator; its arguments go on the stack.
    fn open(&self, f: &mut fmt::Formatter<'_>, term: Term, stack: &mut Vec<Piece>) -> fmt::Result {
        let terms = self.terms;
        if let Some(value) = terms.as_value(term) {
            return write!(f, "{}", DisplayValue(terms, &value, terms.sort(term)));
        }
        let node = terms.node(term);
        if let Op::Variable(symbol) = node.op {
            return write!(f, "{}", DisplaySymbol(&terms.symbol(symbol).name));
        }
        f.write_str("(")?;
        self.operator(f, node.op, node.sort)?;
        stack.push(Piece::Close);
        stack.extend(node.args.iter().rev().map(|&arg| Piece::Term(arg)));
        Ok(())
    }

    fn operator(&self, f: &mut fmt::Formatter<'_>, op: Op, sort: Sort) -> fmt::Result {
        match op {
            Op::Apply(symbol) => write!(f, "{}", DisplaySymbol(&self.terms.symbol(symbol).name)),
            Op::Extract { high, low } => write!(f, "(_ extract {high} {low})"),
            Op::ZeroExtend(by) => write!(f, "(_ zero_extend {by})"),
            Op::SignExtend(by) => write!(f, "(_ sign_extend {by})"),
            Op::FloatFromBits(sort) | Op::FloatToFloat(sort) | Op::FloatFromSigned(sort) => {
                write!(f, "(_ to_fp {} {})", sort.exponent, sort.significand)
            }
            Op::FloatFromUnsigned(sort) => write!(f, "(_ to_fp_unsigned {} {})", sort.exponent, sort.significand),
            Op::FloatToSigned(width) => write!(f, "(_ fp.to_sbv {width})"),
            Op::FloatToUnsigned(width) => write!(f, "(_ fp.to_ubv {width})"),
            Op::ConstArray(_) => write!(f, "(as const {})", DisplaySort(self.terms, sort)),
            _ => f.write_str(head(op).unwrap_or("?")),
        }
    }
}

/// A value of a sort as SMT-LIB writes it; elements of declared sorts as `(as @0 Sort)`.
pub struct DisplayValue<'a>(pub &'a Terms, pub &'a Value, pub Sort);

impl fmt::Display for DisplayValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DisplayValue(terms, value, sort) = *self;
        match value {
            Value::Bool(value) => write!(f, "{value}"),
            Value::Bits(bits) => write!(f, "{bits}"),
            Value::Float(sort, bits) => f.write_str(&float_constant(*sort, bits)),
            Value::Rounding(mode) => write!(f, "{mode}"),
            Value::Element(sort, number) => write!(f, "(as @{number} {})", DisplaySort(terms, *sort)),
            Value::Array(array) => {
                let Sort::Array(id) = sort else { return f.write_str("?") };
                let (index, element) = terms.array_sorts(id);
                for _ in &array.entries {
                    f.write_str("(store ")?;
                }
                let default = DisplayValue(terms, &array.default, element);
                write!(f, "((as const {}) {default})", DisplaySort(terms, sort))?;
                for (at, value) in &array.entries {
                    write!(f, " {} {})", DisplayValue(terms, at, index), DisplayValue(terms, value, element))?;
                }
                Ok(())
            }
        }
    }
}

/// The declared sorts inside a sort.
fn declared_sorts(terms: &Terms, sort: Sort, found: &mut Vec<u32>) {
    match sort {
        Sort::Uninterpreted(id) if !found.contains(&id) => found.push(id),
        Sort::Array(id) => {
            let (index, element) = terms.array_sorts(id);
            declared_sorts(terms, index, found);
            declared_sorts(terms, element, found);
        }
        _ => {}
    }
}

/// Declarations of all symbols and sorts of the terms, one per line.
pub fn declarations(terms: &Terms, roots: &[Term]) -> String {
    let symbols = terms.symbols(roots);
    let mut sorts = Vec::new();
    for term in terms.subterms(roots) {
        declared_sorts(terms, terms.sort(term), &mut sorts);
    }
    let mut text = String::new();
    for id in sorts {
        let _ = writeln!(text, "(declare-sort {} 0)", DisplaySymbol(terms.sort_name(id)));
    }
    for symbol in symbols {
        let symbol = terms.symbol(symbol);
        let _ = write!(text, "(declare-fun {} (", DisplaySymbol(&symbol.name));
        for (index, &sort) in symbol.parameters.iter().enumerate() {
            let _ = write!(text, "{}{}", if index == 0 { "" } else { " " }, DisplaySort(terms, sort));
        }
        let _ = writeln!(text, ") {})", DisplaySort(terms, symbol.result));
    }
    text
}

/// The smallest logic that the terms are in.
pub fn logic(terms: &Terms, roots: &[Term]) -> String {
    let (mut arrays, mut functions, mut bits, mut floats) = (false, false, false, false);
    for term in terms.subterms(roots) {
        match terms.sort(term) {
            Sort::Bool => {}
            Sort::Bv(_) => bits = true,
            Sort::Float(_) | Sort::RoundingMode => floats = true,
            Sort::Array(_) => arrays = true,
            Sort::Uninterpreted(_) => functions = true,
        }
        functions |= matches!(terms.op(term), Op::Apply(_));
    }
    let parts = [(arrays, "A"), (functions || !(arrays || bits || floats), "UF"), (bits, "BV"), (floats, "FP")];
    if arrays && !bits && !floats && !functions {
        return "QF_AX".to_owned();
    }
    parts.iter().filter(|(used, _)| *used).fold("QF_".to_owned(), |name, (_, part)| name + part)
}

/// A script that asks whether the terms hold together.
pub fn script(terms: &Terms, assertions: &[Term]) -> String {
    let mut text = format!("(set-logic {})\n", logic(terms, assertions));
    text.push_str(&declarations(terms, assertions));
    for &term in assertions {
        let _ = writeln!(text, "(assert {})", terms.display(term));
    }
    text.push_str("(check-sat)\n");
    text
}
