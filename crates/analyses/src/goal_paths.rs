//! Walks through the tree of bounded paths with one store of terms: what begins alike is followed once, and where a beginning is impossible, so is everything that
//! begins with it.
//!
//! Finds inputs that should take a path, or that none do. Whether inputs take it is for a replay to say.

use std::ops::Range;
use std::rc::Rc;

use tandem_artifact::Caveat;
use tandem_artifact::fql::{Letter, Letters, PathTree};
use tandem_base::{Budget, StopReason};
use tandem_cfa::exec::InputSource;
use tandem_cfa::{EdgeId, Op, Program};
use tandem_cpa::{Callees, Flow, Point, Step, StepKind};
use tandem_smt::{Answer, Solver, Terms};

use crate::Task;
use crate::formula::{Formulas, Path};
use crate::query::{PathSolver, inputs_of, solver, solver_gap};
use crate::store::{Executor, Store};
use crate::undefined::{Bounds, first_feasible};

/// What is found out about paths, by their numbers.
pub enum Told {
    /// No run takes one of these.
    Impossible(Range<u64>),
    /// These inputs should take this one.
    Inputs(u64, Vec<(InputSource, EdgeId, u128)>),
    /// Nobody knows about these.
    Unclear(Range<u64>, Caveat),
}

/// Where a walk is.
#[derive(Clone)]
struct Place {
    store: Rc<Store<Formulas>>,
    at: Point,
    /// The run ended here: it reads no more.
    is_over: bool,
}

struct Branch {
    place: Place,
    first: u64,
    moves: Vec<(Vec<EdgeId>, u32)>,
    next: usize,
}

/// What a letter leads to.
enum Moved {
    To(Place),
    Nowhere,
    Unclear(Caveat),
}

pub struct PathWalk<'a, 't> {
    program: &'a Program,
    tree: PathTree<'t>,
    letters: Letters,
    flow: Flow<'a>,
    executor: Executor<'a, Formulas>,
    terms: Terms,
    solver: PathSolver,
    /// Whether subtrees of an impossible beginning are settled with it.
    propagates: bool,
    pub checks: u64,
}

impl<'a, 't> PathWalk<'a, 't> {
    /// Nothing if the program has no entry.
    pub fn new(task: Task<'a>, tree: PathTree<'t>, propagates: bool) -> Option<PathWalk<'a, 't>> {
        let flow = task.flow()?.whole();
        let terms = Terms::new();
        Some(PathWalk {
            program: task.program,
            tree,
            letters: Letters::of(task.program),
            executor: Executor::new(&flow, Formulas::new(&terms, "")),
            solver: solver(&terms),
            flow,
            terms,
            propagates,
            checks: 0,
        })
    }

    /// Walks through all paths with numbers in the range. `wants` says whether some path of a range is of interest; `tell` is told what
    /// is found out.
    pub fn walk(
        &mut self,
        range: Range<u64>,
        wants: &mut dyn FnMut(Range<u64>) -> bool,
        tell: &mut dyn FnMut(Told),
        budget: &Budget,
    ) -> Result<(), StopReason> {
        let mut first = 0;
        for start in self.tree.starts() {
            let count = self.tree.count(*start);
            let here = first..first + count;
            first += count;
            if here.end <= range.start || here.start >= range.end {
                continue;
            }
            match self.executor.start(&self.flow, Path::default()) {
                Ok(store) => {
                    let place = Place { store: Rc::new(store), at: self.flow.start(), is_over: false };
                    self.below(place, *start, here.start, &range, wants, tell, budget)?;
                }
                Err(_) => {
                    tell(Told::Unclear(here, Caveat::Imprecise("the start of the program is not modelled".into())))
                }
            }
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "one walk, which is called from one place")]
    fn below(
        &mut self,
        place: Place,
        node: u32,
        first: u64,
        range: &Range<u64>,
        wants: &mut dyn FnMut(Range<u64>) -> bool,
        tell: &mut dyn FnMut(Told),
        budget: &Budget,
    ) -> Result<(), StopReason> {
        let mut stack = vec![Branch { place, first, moves: self.tree.moves(node).collect(), next: 0 }];
        while let Some(branch) = stack.last_mut() {
            let Some((letters, target)) = branch.moves.get(branch.next).cloned() else {
                stack.pop();
                continue;
            };
            branch.next += 1;
            let here = branch.first..branch.first + self.tree.count(target);
            branch.first = here.end;
            let place = branch.place.clone();
            if here.end <= range.start || here.start >= range.end || !wants(here.clone()) {
                continue;
            }
            if let Some(reason) = budget.exhausted() {
                return Err(reason);
            }
            match self.follow(place, &letters, budget) {
                Moved::Nowhere if self.propagates || here.end - here.start == 1 => tell(Told::Impossible(here)),
                // Each path alone, as if nothing were known about those that begin alike.
                Moved::Nowhere => here.for_each(|one| tell(Told::Impossible(one..one + 1))),
                Moved::Unclear(caveat) => tell(Told::Unclear(here, caveat)),
                Moved::To(place) => {
                    let moves: Vec<(Vec<EdgeId>, u32)> = self.tree.moves(target).collect();
                    if moves.is_empty() {
                        tell(self.inputs(here.start, &place, budget));
                    } else {
                        stack.push(Branch { place, first: here.start, moves, next: 0 });
                    }
                }
            }
        }
        Ok(())
    }

    fn inputs(&mut self, number: u64, place: &Place, budget: &Budget) -> Told {
        match self.solver.check(&place.store.path.conditions(), budget) {
            Answer::Sat => {
                let model = self.solver.model();
                Told::Inputs(number, inputs_of(&self.terms, &place.store.path, &model))
            }
            Answer::Unsat => Told::Impossible(number..number + 1),
            Answer::Unknown(reason) => Told::Unclear(number..number + 1, Caveat::Solver(solver_gap(reason))),
        }
    }

    /// Reads letters, and asks whether that can be done if anything was assumed on the way.
    fn follow(&mut self, mut place: Place, letters: &[EdgeId], budget: &Budget) -> Moved {
        let before = place.store.path.length();
        for letter in letters {
            if place.is_over {
                return Moved::Nowhere;
            }
            place = match self.read(place, *letter) {
                Moved::To(place) => place,
                other => return other,
            };
        }
        if !self.executor.beyond.is_empty() || self.executor.unclear_bounds {
            let beyond = std::mem::take(&mut self.executor.beyond);
            let found = first_feasible(&self.terms, &mut self.solver, &[], &beyond, budget);
            if self.executor.unclear_bounds || !found.are_kept() {
                let unclear = || Caveat::Imprecise("it is not clear whether a run leaves an object".into());
                self.executor.unclear_bounds = false;
                return Moved::Unclear(match found {
                    Bounds::Left(caveat) => caveat,
                    Bounds::Kept | Bounds::Unclear => unclear(),
                });
            }
        }
        if place.store.path.length() == before {
            return Moved::To(place);
        }
        self.checks += 1;
        match self.solver.check(&place.store.path.conditions(), budget) {
            Answer::Sat => Moved::To(place),
            Answer::Unsat => Moved::Nowhere,
            Answer::Unknown(reason) => Moved::Unclear(Caveat::Solver(solver_gap(reason))),
        }
    }

    fn read(&mut self, place: Place, letter: EdgeId) -> Moved {
        match self.letters.meaning(letter) {
            Letter::Edge(edge) => {
                self.take(place, |step| step.edge == edge && !matches!(step.kind, StepKind::Leave(_)))
            }
            Letter::Back(call) => self.take(place, |step| step.edge == call && matches!(step.kind, StepKind::Leave(_))),
            // A function is entered with its call.
            Letter::Enter(function) => {
                let is_there = self.flow.body(function).is_some_and(|body| body.entry == place.at.node);
                if is_there { Moved::To(place) } else { Moved::Nowhere }
            }
        }
    }

    fn take(&mut self, place: Place, is_it: impl Fn(&Step) -> bool) -> Moved {
        let unclear = |text: &str| Moved::Unclear(Caveat::Imprecise(text.into()));
        let mut steps = Vec::new();
        let (executor, store) = (&mut self.executor, &place.store);
        self.flow.steps(place.at, |edge| known_callees(executor, store, edge), &mut steps);
        steps.retain(is_it);
        let [step] = steps[..] else {
            return if steps.is_empty() { Moved::Nowhere } else { unclear("a call that may go to several functions") };
        };
        match step.kind {
            StepKind::Enter(function) if self.program.functions[function].is_library => {
                return unclear("a path through a function of the library");
            }
            StepKind::Unsupported | StepKind::Elsewhere => return unclear("something that is not modelled"),
            StepKind::Inside | StepKind::Call(_) | StepKind::Enter(_) | StepKind::Leave(_) | StepKind::Error(_) => {}
        }
        let mut store = (*place.store).clone();
        let stepped = self.executor.step(&self.flow, &mut store, &step);
        let is_branch = matches!(self.program.edges[step.edge].op, Op::Assume { .. });
        match stepped {
            Ok(()) => {
                let is_over = matches!(step.kind, StepKind::Error(_));
                Moved::To(Place { store: Rc::new(store), at: step.to, is_over })
            }
            Err(end) => match end.gap() {
                Some(what) => unclear(&what),
                None if is_branch => Moved::Nowhere,
                // It was tried, and that was the end.
                None => Moved::To(Place { is_over: true, ..place }),
            },
        }
    }
}

fn known_callees(executor: &mut Executor<'_, Formulas>, store: &Store<Formulas>, edge: EdgeId) -> Callees {
    if store.frames.is_empty() { Callees::Unknown } else { executor.callees(store, edge) }
}
