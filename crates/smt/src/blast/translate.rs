//! From terms to words of the graph, each term once.
//!
//! Floats go through [`Floats`], which turns them into bit-vector terms. Reads of arrays, applications of functions and
//! equalities of arrays become inputs; [`theory`](super::theory) makes them mean what they should. Solving is not known here.

use tandem_base::{Budget, FastBuild, StopReason};

use super::circuit::{self, Direction, Part, Word};
use super::float::Floats;
use super::graph::{Edge, Graph};
use super::theory::sort_width;
use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::sort::{FloatSort, RoundingMode, Sort};

type Map<K, V> = hashbrown::HashMap<K, V, FastBuild>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Failure {
    Stopped(StopReason),
    Incomplete(String),
}

/// An index at which two arrays differ if they differ, and what they hold there.
#[derive(Clone)]
pub(super) struct Witness {
    pub index: Word,
    pub left: Word,
    pub right: Word,
}

pub(super) struct Translator {
    terms: Terms,
    pub graph: Graph,
    /// Where in `edges` the word of a term is; arrays have an empty one.
    words: Map<Term, (u32, u32)>,
    edges: Vec<Edge>,
    floats: Floats,
    /// Float operations whose lowered term is being translated: none of them may come up again meanwhile.
    expanding: hashbrown::HashSet<Term, FastBuild>,
    /// Quotient and remainder by dividend and divisor.
    divisions: Map<(Term, Term), (Word, Word)>,
    witnesses: Map<Term, Witness>,
}

/// Terms translated between two looks at the budget.
const STEPS_PER_LOOK: u32 = 64;

impl Translator {
    pub fn new(terms: &Terms) -> Translator {
        Translator {
            terms: terms.clone(),
            graph: Graph::new(),
            words: Map::default(),
            edges: Vec::new(),
            floats: Floats::new(terms),
            expanding: hashbrown::HashSet::default(),
            divisions: Map::default(),
            witnesses: Map::default(),
        }
    }

    /// The edge of a boolean term.
    pub fn boolean(&mut self, term: Term, budget: &Budget) -> Result<Edge, Failure> {
        self.ensure(term, budget)?;
        Ok(self.word(term).first().copied().unwrap_or(Edge::FALSE))
    }

    /// Translates a term of any sort.
    pub fn prepare(&mut self, term: Term, budget: &Budget) -> Result<(), Failure> {
        self.ensure(self.value_term(term), budget)
    }

    /// The word of a term that is not a float, after it was translated; empty before.
    pub fn word(&self, term: Term) -> &[Edge] {
        match self.words.get(&term) {
            Some(&(start, end)) => &self.edges[start as usize..end as usize],
            None => &[],
        }
    }

    /// The word of a term of any sort but arrays, after it was translated: of a float its canonical bits.
    pub fn value(&self, term: Term) -> &[Edge] {
        self.word(self.value_term(term))
    }

    pub fn witness(&self, equality: Term) -> Option<&Witness> {
        self.witnesses.get(&equality)
    }

    fn value_term(&self, term: Term) -> Term {
        match self.terms.sort(term) {
            Sort::Float(sort) => self.terms.intern(Op::FloatToBits, Sort::Bv(sort.width()), &[term]),
            _ => term,
        }
    }

    fn ensure(&mut self, root: Term, budget: &Budget) -> Result<(), Failure> {
        self.expanding.clear();
        let mut stack = vec![root];
        let mut steps = 0;
        while let Some(&term) = stack.last() {
            if self.is_done(term) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            self.push_missing(term, &mut stack);
            if stack.len() > before {
                if self.floats.lowered(term).is_some() && !self.expanding.insert(term) {
                    return Err(Failure::Incomplete("a float operation that is defined by itself".into()));
                }
                continue;
            }
            steps += 1;
            if steps % STEPS_PER_LOOK == 0
                && let Some(reason) = budget.exhausted()
            {
                return Err(Failure::Stopped(reason));
            }
            self.translate(term)?;
        }
        Ok(())
    }

    fn is_done(&self, term: Term) -> bool {
        self.words.contains_key(&term) || self.floats.is_known(term)
    }

    /// What has to be translated before the term.
    fn push_missing(&self, term: Term, stack: &mut Vec<Term>) {
        let mut push = |term: Term| {
            if !self.is_done(term) {
                stack.push(term);
            }
        };
        let args = self.terms.args(term);
        match self.terms.op(term) {
            Op::Select | Op::Apply(_) if matches!(self.terms.sort(term), Sort::Float(_)) => {}
            Op::Select | Op::Store | Op::ConstArray(_) | Op::Apply(_) => {
                args.iter().for_each(|&arg| push(self.value_term(arg)));
            }
            Op::FloatToBits if self.floats.is_atom(args[0]) => args.iter().for_each(|&arg| {
                self.terms.args(arg).iter().for_each(|&inner| push(self.value_term(inner)));
            }),
            _ if self.is_float_operation(term) => match self.floats.lowered(term) {
                Some(lowered) => push(lowered),
                None => args.iter().filter(|&&arg| self.is_float(arg)).for_each(|&arg| push(arg)),
            },
            _ => args.iter().for_each(|&arg| push(arg)),
        }
    }

    fn is_float(&self, term: Term) -> bool {
        matches!(self.terms.sort(term), Sort::Float(_))
    }

    fn is_float_operation(&self, term: Term) -> bool {
        self.is_float(term) || self.terms.args(term).iter().any(|&arg| self.is_float(arg))
    }

    fn translate(&mut self, term: Term) -> Result<(), Failure> {
        let terms = self.terms.clone();
        let (op, sort, args) = (terms.op(term), terms.sort(term), terms.args(term));
        let word = match op {
            Op::Store | Op::ConstArray(_) | Op::Variable(_) | Op::Ite if matches!(sort, Sort::Array(_)) => {
                self.check_array_sort(sort)?;
                Vec::new()
            }
            Op::FloatToBits if self.floats.is_atom(args[0]) => self.fresh(terms.sort(args[0]))?,
            Op::Apply(_) if args.iter().any(|&arg| matches!(terms.sort(arg), Sort::Array(_))) => {
                return Err(Failure::Incomplete("arrays as arguments of functions".into()));
            }
            Op::Apply(_) | Op::Select | Op::Variable(_) if !matches!(sort, Sort::Float(_)) => self.fresh(sort)?,
            Op::Eq if matches!(terms.sort(args[0]), Sort::Array(_)) => self.array_equality(term, args[0])?,
            _ if self.is_float_operation(term) => return self.translate_float(term),
            _ => self.bits(op, sort, args),
        };
        self.keep(term, &word);
        Ok(())
    }

    fn keep(&mut self, term: Term, word: &[Edge]) {
        let start = self.edges.len() as u32;
        self.edges.extend_from_slice(word);
        self.words.insert(term, (start, self.edges.len() as u32));
    }

    fn translate_float(&mut self, term: Term) -> Result<(), Failure> {
        if self.is_float(term) {
            return self.floats.make(term).map_err(Failure::Incomplete);
        }
        if let Some(lowered) = self.floats.lowered(term) {
            let word = self.word(lowered).to_vec();
            self.keep(term, &word);
            return Ok(());
        }
        self.floats.lower(term).map_err(Failure::Incomplete)
    }

    fn check_array_sort(&self, sort: Sort) -> Result<(), Failure> {
        let Sort::Array(id) = sort else { return Ok(()) };
        match self.terms.array_sorts(id) {
            (Sort::Array(_), _) | (_, Sort::Array(_)) => Err(Failure::Incomplete("nested arrays".into())),
            _ => Ok(()),
        }
    }

    fn array_equality(&mut self, equality: Term, left: Term) -> Result<Word, Failure> {
        let Sort::Array(id) = self.terms.sort(left) else { return Ok(vec![Edge::FALSE]) };
        let (index, element) = self.terms.array_sorts(id);
        let witness = Witness { index: self.fresh(index)?, left: self.fresh(element)?, right: self.fresh(element)? };
        // Equal arrays hold the same at the witness, different ones do not: the equality is that of the two words.
        let equal = self.graph.word_equal(&witness.left, &witness.right);
        self.witnesses.insert(equality, witness);
        Ok(vec![equal])
    }

    /// Inputs for any value of the sort; one word for one value.
    fn fresh(&mut self, sort: Sort) -> Result<Word, Failure> {
        if matches!(sort, Sort::Array(_)) {
            return Err(Failure::Incomplete("arrays as results of functions or of reads".into()));
        }
        let word: Word = (0..sort_width(sort)).map(|_| self.graph.input()).collect();
        Ok(match sort {
            Sort::Float(sort) => self.canonical_nan(sort, &word),
            // The modes 5 to 7 are mode 4.
            Sort::RoundingMode => vec![self.graph.and(word[0], !word[2]), self.graph.and(word[1], !word[2]), word[2]],
            _ => word,
        })
    }

    /// The same float with NaN in its one canonical pattern.
    fn canonical_nan(&mut self, sort: FloatSort, word: &[Edge]) -> Word {
        let fraction = sort.significand as usize - 1;
        let sign = word.len() - 1;
        let any = self.graph.or_all(&word[..fraction]);
        let full = self.graph.and_all(&word[fraction..sign]);
        let nan = self.graph.and(any, full);
        (0..word.len())
            .map(|index| match index {
                _ if index + 1 == fraction => self.graph.or(word[index], nan),
                _ if index < fraction || index == sign => self.graph.and(word[index], !nan),
                _ => word[index],
            })
            .collect()
    }

    /// Operations on booleans, bit-vectors, rounding modes and declared sorts.
    fn bits(&mut self, op: Op, sort: Sort, args: &[Term]) -> Word {
        let words: Vec<Word> = args.iter().map(|&arg| self.word(arg).to_vec()).collect();
        let width = if let Sort::Bv(width) = sort { width as usize } else { 1 };
        let graph = &mut self.graph;
        match (op, words.as_slice()) {
            (Op::True, _) => vec![Edge::TRUE],
            (Op::False, _) => vec![Edge::FALSE],
            (Op::Not | Op::BvNot, [x]) => circuit::not(x),
            (Op::And, words) => vec![graph.and_all(&words.concat())],
            (Op::Or, words) => vec![graph.or_all(&words.concat())],
            (Op::Xor | Op::BvXor, [x, y]) => graph.word_xor(x, y),
            (Op::Eq, [x, y]) => vec![graph.word_equal(x, y)],
            (Op::Ite, [condition, x, y]) => graph.word_choice(condition[0], x, y),
            (Op::Bits(bits), _) => circuit::constant(width, |index| index < 64 && bits >> index & 1 == 1),
            (Op::WideBits(id), _) => circuit::constant(width, |index| self.terms.wide_bits(id).bit(index)),
            (Op::Rounding(mode), _) => circuit::constant(3, |index| mode_code(mode) >> index & 1 == 1),
            (Op::BvNeg, [x]) => graph.word_negate(x),
            (Op::BvAnd, [x, y]) => graph.word_and(x, y),
            (Op::BvOr, [x, y]) => graph.word_or(x, y),
            (Op::BvAdd, [x, y]) => graph.word_add(x, y, Edge::FALSE).0,
            (Op::BvMul, [x, y]) => graph.word_multiply(x, y),
            (Op::BvUdiv | Op::BvUrem, [x, y]) => self.divide(op, args, x, y),
            (Op::BvSdiv, [x, y]) => graph.word_signed_divide(x, y, Part::Quotient),
            (Op::BvSrem, [x, y]) => graph.word_signed_divide(x, y, Part::Remainder),
            (Op::BvShl, [x, y]) => graph.word_shift(x, y, Direction::Left, Edge::FALSE),
            (Op::BvLshr, [x, y]) => graph.word_shift(x, y, Direction::Right, Edge::FALSE),
            (Op::BvAshr, [x, y]) => graph.word_shift(x, y, Direction::Right, x[x.len() - 1]),
            (Op::BvUlt, [x, y]) => vec![graph.word_less(x, y, false)],
            (Op::BvUle, [x, y]) => vec![graph.word_less(x, y, true)],
            (Op::BvSlt, [x, y]) => vec![graph.word_signed_less(x, y, false)],
            (Op::BvSle, [x, y]) => vec![graph.word_signed_less(x, y, true)],
            (Op::Concat, [high, low]) => low.iter().chain(high).copied().collect(),
            (Op::Extract { high, low }, [x]) => x[low as usize..=high as usize].to_vec(),
            (Op::ZeroExtend(_), [x]) => extend(x, width, Edge::FALSE),
            (Op::SignExtend(_), [x]) => extend(x, width, x[x.len() - 1]),
            // Everything else is about floats or arrays, or has its number of arguments wrong.
            (op, _) => unreachable!("{op:?} is not an operation on bit-vectors"),
        }
    }

    fn divide(&mut self, op: Op, args: &[Term], left: &[Edge], right: &[Edge]) -> Word {
        let graph = &mut self.graph;
        let (quotient, remainder) =
            self.divisions.entry((args[0], args[1])).or_insert_with(|| graph.word_divide(left, right));
        if op == Op::BvUdiv { quotient.clone() } else { remainder.clone() }
    }
}

fn extend(word: &[Edge], width: usize, fill: Edge) -> Word {
    let mut word = word.to_vec();
    word.resize(width, fill);
    word
}

pub(super) fn mode_code(mode: RoundingMode) -> u32 {
    match mode {
        RoundingMode::NearestEven => 0,
        RoundingMode::NearestAway => 1,
        RoundingMode::TowardPositive => 2,
        RoundingMode::TowardNegative => 3,
        RoundingMode::TowardZero => 4,
    }
}
