//! Predicates of a query as steps of the program. Behind every step of the user's program, and where a function begins, the program says of each
//! predicate that has a value there whether it holds. So a test of a predicate is a letter like any other: searches and replays need not know of it.
//!
//! Where the names of a predicate mean nothing, or its value may be undefined (what it reads may not have been written, or it follows pointers),
//! it is not known whether it holds: no test counts there, and no goal is excluded for it.

use std::collections::{BTreeSet, HashMap};

use tandem_analyses::validate::weave::Weaver;
use tandem_artifact::ErrorCall;
use tandem_artifact::fql::{Batch, Goal, GoalTransition, Guard, Letter, Letters, Test};
use tandem_artifact::gia::EdgeSet;
use tandem_base::{FastBuild, Id};
use tandem_cfa::expression::{Context, Formula, Names, parse_formula};
use tandem_cfa::{
    BinaryOp, EdgeId, ExprId, ExprKind, FunctionId, NodeId, Op, PlaceId, PlaceKind, Program, VariableId, VariableKind,
};

/// A program that says of predicates whether they hold.
pub struct Probed {
    pub program: Program,
    plain: Letters,
    letters: Letters,
    /// For each edge of the plain program its number here.
    numbers: Vec<EdgeId>,
    originals: HashMap<EdgeId, EdgeId, FastBuild>,
    /// Steps that say of a predicate whether it holds, or that nobody knows.
    says: HashMap<EdgeId, (u32, Option<bool>), FastBuild>,
    /// All steps that the plain program does not have.
    added: BTreeSet<EdgeId>,
    /// Letters of functions that are entered or left.
    crossings: BTreeSet<EdgeId>,
}

/// Whether predicates held, by how many edges of the plain program had been taken.
pub type Told = HashMap<(usize, u32), bool, FastBuild>;

/// What a predicate is at a place.
enum Meaning {
    Condition(Formula),
    Unclear,
}

impl Probed {
    /// The program with the predicates; an error if one of them means nothing anywhere.
    pub fn new(program: &Program, error: &ErrorCall, predicates: &[Box<str>]) -> Result<Probed, String> {
        let mut weaving = Weaving {
            plain: program,
            names: Names::of(program),
            weaver: Weaver::new(program, error),
            predicates,
            values: HashMap::default(),
            says: Vec::new(),
            known: vec![false; predicates.len()],
        };
        weaving.weave();
        if let Some(unknown) = weaving.known.iter().position(|known| !known) {
            return Err(format!("the predicate {{{}}} has no meaning anywhere in the program", predicates[unknown]));
        }
        let says = weaving.says;
        let (probed, map) = weaving.weaver.finish();
        let numbers: Vec<EdgeId> = program.edges.ids().map(|edge| map[&edge]).collect();
        let originals: HashMap<EdgeId, EdgeId, FastBuild> =
            program.edges.ids().map(|edge| (map[&edge], edge)).collect();
        let says = says.into_iter().map(|(edge, predicate, holds)| (map[&edge], (predicate, holds))).collect();
        let added = probed.edges.ids().filter(|edge| !originals.contains_key(edge)).collect();
        let letters = Letters::of(&probed);
        let calls = numbers.iter().filter(|edge| matches!(probed.edges[**edge].op, Op::Call { .. }));
        let crossings =
            calls.map(|edge| letters.back(*edge)).chain(probed.functions.ids().map(|one| letters.enter(one))).collect();
        let plain = Letters::of(program);
        Ok(Probed { program: probed, plain, letters, numbers, originals, says, added, crossings })
    }

    pub fn letters(&self) -> Letters {
        self.letters
    }

    /// The path of the plain program, and what was said on the way.
    pub fn told(&self, path: &[EdgeId]) -> (Vec<EdgeId>, Told) {
        let (mut plain, mut told) = (Vec::with_capacity(path.len()), Told::default());
        for edge in path {
            if let Some(original) = self.originals.get(edge) {
                plain.push(*original);
            } else if let Some((predicate, Some(holds))) = self.says.get(edge) {
                told.insert((plain.len(), *predicate), *holds);
            }
        }
        (plain, told)
    }

    /// Goals over the letters of the plain program, as goals without tests over those of this one. Where nobody knows whether a predicate holds,
    /// a test passes if it `may`.
    pub fn batch(&self, batch: &Batch, may: bool) -> Batch {
        let goal = &batch.goal;
        let mut made = Translation {
            probed: self,
            goal: Goal { initial: Vec::new(), accepting: goal.accepting.clone(), transitions: Vec::new() },
            tags: batch.tags.clone(),
            may,
            waiting: HashMap::default(),
        };
        for (state, guard) in &goal.initial {
            let state = made.behind(guard, *state);
            made.goal.initial.push((state, Guard::default()));
        }
        let added = EdgeSet::these(self.added.iter().copied());
        for state in 0..goal.states() as u32 {
            let stays = |one: &GoalTransition| one.target == state && one.letters.is_all() && one.guard.is_empty();
            match goal.from(state).iter().any(stays) {
                true => made.add(state, EdgeSet::all(), state),
                false => made.add(state, added.clone(), state),
            }
        }
        for transition in &goal.transitions {
            let target = made.behind(&transition.guard, transition.target);
            let letters = self.letters_of(&transition.letters);
            made.add(transition.source, letters, target);
        }
        made.goal.transitions.sort();
        made.goal.transitions.dedup();
        Batch { goal: made.goal, tags: made.tags }
    }

    fn letter(&self, letter: EdgeId) -> EdgeId {
        match self.plain.meaning(letter) {
            Letter::Edge(edge) => self.numbers[edge.index()],
            Letter::Back(edge) => self.letters.back(self.numbers[edge.index()]),
            Letter::Enter(function) => self.letters.enter(function),
        }
    }

    fn letters_of(&self, letters: &EdgeSet) -> EdgeSet {
        let named = letters.named().iter().map(|letter| self.letter(*letter));
        match letters.is_rest() {
            true => EdgeSet::all_but(named.chain(self.added.iter().copied())),
            false => EdgeSet::these(named),
        }
    }
}

/// An automaton that is being translated.
struct Translation<'p> {
    probed: &'p Probed,
    goal: Goal,
    tags: Vec<u32>,
    may: bool,
    /// States in which tests are still to come, by the tests and where they lead.
    waiting: HashMap<(Vec<Test>, u32), u32, FastBuild>,
}

impl Translation<'_> {
    fn add(&mut self, source: u32, letters: EdgeSet, target: u32) {
        self.goal.transitions.push(GoalTransition { source, letters, guard: Guard::default(), target });
    }

    /// The state from which the tests lead to the target.
    fn behind(&mut self, tests: &[Test], target: u32) -> u32 {
        let Some((first, rest)) = tests.split_first() else { return target };
        if let Some(state) = self.waiting.get(&(tests.to_vec(), target)) {
            return *state;
        }
        let next = self.behind(rest, target);
        let state = self.goal.accepting.len() as u32;
        self.goal.accepting.push(false);
        self.tags.push(self.tags[target as usize]);
        self.waiting.insert((tests.to_vec(), target), state);
        let (probed, may) = (self.probed, self.may);
        let about = |edge: &EdgeId| probed.says.get(edge).is_some_and(|(predicate, _)| *predicate == first.predicate);
        let passes = |edge: &EdgeId| {
            probed.says.get(edge).is_some_and(|(_, says)| says.map_or(may, |holds| holds == first.holds))
        };
        // Tests stand in the order of predicates, and so do the steps.
        let onward = probed.added.iter().copied().filter(|edge| about(edge) && passes(edge));
        let staying = probed.added.iter().copied().filter(|edge| !about(edge)).chain(probed.crossings.iter().copied());
        let (onward, staying) = (EdgeSet::these(onward), EdgeSet::these(staying));
        self.add(state, onward, next);
        self.add(state, staying, state);
        state
    }
}

/// A program into which predicates are woven.
struct Weaving<'p> {
    plain: &'p Program,
    names: Names,
    weaver: Weaver,
    predicates: &'p [Box<str>],
    /// For each local that was asked for, the nodes at which it has a value.
    values: HashMap<VariableId, Vec<bool>, FastBuild>,
    says: Vec<(EdgeId, u32, Option<bool>)>,
    /// Which predicates have a meaning somewhere.
    known: Vec<bool>,
}

/// Where a predicate is asked for: at the beginning of a function, or behind an edge.
#[derive(Clone, Copy)]
enum Place {
    Entry,
    Behind(EdgeId),
}

impl Weaving<'_> {
    fn weave(&mut self) {
        for (id, function) in self.plain.functions.enumerate() {
            let Some(body) = function.body.as_ref().filter(|_| !function.is_library) else { continue };
            let spans = body.edges.iter().map(|edge| self.plain.edges[edge].span).filter(|span| !span.is_none());
            if let Some(at) = spans.map(|span| span.lo).min() {
                let meanings = self.meanings(Place::Entry, id, at);
                if let Some((from, to)) = self.weaver.before_entry(id) {
                    self.say(from, to, meanings);
                }
            }
            for edge in body.edges.iter() {
                let content = &self.plain.edges[edge];
                if matches!(content.op, Op::Return { .. } | Op::Unsupported { .. }) {
                    continue;
                }
                let meanings = match position_behind(self.plain, edge) {
                    Some(at) => self.meanings(Place::Behind(edge), id, at),
                    None => (0..self.predicates.len() as u32).map(|number| (number, Meaning::Unclear)).collect(),
                };
                let (from, to) = self.weaver.after_edge(edge);
                self.say(from, to, meanings);
            }
        }
    }

    /// Steps from one node to the other that say which predicates hold.
    fn say(&mut self, mut from: NodeId, to: NodeId, meanings: Vec<(u32, Meaning)>) {
        let count = meanings.len();
        for (index, (predicate, meaning)) in meanings.into_iter().enumerate() {
            let next = if index + 1 == count { to } else { self.weaver.node_like(to) };
            match meaning {
                Meaning::Condition(formula) => {
                    let (yes, no) = (self.weaver.node_like(to), self.weaver.node_like(to));
                    self.weaver.decide(from, &formula, yes, no);
                    self.says.push((self.weaver.skip(yes, next), predicate, Some(true)));
                    self.says.push((self.weaver.skip(no, next), predicate, Some(false)));
                }
                Meaning::Unclear => self.says.push((self.weaver.skip(from, next), predicate, None)),
            }
            from = next;
        }
    }

    /// What each predicate means at a place.
    fn meanings(&mut self, place: Place, function: FunctionId, at: u32) -> Vec<(u32, Meaning)> {
        let mut found = Vec::new();
        for (number, text) in self.predicates.iter().enumerate() {
            let context = Context { names: &self.names, function, at, result: None };
            let Ok(formula) = parse_formula(&mut self.weaver.program, context, text) else {
                // A test that no run could pass here would make goals infeasible for a slip of the query.
                found.push((number as u32, Meaning::Unclear));
                continue;
            };
            self.known[number] = true;
            let mut reads = Vec::new();
            let plain = formula.atoms().iter().all(|atom| is_plain(&self.weaver.program, *atom, &mut reads));
            let clear = plain && reads.iter().all(|variable| self.has_value(*variable, place));
            found.push((number as u32, if clear { Meaning::Condition(formula) } else { Meaning::Unclear }));
        }
        found
    }

    /// Whether a variable was written before, on every path.
    fn has_value(&mut self, variable: VariableId, place: Place) -> bool {
        let Some(content) = self.plain.variables.get(variable) else { return false };
        match (content.kind, content.function) {
            (VariableKind::External, _) => false,
            (kind, _) if kind.is_static() => true,
            (_, None) => false,
            (kind, Some(function)) => match place {
                Place::Entry => kind == VariableKind::Parameter,
                Place::Behind(edge) => {
                    let plain = self.plain;
                    let values = self.values.entry(variable).or_insert_with(|| values(plain, function, variable));
                    let first = plain.functions[function].body.as_ref().map_or(0, |body| body.nodes.start.index());
                    let before = values.get(plain.edges[edge].source.index() - first).copied();
                    behind(plain, edge, variable, before.unwrap_or(false))
                }
            },
        }
    }
}

/// The byte of the source whose names count behind an edge. An edge that stands nowhere leads to one that does.
fn position_behind(program: &Program, edge: EdgeId) -> Option<u32> {
    let content = &program.edges[edge];
    if !content.span.is_none() {
        return Some(content.span.hi);
    }
    let (mut open, mut seen) = (vec![content.target], BTreeSet::from([content.target]));
    while let Some(node) = open.pop() {
        for next in program.out(node).iter().map(|edge| &program.edges[edge]) {
            if !next.span.is_none() {
                return Some(next.span.lo);
            }
            if seen.insert(next.target) {
                open.push(next.target);
            }
        }
    }
    None
}

/// For each node of a function whether a local has a value there on every path.
fn values(program: &Program, function: FunctionId, variable: VariableId) -> Vec<bool> {
    let Some(body) = &program.functions[function].body else { return Vec::new() };
    let index = |node: NodeId| node.index() - body.nodes.start.index();
    let mut values = vec![true; body.nodes.len()];
    values[index(body.entry)] = program.variables[variable].kind == VariableKind::Parameter;
    loop {
        let mut changes = false;
        for edge in body.edges.iter() {
            let content = &program.edges[edge];
            let has_value = behind(program, edge, variable, values[index(content.source)]);
            let target = &mut values[index(content.target)];
            changes |= *target && !has_value;
            *target &= has_value;
        }
        if !changes {
            return values;
        }
    }
}

fn behind(program: &Program, edge: EdgeId, variable: VariableId, before: bool) -> bool {
    let is_it = |place: PlaceId| program.place(place).kind == PlaceKind::Variable(variable);
    match &program.edges[edge].op {
        Op::Declare(declared) if *declared == variable => false,
        Op::Assign { place, .. } if is_it(*place) => true,
        Op::Call { result: Some(place), .. } if is_it(*place) => true,
        _ => before,
    }
}

/// Whether an expression has a value whenever the variables that it reads have one.
fn is_plain(program: &Program, id: ExprId, reads: &mut Vec<VariableId>) -> bool {
    match program.expr(id).kind {
        ExprKind::Bits(_) | ExprKind::Wide(_) | ExprKind::Zero => true,
        ExprKind::Read(place) => is_plain_place(program, place, reads),
        ExprKind::Unary(_, operand) | ExprKind::Convert(operand) => is_plain(program, operand, reads),
        ExprKind::Binary(op, left, right) => match op {
            BinaryOp::Div | BinaryOp::Rem | BinaryOp::PointerAdd | BinaryOp::PointerSub | BinaryOp::PointerDiff => {
                false
            }
            _ => is_plain(program, left, reads) && is_plain(program, right, reads),
        },
        ExprKind::AddressOf(_) | ExprKind::Function(_) | ExprKind::Intrinsic(..) => false,
    }
}

fn is_plain_place(program: &Program, id: PlaceId, reads: &mut Vec<VariableId>) -> bool {
    match program.place(id).kind {
        PlaceKind::Variable(variable) => {
            reads.push(variable);
            true
        }
        PlaceKind::Field(place, ..) => is_plain_place(program, place, reads),
        PlaceKind::Deref(_) | PlaceKind::Index(..) => false,
    }
}
