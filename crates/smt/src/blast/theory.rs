//! Arrays and uninterpreted functions by lemmas on demand.
//!
//! The words that stand for reads and applications are free inputs at first. Given an assignment, every read is carried
//! along the arrays that must agree with it (through writes elsewhere, the chosen side of a choice, equalities that hold);
//! two reads that meet at one array with one index and two values violate a lemma, which is returned. No lemma means the
//! assignment is a model. Lemmas are valid on their own, so they may stay for ever.

use std::collections::VecDeque;

use tandem_base::FastBuild;

use super::assignment::{Assignment, Bits};
use super::circuit::{self, Word};
use super::graph::{Edge, Graph};
use super::scope::Scope;
use super::translate::Translator;
use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::sort::Sort;

pub(super) type Map<K, V> = hashbrown::HashMap<K, V, FastBuild>;

/// If all premises hold, the two words are equal.
pub(super) struct Lemma {
    premises: Vec<Premise>,
    conclusion: (Word, Word),
}

enum Premise {
    Holds(Edge),
    Equal(Word, Word),
    Different(Word, Word),
}

impl Lemma {
    /// The lemma as a disjunction.
    pub fn clause(&self, graph: &mut Graph) -> Edge {
        let mut parts: Vec<Edge> = Vec::with_capacity(self.premises.len() + 1);
        for premise in &self.premises {
            parts.push(match premise {
                Premise::Holds(edge) => !*edge,
                Premise::Equal(left, right) => !graph.word_equal(left, right),
                Premise::Different(left, right) => graph.word_equal(left, right),
            });
        }
        parts.push(graph.word_equal(&self.conclusion.0, &self.conclusion.1));
        graph.or_all(&parts)
    }
}

/// A value at an index that some array is known to have.
struct Access {
    index: Word,
    value: Word,
    index_bits: Bits,
    value_bits: Bits,
}

/// How an access came to an array.
struct Entry {
    access: usize,
    from: Origin,
}

/// From which array and how; `None` where the access started.
type Origin = Option<(Term, Step)>;

enum Step {
    /// Past a write: the index of the access differs from this one.
    Past(Word),
    /// Because this holds.
    Because(Edge),
}

/// Arrays as the assignment has them.
pub(super) struct Arrays<'a, 's> {
    terms: &'a Terms,
    translator: &'a Translator,
    assignment: &'a Assignment<'s>,
    accesses: Vec<Access>,
    tables: Map<Term, Map<Bits, Entry>>,
    /// Writes and choices made of an array; only filled if some equality holds, because only then values come back.
    users: Map<Term, Vec<Term>>,
    /// Arrays that an equality that holds makes equal.
    equals: Map<Term, Vec<(Term, Edge)>>,
    queue: VecDeque<(Term, usize, Origin)>,
    lemmas: Vec<Lemma>,
}

/// Lemmas returned at once: more are seldom needed, and each costs clauses.
const LEMMAS_PER_ROUND: usize = 100;

/// An index at which a constant array is looked at although nobody reads it there.
pub(super) struct Probe {
    pub array: Term,
    pub index: Bits,
}

impl<'a, 's> Arrays<'a, 's> {
    /// Carries all accesses as far as they go.
    pub fn propagate(
        terms: &'a Terms,
        translator: &'a Translator,
        assignment: &'a Assignment<'s>,
        scope: &Scope,
        probes: &[Probe],
    ) -> Arrays<'a, 's> {
        let mut arrays = Arrays {
            terms,
            translator,
            assignment,
            accesses: Vec::new(),
            tables: Map::default(),
            users: Map::default(),
            equals: Map::default(),
            queue: VecDeque::new(),
            lemmas: Vec::new(),
        };
        arrays.link(scope);
        arrays.collect(scope, probes);
        while let Some((array, access, from)) = arrays.queue.pop_front() {
            if arrays.lemmas.len() >= LEMMAS_PER_ROUND {
                break;
            }
            arrays.visit(array, access, from);
        }
        arrays
    }

    pub fn take_lemmas(&mut self) -> Vec<Lemma> {
        std::mem::take(&mut self.lemmas)
    }

    fn link(&mut self, scope: &Scope) {
        for &equality in &scope.array_equalities {
            let edge = self.translator.word(equality)[0];
            if self.assignment.edge(edge) {
                let [left, right] = self.terms.args(equality) else { continue };
                self.equals.entry(*left).or_default().push((*right, edge));
                self.equals.entry(*right).or_default().push((*left, edge));
            }
        }
        if self.equals.is_empty() {
            return;
        }
        for &array in &scope.arrays {
            for &arg in self.terms.args(array) {
                if matches!(self.terms.sort(arg), Sort::Array(_)) {
                    self.users.entry(arg).or_default().push(array);
                }
            }
        }
    }

    fn collect(&mut self, scope: &Scope, probes: &[Probe]) {
        // Written values first: a read at the same index then meets the value that was written.
        for &array in &scope.arrays {
            if let (Op::Store, &[_, index, value]) = (self.terms.op(array), self.terms.args(array)) {
                let (index, value) = (self.translator.value(index).to_vec(), self.translator.value(value).to_vec());
                self.start(array, index, value);
            }
        }
        for &select in &scope.selects {
            let [array, index] = *self.terms.args(select) else { continue };
            let (index, value) = (self.translator.value(index).to_vec(), self.translator.value(select).to_vec());
            self.start(array, index, value);
        }
        for &equality in &scope.array_equalities {
            let (Some(witness), &[left, right]) = (self.translator.witness(equality), self.terms.args(equality)) else {
                continue;
            };
            self.start(left, witness.index.clone(), witness.left.clone());
            self.start(right, witness.index.clone(), witness.right.clone());
        }
        for probe in probes {
            let value = self.translator.value(self.terms.args(probe.array)[0]).to_vec();
            let width = self.index_width(probe.array);
            let bit = |index: u32| probe.index[index as usize / 64] >> (index % 64) & 1 == 1;
            self.start(probe.array, circuit::constant(width, bit), value);
        }
    }

    fn index_width(&self, array: Term) -> usize {
        let Sort::Array(id) = self.terms.sort(array) else { return 1 };
        sort_width(self.terms.array_sorts(id).0)
    }

    fn start(&mut self, array: Term, index: Word, value: Word) {
        let access =
            Access { index_bits: self.assignment.word(&index), value_bits: self.assignment.word(&value), index, value };
        self.accesses.push(access);
        self.queue.push_back((array, self.accesses.len() - 1, None));
    }

    fn visit(&mut self, array: Term, access: usize, from: Origin) {
        let bits = self.accesses[access].index_bits.clone();
        let table = self.tables.entry(array).or_default();
        if let Some(present) = table.get(&bits).map(|entry| entry.access) {
            if self.accesses[present].value_bits != self.accesses[access].value_bits {
                self.conflict(array, present, access, from);
            }
            return;
        }
        table.insert(bits, Entry { access, from });
        self.carry_on(array, access);
    }

    fn carry_on(&mut self, array: Term, access: usize) {
        let args = self.terms.args(array);
        match self.terms.op(array) {
            Op::Store => self.pass_write(args[1], access, array, args[0]),
            Op::Ite => {
                let (side, because) = self.chosen(array);
                self.queue.push_back((side, access, Some((array, Step::Because(because)))));
            }
            Op::ConstArray(_) => self.compare_with_constant(array, args[0], access),
            _ => {}
        }
        for user in self.users.get(&array).cloned().unwrap_or_default() {
            match self.terms.op(user) {
                Op::Store if self.terms.args(user)[0] == array => {
                    self.pass_write(self.terms.args(user)[1], access, array, user);
                }
                Op::Ite => {
                    let (side, because) = self.chosen(user);
                    if side == array {
                        self.queue.push_back((user, access, Some((array, Step::Because(because)))));
                    }
                }
                _ => {}
            }
        }
        for (other, edge) in self.equals.get(&array).cloned().unwrap_or_default() {
            self.queue.push_back((other, access, Some((array, Step::Because(edge)))));
        }
    }

    /// Carries the access from one side of a write to the other if it is at another index.
    fn pass_write(&mut self, written: Term, access: usize, from: Term, to: Term) {
        let index = self.translator.value(written);
        if self.assignment.word(index) != self.accesses[access].index_bits {
            let step = Step::Past(index.to_vec());
            self.queue.push_back((to, access, Some((from, step))));
        }
    }

    /// The side of an array choice that the assignment takes, and the edge that says so.
    fn chosen(&self, choice: Term) -> (Term, Edge) {
        let args = self.terms.args(choice);
        let condition = self.translator.word(args[0])[0];
        if self.assignment.edge(condition) { (args[1], condition) } else { (args[2], !condition) }
    }

    fn compare_with_constant(&mut self, array: Term, element: Term, access: usize) {
        let element = self.translator.value(element).to_vec();
        if self.assignment.word(&element) != self.accesses[access].value_bits {
            let mut premises = Vec::new();
            self.explain(array, access, &mut premises);
            self.lemmas.push(Lemma { premises, conclusion: (self.accesses[access].value.clone(), element) });
        }
    }

    fn conflict(&mut self, array: Term, present: usize, access: usize, from: Origin) {
        let mut premises = Vec::new();
        self.explain(array, present, &mut premises);
        if let Some((previous, step)) = from {
            premises.push(self.premise(access, &step));
            self.explain(previous, access, &mut premises);
        }
        let (left, right) = (&self.accesses[present], &self.accesses[access]);
        premises.push(Premise::Equal(left.index.clone(), right.index.clone()));
        self.lemmas.push(Lemma { premises, conclusion: (left.value.clone(), right.value.clone()) });
    }

    /// Why the access is at the array: the steps back to where it started.
    fn explain(&self, array: Term, access: usize, premises: &mut Vec<Premise>) {
        let bits = &self.accesses[access].index_bits;
        let mut at = array;
        while let Some(Entry { from: Some((previous, step)), .. }) =
            self.tables.get(&at).and_then(|table| table.get(bits))
        {
            premises.push(self.premise(access, step));
            at = *previous;
        }
    }

    fn premise(&self, access: usize, step: &Step) -> Premise {
        match step {
            Step::Past(index) => Premise::Different(self.accesses[access].index.clone(), index.clone()),
            Step::Because(edge) => Premise::Holds(*edge),
        }
    }

    /// What the assignment has at the indices of this array that matter.
    pub fn entries(&self, array: Term) -> impl Iterator<Item = (&Bits, &Bits)> {
        let table = self.tables.get(&array);
        table.into_iter().flatten().map(|(index, entry)| (index, &self.accesses[entry.access].value_bits))
    }

    pub fn is_probed(&self, array: Term, index: &Bits) -> bool {
        self.tables.get(&array).is_some_and(|table| table.contains_key(index))
    }

    /// Pairs of arrays that are the same but for finitely many indices.
    pub fn related(&self, scope: &Scope) -> Vec<(Term, Term)> {
        let mut pairs = Vec::new();
        for &array in &scope.arrays {
            match self.terms.op(array) {
                Op::Store => pairs.push((array, self.terms.args(array)[0])),
                Op::Ite => pairs.push((array, self.chosen(array).0)),
                _ => {}
            }
        }
        for (&array, others) in &self.equals {
            pairs.extend(others.iter().map(|&(other, _)| (array, other)));
        }
        pairs
    }
}

/// Bits of the words that stand for values of the sort.
pub(super) fn sort_width(sort: Sort) -> usize {
    match sort {
        Sort::Bool => 1,
        Sort::Bv(width) => width as usize,
        Sort::Float(format) => format.width() as usize,
        Sort::RoundingMode => 3,
        // As many elements as a value can name.
        Sort::Uninterpreted(_) => 32,
        Sort::Array(_) => 0,
    }
}

/// Applications of one function to equal arguments that the assignment gives different results.
pub(super) fn function_lemmas(
    terms: &Terms,
    translator: &Translator,
    assignment: &Assignment<'_>,
    scope: &Scope,
) -> Vec<Lemma> {
    let mut results: Map<(Op, Vec<Bits>), Term> = Map::default();
    let mut lemmas = Vec::new();
    for &application in &scope.applications {
        let bits = |term: Term| assignment.word(translator.value(term));
        let key = (terms.op(application), terms.args(application).iter().map(|&arg| bits(arg)).collect());
        let first = *results.entry(key).or_insert(application);
        if first == application || bits(first) == bits(application) {
            continue;
        }
        let word = |term: Term| translator.value(term).to_vec();
        let pairs = terms.args(first).iter().zip(terms.args(application)).filter(|(left, right)| left != right);
        lemmas.push(Lemma {
            premises: pairs.map(|(&left, &right)| Premise::Equal(word(left), word(right))).collect(),
            conclusion: (word(first), word(application)),
        });
    }
    lemmas
}
