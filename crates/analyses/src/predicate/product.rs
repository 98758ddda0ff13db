//! The product of a block with an automaton that reads its steps: made from the formulas of the block, without following its paths again.
//!
//! A run takes one path through a block. So where an automaton is behind each step is a formula over the conditions under which the steps before
//! were taken. Knows no predicates and no exploration.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use tandem_artifact::fql::{Goal, Letters};
use tandem_base::FastBuild;
use tandem_cfa::{Callee, EdgeId, Op, Program};
use tandem_cpa::{Point, Step, StepKind};
use tandem_smt::{Op as Operator, Term, Terms};

use crate::blocks::{Block, ErrorEnd, Seen};
use crate::formula::Assumed;
use crate::store::Store;

/// An automaton, prepared for reading.
pub struct Automaton {
    goal: Goal,
    /// What is found in each accepting state.
    tags: Vec<u32>,
    settled: Vec<bool>,
    /// Moves on letters that are named, and moves on all but some.
    named: HashMap<(u32, EdgeId), Vec<usize>, FastBuild>,
    broad: Vec<Vec<usize>>,
    /// The letters that do more than let every state stay, if that can be said.
    letters: Option<Vec<EdgeId>>,
}

impl Automaton {
    /// `tags` has a number for each state; it counts for accepting ones. Nothing for goals that test predicates.
    pub fn new(goal: Goal, tags: Vec<u32>) -> Option<Automaton> {
        let tests = goal.transitions.iter().any(|one| !one.guard.is_empty());
        if tests || goal.initial.iter().any(|(_, guard)| !guard.is_empty()) {
            return None;
        }
        let mut named: HashMap<(u32, EdgeId), Vec<usize>, FastBuild> = HashMap::default();
        let mut broad = vec![Vec::new(); goal.states()];
        let mut only_stays = true;
        for (number, transition) in goal.transitions.iter().enumerate() {
            if transition.letters.is_rest() {
                only_stays &= transition.source == transition.target && transition.letters.is_all();
                broad[transition.source as usize].push(number);
            } else {
                for letter in transition.letters.named() {
                    named.entry((transition.source, *letter)).or_default().push(number);
                }
            }
        }
        let settled: Vec<bool> = (0..goal.states() as u32).map(|state| goal.is_settled(state)).collect();
        let stays = |state: usize| !broad[state].is_empty();
        only_stays &= (0..goal.states()).all(stays) && (0..goal.states()).all(|at| !goal.accepting[at] || settled[at]);
        let letters = only_stays.then(|| {
            let mut letters: Vec<EdgeId> = named.keys().map(|(_, letter)| *letter).collect();
            letters.sort_unstable();
            letters.dedup();
            letters
        });
        Some(Automaton { goal, tags, settled, named, broad, letters })
    }

    pub fn initial(&self) -> impl Iterator<Item = u32> + '_ {
        self.goal.initial.iter().map(|(state, _)| *state)
    }

    /// Where a letter leads from a state.
    fn targets(&self, state: u32, letter: EdgeId) -> Vec<u32> {
        let named = self.named.get(&(state, letter)).into_iter().flatten();
        let broad = self.broad[state as usize].iter();
        let broad = broad.filter(|number| self.goal.transitions[**number].letters.contains(letter));
        let mut targets: Vec<u32> = named.chain(broad).map(|number| self.goal.transitions[*number].target).collect();
        targets.sort_unstable();
        targets.dedup();
        targets
    }

    fn is_found(&self, state: u32, at_end: bool) -> bool {
        self.settled[state as usize] || at_end && self.goal.accepting[state as usize]
    }
}

/// A letter that is read in a block: which, and with which of its steps.
#[derive(Clone, Copy)]
struct Read {
    letter: EdgeId,
    seen: usize,
    /// Whether the run ends behind it.
    is_last: bool,
}

/// The letters of a block of the program alone.
struct Word {
    reads: Vec<Read>,
    by_letter: HashMap<EdgeId, Vec<usize>, FastBuild>,
}

/// Makes blocks of the product.
pub struct Product {
    pub automaton: Option<Rc<Automaton>>,
    readings: Readings,
    words: HashMap<usize, Rc<Word>, FastBuild>,
    /// Conjunctions of what is assumed on paths. The paths are kept, so that their addresses stay theirs.
    conditions: HashMap<*const Assumed, (Term, Rc<Assumed>), FastBuild>,
}

/// The ends of a block of the product: ends of the plain block, and what else is assumed.
type Ends = Vec<(usize, Term)>;

impl Product {
    pub fn new(program: &Program) -> Product {
        Product {
            automaton: None,
            readings: Readings::of(program),
            words: HashMap::default(),
            conditions: HashMap::default(),
        }
    }

    /// The product of the plain block of this number with the automaton, which begins in these states.
    pub fn block(&mut self, terms: &Terms, number: usize, plain: &Block, start: &[(u32, Term)]) -> (Block, Ends) {
        let Some(automaton) = self.automaton.clone() else { return (Block::empty(), Vec::new()) };
        let mut run =
            Running { terms, automaton: &automaton, here: start.iter().copied().collect(), found: Vec::new() };
        run.start();
        let word = self.word(number, plain);
        for at in relevant(&word, &automaton) {
            let read = word.reads[at];
            let seen = &plain.seen[read.seen];
            let condition = self.condition(terms, &seen.path.assumed);
            run.read(read, seen, condition);
        }
        let mut ends: Vec<(Point, Store<_>)> = Vec::new();
        let mut origins = Ends::new();
        for (index, (point, store)) in plain.ends.iter().enumerate() {
            for (state, condition) in &run.here {
                let mut store = store.clone();
                if terms.op(*condition) != Operator::True {
                    store.path.assume(*condition);
                }
                ends.push((Point { mode: *state, ..*point }, store));
                origins.push((index, *condition));
            }
        }
        let (errors, gaps, beyond) = (run.found, plain.gaps.clone(), plain.beyond.clone());
        (Block { ends, errors, gaps, beyond, seen: Vec::new() }, origins)
    }

    fn word(&mut self, number: usize, plain: &Block) -> Rc<Word> {
        if let Some(word) = self.words.get(&number) {
            return word.clone();
        }
        let mut word = Word { reads: Vec::new(), by_letter: HashMap::default() };
        for (seen, one) in plain.seen.iter().enumerate() {
            let letters = self.readings.letters_of(&one.step);
            for (place, letter) in letters.iter().enumerate() {
                let is_last = one.is_last && place + 1 == letters.len();
                word.by_letter.entry(*letter).or_default().push(word.reads.len());
                word.reads.push(Read { letter: *letter, seen, is_last });
            }
        }
        let word = Rc::new(word);
        self.words.insert(number, word.clone());
        word
    }

    /// Everything that is assumed on a path, as one term.
    fn condition(&mut self, terms: &Terms, path: &Option<Rc<Assumed>>) -> Term {
        let mut open: Vec<&Rc<Assumed>> = Vec::new();
        let mut at = path.as_ref();
        let mut term = terms.bool(true);
        while let Some(node) = at {
            if let Some((known, _)) = self.conditions.get(&Rc::as_ptr(node)) {
                term = *known;
                break;
            }
            open.push(node);
            at = node.before.as_ref();
        }
        for node in open.into_iter().rev() {
            term = terms.and2(term, node.term);
            self.conditions.insert(Rc::as_ptr(node), (term, node.clone()));
        }
        term
    }
}

/// The letters of a block that change something, in their order.
fn relevant(word: &Word, automaton: &Automaton) -> Vec<usize> {
    let Some(letters) = &automaton.letters else { return (0..word.reads.len()).collect() };
    let mut found: Vec<usize> =
        letters.iter().filter_map(|letter| word.by_letter.get(letter)).flatten().copied().collect();
    found.sort_unstable();
    found
}

/// An automaton on its way through a block: where it may be, under which conditions, and what was found.
struct Running<'r> {
    terms: &'r Terms,
    automaton: &'r Automaton,
    here: BTreeMap<u32, Term>,
    found: Vec<ErrorEnd>,
}

impl Running<'_> {
    /// What is found before anything is read needs no step.
    fn start(&mut self) {
        let settled: Vec<u32> = self.here.keys().copied().filter(|at| self.automaton.is_found(*at, false)).collect();
        for state in settled {
            self.here.remove(&state);
            let edge = EdgeId(self.automaton.tags[state as usize]);
            self.found.push(ErrorEnd { path: Default::default(), edge, cuts: 0 });
        }
    }

    fn read(&mut self, read: Read, seen: &Seen, condition: Term) {
        let mut next: BTreeMap<u32, Vec<Term>> = BTreeMap::new();
        let mut found: BTreeMap<u32, Vec<Term>> = BTreeMap::new();
        for (state, here) in &self.here {
            let targets = self.automaton.targets(*state, read.letter);
            let mut stays = false;
            for target in targets {
                if self.automaton.is_found(target, read.is_last) {
                    found.entry(self.automaton.tags[target as usize]).or_default().push(*here);
                }
                if self.automaton.settled[target as usize] {
                    continue;
                }
                if target == *state {
                    stays = true;
                } else {
                    next.entry(target).or_default().push(self.terms.and2(*here, condition));
                }
            }
            let kept = if stays { *here } else { self.terms.and2(*here, self.terms.not(condition)) };
            next.entry(*state).or_default().push(kept);
        }
        let joined = next.into_iter().map(|(state, any)| (state, self.terms.or(&any)));
        self.here = joined.filter(|(_, condition)| self.terms.op(*condition) != Operator::False).collect();
        for (tag, any) in found {
            let before = self.terms.or(&any);
            let mut path = seen.path.clone();
            if self.terms.op(before) != Operator::True {
                path.assume(before);
            }
            self.found.push(ErrorEnd { path, edge: EdgeId(tag), cuts: 0 });
        }
    }
}

/// What steps are read as.
pub struct Readings {
    letters: Letters,
    /// For each edge whether it is one of the user's program, and whether it calls through a pointer.
    edges: Vec<(bool, bool)>,
    /// For each function whether it is entered with a letter.
    entered: Vec<bool>,
}

impl Readings {
    pub fn of(program: &Program) -> Readings {
        let of_edge = |edge: EdgeId| {
            let through_pointer = matches!(program.edges[edge].op, Op::Call { callee: Callee::Pointer(_), .. });
            (!program.functions[program.function_of(edge)].is_library, through_pointer)
        };
        Readings {
            letters: Letters::of(program),
            edges: program.edges.ids().map(of_edge).collect(),
            entered: program.functions.iter().map(|one| one.body.is_some() && !one.is_library).collect(),
        }
    }

    /// The letters of a step, in their order.
    pub fn letters_of(&self, step: &Step) -> Vec<EdgeId> {
        let edge = step.edge;
        let (is_users, through_pointer) = self.edges[edge.0 as usize];
        if !is_users {
            return Vec::new();
        }
        match step.kind {
            StepKind::Enter(function) if self.entered[function.0 as usize] => vec![edge, self.letters.enter(function)],
            StepKind::Leave(function) if self.entered[function.0 as usize] => vec![self.letters.back(edge)],
            StepKind::Leave(_) => Vec::new(),
            _ if through_pointer => vec![edge, self.letters.back(edge)],
            StepKind::Inside
            | StepKind::Call(_)
            | StepKind::Enter(_)
            | StepKind::Error(_)
            | StepKind::Elsewhere
            | StepKind::Unsupported => vec![edge],
        }
    }
}
