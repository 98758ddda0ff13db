//! What the members of a cooperation tell each other while they work. An analysis looks at news at its safe points: a new round, a new
//! unrolling, a refinement. This file says what can be told and how it is carried from one analysis to another; the board itself is made by
//! the cooperation.
//!
//! A *fact* is an invariant of the whole program from its start, proved at a fixpoint, without an observer and without an open caveat. It holds up
//! to the first target or undefined operation of a run. Everything else is *precision*: a condition that may be worth tracking, or a
//! candidate for an invariant, and no claim.

use std::collections::HashSet;
use std::sync::Arc;

use tandem_base::{Budget, FastBuild};
use tandem_cfa::types::{Type, TypeId};
use tandem_cfa::{EdgeId, FunctionId, NodeId, Program, Scalar};
use tandem_cpa::{Flow, Point, Stacks};
use tandem_smt::{Importer, Term, Terms};

use crate::Task;
use crate::formula::Formulas;
use crate::registry::ContributionKind;
use crate::store::{ObjectKey, StartKey, makes_numbers};

/// A location under a stack of calls, in words that all analyses of one program share.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SharedPoint {
    pub node: NodeId,
    /// The calls that lead there, the outermost first.
    pub calls: Vec<(EdgeId, FunctionId)>,
}

/// A formula about the variables and cells of the program at a point, in the pool of the board.
#[derive(Clone, PartialEq, Debug)]
pub struct SharedFormula {
    pub at: SharedPoint,
    pub term: Term,
    /// What its symbols stand for.
    pub symbols: Vec<(Term, StartKey)>,
}

/// One thing that a member tells.
#[derive(Clone, PartialEq, Debug)]
pub enum Contribution {
    /// Invariants that are proved. `grounds`: the facts of others that the proof rests on, by their numbers on the board.
    Facts { formulas: Vec<SharedFormula>, grounds: Vec<usize> },
    /// Conditions that may be worth tracking, and candidates for invariants.
    Precision(Vec<SharedFormula>),
    /// No run reaches an error before it has passed this many cut points (heads of loops, recursive entries). Said of the whole program, without an observer,
    /// only if the solver has decided every question about it and everything on the way is modelled.
    SafeCutPoints { cut_points: u32, grounds: Vec<usize> },
}

impl Contribution {
    pub fn kind(&self) -> ContributionKind {
        match self {
            Contribution::Facts { .. } => ContributionKind::Facts,
            Contribution::Precision(_) => ContributionKind::Precision,
            Contribution::SafeCutPoints { .. } => ContributionKind::Bounds,
        }
    }

    /// The facts that it rests on.
    pub fn grounds(&self) -> &[usize] {
        match self {
            Contribution::Facts { grounds, .. } | Contribution::SafeCutPoints { grounds, .. } => grounds,
            Contribution::Precision(_) => &[],
        }
    }
}

/// A contribution on the board.
#[derive(Clone, Debug)]
pub struct Posted {
    /// Its number: what it rests on has smaller ones.
    pub number: usize,
    pub author: &'static str,
    pub contribution: Contribution,
}

/// What a member sees of the board.
pub trait ExchangeBoard: Sync {
    /// The pool of the formulas on the board.
    fn terms(&self) -> &Terms;

    /// Puts a contribution on the board; the board refuses what its author may not say.
    fn post(&self, author: &'static str, contribution: Contribution);

    /// What others than the reader have posted since the cursor, which moves on.
    fn news(&self, reader: &'static str, cursor: &mut usize) -> Vec<Arc<Posted>>;

    /// Notes that a reader has made use of what was posted.
    fn used(&self, reader: &'static str, number: usize);

    /// Waits until something was posted behind the cursor by another member. False if the budget ends before, or nothing can be posted any more.
    fn wait_for_news(&self, reader: &'static str, cursor: usize, budget: &Budget) -> bool;
}

/// The connection of one member with the board.
#[derive(Clone, Copy)]
pub struct Membership<'a> {
    pub board: &'a dyn ExchangeBoard,
    pub name: &'static str,
}

/// Reads the board for one analysis, and writes to it.
pub struct BoardReader<'a> {
    member: Option<Membership<'a>>,
    cursor: usize,
    /// The facts that the analysis has taken over, by their numbers: what it proves rests on them.
    pub grounds: Vec<usize>,
    /// The formulas that it has posted already.
    posted: HashSet<(Point, Term), FastBuild>,
}

/// Something that is new for an analysis, in its own terms.
pub enum News {
    Fact(Point, Term),
    Precision(Point, Term),
    SafeCutPoints(u32),
}

/// Formulas with more subterms help no other analysis.
const LARGEST_SHARED_FORMULA: usize = 200;

impl<'a> BoardReader<'a> {
    /// A reader for an analysis of the task. What is said about a part of the paths, or instead of the errors, is nothing for others: then there is no
    /// board. Neither is there one for a program that takes addresses for numbers, because analyses choose different ones.
    pub fn new(task: Task<'a>) -> BoardReader<'a> {
        let is_whole = task.observer.is_none() && !task.whole;
        let member = task.member.filter(|_| is_whole && !makes_numbers(task.program));
        BoardReader { member, cursor: 0, grounds: Vec::new(), posted: HashSet::default() }
    }

    pub fn is_connected(&self) -> bool {
        self.member.is_some()
    }

    /// What others have posted since the last time, carried into the terms of this analysis.
    pub fn news(&mut self, flow: &mut Flow<'_>, domain: &mut Formulas) -> Vec<News> {
        let Some(member) = self.member else { return Vec::new() };
        let mut news = Vec::new();
        for posted in member.board.news(member.name, &mut self.cursor) {
            let before = news.len();
            match &posted.contribution {
                Contribution::Facts { formulas, .. } => {
                    let carried = formulas.iter().filter_map(|formula| imported(flow, domain, member.board, formula));
                    news.extend(carried.map(|(point, term)| News::Fact(point, term)));
                    self.grounds.push(posted.number);
                }
                Contribution::Precision(formulas) => {
                    let carried = formulas.iter().filter_map(|formula| imported(flow, domain, member.board, formula));
                    news.extend(carried.map(|(point, term)| News::Precision(point, term)));
                }
                Contribution::SafeCutPoints { cut_points, .. } => {
                    news.push(News::SafeCutPoints(*cut_points));
                    self.grounds.push(posted.number);
                }
            }
            if news.len() > before {
                member.board.used(member.name, posted.number);
            }
        }
        news
    }

    /// Waits for something new; false if there will be nothing.
    pub fn wait(&self, budget: &Budget) -> bool {
        self.member.is_some_and(|member| member.board.wait_for_news(member.name, self.cursor, budget))
    }

    /// Tells others of invariants that are proved.
    pub fn post_facts(&mut self, flow: &Flow<'_>, domain: &Formulas, formulas: impl Iterator<Item = (Point, Term)>) {
        let Some(member) = self.member else { return };
        let formulas = formulas.filter(|formula| self.posted.insert(*formula));
        let formulas = exported(flow, domain, member.board, formulas);
        if !formulas.is_empty() {
            member.board.post(member.name, Contribution::Facts { formulas, grounds: self.grounds.clone() });
        }
    }

    /// Tells others of conditions that were worth tracking.
    pub fn post_precision(
        &mut self,
        flow: &Flow<'_>,
        domain: &Formulas,
        formulas: impl Iterator<Item = (Point, Term)>,
    ) {
        let Some(member) = self.member else { return };
        let formulas = formulas.filter(|formula| self.posted.insert(*formula));
        let formulas = exported(flow, domain, member.board, formulas);
        if !formulas.is_empty() {
            member.board.post(member.name, Contribution::Precision(formulas));
        }
    }

    /// Tells others that no error is reached within so many cut points.
    pub fn post_safe_cut_points(&self, cut_points: u32) {
        if let Some(member) = self.member {
            let grounds = self.grounds.clone();
            member.board.post(member.name, Contribution::SafeCutPoints { cut_points, grounds });
        }
    }
}

fn shared_point(stacks: &Stacks, point: Point) -> SharedPoint {
    let mut calls = Vec::new();
    let mut stack = point.stack;
    while let Some(call) = stacks.call(stack) {
        calls.push((call.edge, stacks.function(stack)));
        stack = call.caller;
    }
    calls.reverse();
    SharedPoint { node: point.node, calls }
}

/// The formulas as far as others can understand them: of the size of a condition, and about numbers in variables and cells that have a name in
/// every analysis. Every analysis chooses the addresses of objects by itself, and numbers allocations along a path, so that a formula about
/// these says nothing to others.
fn exported(
    flow: &Flow<'_>,
    domain: &Formulas,
    board: &dyn ExchangeBoard,
    formulas: impl Iterator<Item = (Point, Term)>,
) -> Vec<SharedFormula> {
    let (own, shared) = (&domain.terms, board.terms());
    let mut importer = Importer::new(own, shared);
    let mut found = Vec::new();
    for (point, term) in formulas {
        let free = own.free_variables(&[term]);
        let keys: Option<Vec<StartKey>> = free.iter().map(|symbol| domain.start_keys.get(symbol).copied()).collect();
        let is_shareable = |key: &StartKey| holds_number(flow.program, *key);
        let Some(keys) = keys.filter(|keys| !keys.is_empty() && keys.iter().all(is_shareable)) else { continue };
        let parts = own.subterms(&[term]);
        if parts.len() <= LARGEST_SHARED_FORMULA && !parts.iter().any(|part| domain.may_be_address(*part)) {
            let symbols = free.iter().map(|symbol| importer.import(*symbol)).zip(keys).collect();
            let at = shared_point(&flow.stacks, point);
            found.push(SharedFormula { at, term: importer.import(term), symbols });
        }
    }
    found
}

/// Whether a variable, a cell or the elements of an array hold nothing but numbers, by their types.
fn holds_number(program: &Program, key: StartKey) -> bool {
    let (object, bytes) = match key {
        StartKey::Slot { variable, .. } => return are_numbers(program, program.variables[variable].ty, None),
        StartKey::Cell { object, offset, size } => (object, Some((offset, size))),
        StartKey::Elements { object, .. } => (object, None),
    };
    match object {
        ObjectKey::Static(variable) | ObjectKey::Local(variable, _) => {
            are_numbers(program, program.variables[variable].ty, bytes)
        }
        ObjectKey::Heap(..) => false,
    }
}

/// Whether all scalars in these bytes (all of them, if none are given) of an object of the type are numbers.
fn are_numbers(program: &Program, ty: TypeId, bytes: Option<(u64, u64)>) -> bool {
    let types = &program.types;
    match types.get(ty) {
        Type::Record(record) => types.records[*record].fields.iter().all(|field| {
            let Some(length) = types.size(field.ty) else { return false };
            match bytes {
                Some((offset, size)) if offset + size <= field.offset || field.offset + length <= offset => true,
                Some((offset, size)) => {
                    are_numbers(program, field.ty, Some((offset.saturating_sub(field.offset), size.min(length))))
                }
                None => are_numbers(program, field.ty, None),
            }
        }),
        // The elements are all alike, and a cell may reach over the end of one.
        Type::Array { element, .. } => are_numbers(program, *element, None),
        _ => matches!(types.scalar(ty), Some(Scalar::Bool | Scalar::Int { .. } | Scalar::Float(_))),
    }
}

/// A formula of the board in the terms of an analysis, and where it speaks.
fn imported(
    flow: &mut Flow<'_>,
    domain: &mut Formulas,
    board: &dyn ExchangeBoard,
    formula: &SharedFormula,
) -> Option<(Point, Term)> {
    let shared = board.terms();
    let mut stack = Stacks::BOTTOM;
    for (edge, function) in &formula.at.calls {
        stack = flow.stacks.push(stack, *edge, *function);
    }
    let own = domain.terms.clone();
    let mut importer = Importer::new(shared, &own);
    for (symbol, key) in &formula.symbols {
        let sort = importer.sort(shared.sort(*symbol));
        let here = domain.start_symbol(*key, sort);
        // The same cell may be seen as values of another kind here.
        if here != importer.import(*symbol) {
            return None;
        }
    }
    Some((Point { node: formula.at.node, stack, mode: 0 }, importer.import(formula.term)))
}
