//! The operators of the theories: from a name, indices and arguments to a term, with the sorts checked first.

use super::print::{DisplaySort, HEADS};
use super::scope::MAXIMAL_WIDTH;
use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::sort::{FloatSort, Sort};

/// Why an operator does not take its arguments; `at` is the argument that is wrong.
pub(super) struct Refusal {
    pub at: Option<usize>,
    pub found: String,
    pub expected: String,
}

type Built = Result<Term, Refusal>;

pub(super) struct Call<'a> {
    pub terms: &'a Terms,
    pub name: &'a str,
    pub indices: &'a [u32],
    pub args: &'a [Term],
}

impl Call<'_> {
    fn refuse<T>(&self, at: Option<usize>, found: String, expected: &str) -> Result<T, Refusal> {
        Err(Refusal { at, found, expected: expected.to_owned() })
    }

    fn wrong<T>(&self, at: usize, expected: &str) -> Result<T, Refusal> {
        let sort = DisplaySort(self.terms, self.terms.sort(self.args[at]));
        self.refuse(Some(at), format!("a term of sort {sort}"), &format!("{expected} in `{}`", self.name))
    }

    fn count(&self, wanted: usize) -> Result<(), Refusal> {
        if self.args.len() == wanted {
            return Ok(());
        }
        let plural = if wanted == 1 { "" } else { "s" };
        self.refuse(None, arguments(self.args.len()), &format!("{wanted} argument{plural} of `{}`", self.name))
    }

    fn at_least(&self, wanted: usize) -> Result<(), Refusal> {
        if self.args.len() >= wanted {
            return Ok(());
        }
        self.refuse(None, arguments(self.args.len()), &format!("at least {wanted} arguments of `{}`", self.name))
    }

    fn indexed(&self, wanted: usize) -> Result<(), Refusal> {
        if self.indices.len() == wanted {
            return Ok(());
        }
        let found = format!("{} indices", self.indices.len());
        self.refuse(None, found, &format!("{wanted} indices of `{}`", self.name))
    }

    fn all(&self, sort: Sort) -> Result<(), Refusal> {
        let text = DisplaySort(self.terms, sort).to_string();
        match self.args.iter().position(|&arg| self.terms.sort(arg) != sort) {
            Some(at) => self.wrong(at, &format!("a term of sort {text}")),
            None => Ok(()),
        }
    }

    fn width_of(&self, at: usize) -> Result<u32, Refusal> {
        match self.terms.sort(self.args[at]) {
            Sort::Bv(width) => Ok(width),
            _ => self.wrong(at, "a bit-vector"),
        }
    }

    fn float_of(&self, at: usize) -> Result<FloatSort, Refusal> {
        match self.terms.sort(self.args[at]) {
            Sort::Float(sort) => Ok(sort),
            _ => self.wrong(at, "a float"),
        }
    }

    fn mode_of(&self, at: usize) -> Result<Term, Refusal> {
        match self.terms.sort(self.args[at]) {
            Sort::RoundingMode => Ok(self.args[at]),
            _ => self.wrong(at, "a rounding mode"),
        }
    }

    fn wide(&self, width: u64) -> Result<(), Refusal> {
        if width <= u64::from(MAXIMAL_WIDTH) {
            return Ok(());
        }
        self.refuse(None, format!("a bit-vector of {width} bits"), &format!("at most {MAXIMAL_WIDTH} bits"))
    }

    /// The term, or what is wrong.
    pub fn build(&self) -> Built {
        match self.name {
            "not" | "and" | "or" | "xor" | "=>" => self.boolean(),
            "=" | "distinct" | "ite" | "select" | "store" => self.general(),
            "concat" | "extract" | "zero_extend" | "sign_extend" | "repeat" | "rotate_left" | "rotate_right" => {
                self.slice()
            }
            "fp" | "to_fp" | "to_fp_unsigned" => self.float_conversion(),
            name if name.starts_with("bv") => self.bits(),
            name if name.starts_with("fp.") => self.float(),
            name => self.refuse(None, format!("the unknown symbol `{name}`"), "a declared function or an operator"),
        }
    }

    fn boolean(&self) -> Built {
        self.indexed(0)?;
        self.all(Sort::Bool)?;
        let terms = self.terms;
        match self.name {
            "not" => self.count(1).map(|()| terms.not(self.args[0])),
            "and" => self.at_least(1).map(|()| terms.and(self.args)),
            "or" => self.at_least(1).map(|()| terms.or(self.args)),
            "xor" => self.at_least(2).map(|()| self.left(|a, b| terms.xor(a, b))),
            _ => {
                self.at_least(2)?;
                let (&last, rest) = self.args.split_last().unwrap_or((&self.args[0], &[]));
                Ok(rest.iter().rev().fold(last, |right, &left| terms.implies(left, right)))
            }
        }
    }

    fn left(&self, join: impl Fn(Term, Term) -> Term) -> Term {
        self.args[1..].iter().fold(self.args[0], |left, &right| join(left, right))
    }

    /// All neighbours are in the relation.
    fn chain(&self, relate: impl Fn(Term, Term) -> Term) -> Term {
        let parts: Vec<Term> = self.args.windows(2).map(|pair| relate(pair[0], pair[1])).collect();
        self.terms.and(&parts)
    }

    fn general(&self) -> Built {
        self.indexed(0)?;
        let terms = self.terms;
        match self.name {
            "=" | "distinct" => {
                self.at_least(2)?;
                self.all(terms.sort(self.args[0]))?;
                if self.name == "=" { Ok(self.chain(|a, b| terms.eq(a, b))) } else { Ok(terms.distinct(self.args)) }
            }
            "ite" => {
                self.count(3)?;
                if terms.sort(self.args[0]) != Sort::Bool {
                    return self.wrong(0, "a boolean condition");
                }
                if terms.sort(self.args[1]) != terms.sort(self.args[2]) {
                    return self.wrong(2, "a term of the sort of the other branch");
                }
                Ok(terms.ite(self.args[0], self.args[1], self.args[2]))
            }
            name => {
                self.count(if name == "select" { 2 } else { 3 })?;
                let Some((index, element)) = terms.array_sorts_of(self.args[0]) else {
                    return self.wrong(0, "an array");
                };
                if terms.sort(self.args[1]) != index {
                    return self.wrong(1, &format!("an index of sort {}", DisplaySort(terms, index)));
                }
                if name == "select" {
                    return Ok(terms.select(self.args[0], self.args[1]));
                }
                if terms.sort(self.args[2]) != element {
                    return self.wrong(2, &format!("an element of sort {}", DisplaySort(terms, element)));
                }
                Ok(terms.store(self.args[0], self.args[1], self.args[2]))
            }
        }
    }

    fn slice(&self) -> Built {
        let terms = self.terms;
        if self.name == "concat" {
            self.indexed(0)?;
            self.at_least(2)?;
            let widths: Result<Vec<u32>, Refusal> = (0..self.args.len()).map(|at| self.width_of(at)).collect();
            self.wide(widths?.into_iter().map(u64::from).sum())?;
            return Ok(self.left(|high, low| terms.concat(high, low)));
        }
        self.count(1)?;
        let term = self.args[0];
        let width = self.width_of(0)?;
        if self.name == "extract" {
            self.indexed(2)?;
            let (high, low) = (self.indices[0], self.indices[1]);
            if low > high || high >= width {
                let found = format!("bits {high} to {low}");
                return self.refuse(None, found, &format!("bits of a bit-vector of width {width}"));
            }
            return Ok(terms.extract(term, high, low));
        }
        self.indexed(1)?;
        let by = self.indices[0];
        match self.name {
            "zero_extend" | "sign_extend" => {
                self.wide(u64::from(width) + u64::from(by))?;
                Ok(if self.name == "zero_extend" { terms.zero_extend(term, by) } else { terms.sign_extend(term, by) })
            }
            "repeat" => {
                self.wide(u64::from(width) * u64::from(by))?;
                if by == 0 {
                    return self.refuse(None, "no repetition".to_owned(), "at least one");
                }
                Ok((1..by).fold(term, |sum, _| terms.concat(term, sum)))
            }
            name => {
                let by = if name == "rotate_left" { by % width } else { (width - by % width) % width };
                if by == 0 {
                    return Ok(term);
                }
                let (high, low) = (terms.extract(term, width - by - 1, 0), terms.extract(term, width - 1, width - by));
                Ok(terms.concat(high, low))
            }
        }
    }

    fn bits(&self) -> Built {
        self.indexed(0)?;
        let terms = self.terms;
        self.at_least(1)?;
        let width = self.width_of(0)?;
        self.all(Sort::Bv(width))?;
        let zero = terms.bv(width, 0);
        if let "bvnot" | "bvneg" | "bvredor" | "bvredand" | "bvnego" = self.name {
            self.count(1)?;
            let term = self.args[0];
            return Ok(match self.name {
                "bvnot" => terms.bv_not(term),
                "bvneg" => terms.bv_neg(term),
                "bvnego" => terms.eq(term, terms.bv_value(&crate::BitVector::sign_bit(width))),
                "bvredor" => self.flag(terms.not(terms.eq(term, zero))),
                _ => self.flag(terms.eq(term, terms.bv_not(zero))),
            });
        }
        if let "bvand" | "bvor" | "bvxor" | "bvadd" | "bvmul" = self.name {
            self.at_least(2)?;
            return Ok(match self.name {
                "bvand" => self.left(|a, b| terms.bv_and(a, b)),
                "bvor" => self.left(|a, b| terms.bv_or(a, b)),
                "bvxor" => self.left(|a, b| terms.bv_xor(a, b)),
                "bvadd" => self.left(|a, b| terms.bv_add(a, b)),
                _ => self.left(|a, b| terms.bv_mul(a, b)),
            });
        }
        self.count(2)?;
        let (left, right) = (self.args[0], self.args[1]);
        match HEADS.iter().find(|(_, head)| *head == self.name) {
            Some((op @ (Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle), _)) => {
                Ok(terms.rebuild(*op, Sort::Bool, self.args))
            }
            Some((op, _)) => Ok(terms.rebuild(*op, Sort::Bv(width), self.args)),
            None => self.more_bits(left, right, width),
        }
    }

    /// A boolean as one bit.
    fn flag(&self, condition: Term) -> Term {
        self.terms.ite(condition, self.terms.bv(1, 1), self.terms.bv(1, 0))
    }

    /// Operators that are written with others.
    fn more_bits(&self, left: Term, right: Term, width: u32) -> Built {
        let terms = self.terms;
        // Whether the result at twice the width (or one more bit) does not fit.
        let overflow = |signed: bool, more: u32, join: &dyn Fn(Term, Term) -> Term| {
            let extend = |term| if signed { terms.sign_extend(term, more) } else { terms.zero_extend(term, more) };
            let exact = join(extend(left), extend(right));
            let back = extend(terms.extract(exact, width - 1, 0));
            terms.not(terms.eq(exact, back))
        };
        let add = |a, b| terms.bv_add(a, b);
        let sub = |a, b| terms.bv_sub(a, b);
        let mul = |a, b| terms.bv_mul(a, b);
        Ok(match self.name {
            "bvsub" => terms.bv_sub(left, right),
            "bvsmod" => terms.bv_smod(left, right),
            "bvnand" => terms.bv_not(terms.bv_and(left, right)),
            "bvnor" => terms.bv_not(terms.bv_or(left, right)),
            "bvxnor" => terms.bv_not(terms.bv_xor(left, right)),
            "bvcomp" => self.flag(terms.eq(left, right)),
            "bvugt" => terms.bv_ugt(left, right),
            "bvuge" => terms.bv_uge(left, right),
            "bvsgt" => terms.bv_sgt(left, right),
            "bvsge" => terms.bv_sge(left, right),
            "bvuaddo" => overflow(false, 1, &add),
            "bvsaddo" => overflow(true, 1, &add),
            "bvumulo" => overflow(false, width, &mul),
            "bvsmulo" => overflow(true, width, &mul),
            "bvusubo" => terms.bv_ult(left, right),
            "bvssubo" => overflow(true, 1, &sub),
            "bvsdivo" => {
                let least = terms.bv_value(&crate::BitVector::sign_bit(width));
                let minus = terms.bv_value(&crate::BitVector::ones(width));
                terms.and2(terms.eq(left, least), terms.eq(right, minus))
            }
            name => {
                return self.refuse(None, format!("the unknown symbol `{name}`"), "a declared function or an operator");
            }
        })
    }

    fn float(&self) -> Built {
        let terms = self.terms;
        self.at_least(1)?;
        if let "fp.to_sbv" | "fp.to_ubv" = self.name {
            self.indexed(1)?;
            self.count(2)?;
            let (width, mode) = (self.indices[0], self.mode_of(0)?);
            self.float_of(1)?;
            self.wide(u64::from(width))?;
            if width == 0 {
                return self.refuse(None, "a width of zero".to_owned(), "a width of at least one");
            }
            let signed = self.name == "fp.to_sbv";
            return Ok(if signed {
                terms.float_to_signed(width, mode, self.args[1])
            } else {
                terms.float_to_unsigned(width, mode, self.args[1])
            });
        }
        self.indexed(0)?;
        if let "fp.eq" | "fp.lt" | "fp.leq" | "fp.gt" | "fp.geq" = self.name {
            self.at_least(2)?;
            self.all(Sort::Float(self.float_of(0)?))?;
            return Ok(match self.name {
                "fp.eq" => self.chain(|a, b| terms.float_eq(a, b)),
                "fp.lt" => self.chain(|a, b| terms.float_lt(a, b)),
                "fp.leq" => self.chain(|a, b| terms.float_le(a, b)),
                "fp.gt" => self.chain(|a, b| terms.float_gt(a, b)),
                _ => self.chain(|a, b| terms.float_ge(a, b)),
            });
        }
        let Some((op, _)) = HEADS.iter().find(|(_, head)| *head == self.name) else {
            let expected = match self.name {
                "fp.to_real" => "an operator without reals",
                _ => "a declared function or an operator",
            };
            return self.refuse(None, format!("the symbol `{}`", self.name), expected);
        };
        self.float_operator(*op)
    }

    fn float_operator(&self, op: Op) -> Built {
        let (rounded, operands, result) = match op {
            Op::FloatAdd | Op::FloatSub | Op::FloatMul | Op::FloatDiv => (true, 2, None),
            Op::FloatFma => (true, 3, None),
            Op::FloatSqrt | Op::FloatRoundToIntegral => (true, 1, None),
            Op::FloatRem | Op::FloatMin | Op::FloatMax => (false, 2, None),
            Op::FloatAbs | Op::FloatNeg => (false, 1, None),
            Op::FloatToBits => (false, 1, Some(Sort::Bv(1))),
            _ => (false, 1, Some(Sort::Bool)),
        };
        let first = usize::from(rounded);
        self.count(first + operands)?;
        if rounded {
            self.mode_of(0)?;
        }
        let sort = Sort::Float(self.float_of(first)?);
        for at in first..self.args.len() {
            if self.terms.sort(self.args[at]) != sort {
                return self.wrong(at, &format!("a term of sort {}", DisplaySort(self.terms, sort)));
            }
        }
        Ok(self.terms.rebuild(op, result.unwrap_or(sort), self.args))
    }

    fn float_conversion(&self) -> Built {
        let terms = self.terms;
        if self.name == "fp" {
            self.indexed(0)?;
            self.count(3)?;
            let sort = FloatSort { exponent: self.width_of(1)?, significand: self.width_of(2)?.saturating_add(1) };
            if self.width_of(0)? != 1 {
                return self.wrong(0, "one bit for the sign");
            }
            self.check_format(sort)?;
            let low = terms.concat(self.args[1], self.args[2]);
            return Ok(terms.float_from_bits(sort, terms.concat(self.args[0], low)));
        }
        self.indexed(2)?;
        let sort = FloatSort { exponent: self.indices[0], significand: self.indices[1] };
        self.check_format(sort)?;
        let unsigned = self.name == "to_fp_unsigned";
        if self.args.len() == 1 && !unsigned {
            if self.width_of(0)? != sort.width() {
                return self.wrong(0, &format!("a bit-vector of width {}", sort.width()));
            }
            return Ok(terms.float_from_bits(sort, self.args[0]));
        }
        self.count(2)?;
        let mode = self.mode_of(0)?;
        match terms.sort(self.args[1]) {
            Sort::Bv(_) if unsigned => Ok(terms.float_from_unsigned(sort, mode, self.args[1])),
            Sort::Bv(_) => Ok(terms.float_from_signed(sort, mode, self.args[1])),
            Sort::Float(_) if !unsigned => Ok(terms.float_to_float(sort, mode, self.args[1])),
            _ => self.wrong(1, "a bit-vector or a float"),
        }
    }

    fn check_format(&self, sort: FloatSort) -> Result<(), Refusal> {
        let FloatSort { exponent, significand } = sort;
        let known = 2..=crate::softfloat::MAXIMAL_EXPONENT_BITS;
        if known.contains(&exponent) && (2..=1 << 16).contains(&significand) {
            return Ok(());
        }
        let found = format!("a float of {exponent} exponent and {significand} significand bits");
        self.refuse(None, found, "a format with 2 to 60 exponent bits and 2 to 65536 significand bits")
    }
}

fn arguments(count: usize) -> String {
    match count {
        1 => "1 argument".to_owned(),
        _ => format!("{count} arguments"),
    }
}
