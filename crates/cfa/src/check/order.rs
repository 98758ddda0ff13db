//! Expressions and places from the inside to the outside, and what follows for each from its parts: whether it is
//! constant, and whose variables it uses. Invariant 3. Iterative, since expressions may nest deeply.

use tandem_base::IdVec;

use super::{Found, Spot};
use crate::model::*;

/// What a term (an expression or a place) is made of.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Facts {
    /// No read: its value (of a place: its address) is known before the program starts.
    pub constant: bool,
    pub uses: Uses,
}

/// The functions whose parameters, locals and temporaries occur.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Uses {
    None,
    Of(FunctionId),
    Several,
}

impl Uses {
    fn and(self, other: Uses) -> Uses {
        match (self, other) {
            (Uses::None, uses) | (uses, Uses::None) => uses,
            (Uses::Of(a), Uses::Of(b)) if a == b => self,
            _ => Uses::Several,
        }
    }

    /// Whether it may stand in this function.
    pub fn fits(self, function: FunctionId) -> bool {
        match self {
            Uses::None => true,
            Uses::Of(owner) => owner == function,
            Uses::Several => false,
        }
    }
}

pub(super) struct ArenaFacts {
    pub exprs: IdVec<ExprId, Facts>,
    pub places: IdVec<PlaceId, Facts>,
}

const UNKNOWN: Facts = Facts { constant: true, uses: Uses::None };

/// The facts about every term, or nothing if some term contains itself.
pub(super) fn facts(program: &Program, found: &mut Found) -> Option<ArenaFacts> {
    let arena = &program.arena;
    let mut facts = ArenaFacts {
        exprs: IdVec::filled(UNKNOWN, arena.exprs().len()),
        places: IdVec::filled(UNKNOWN, arena.places().len()),
    };
    let mut walk = Walk {
        exprs: IdVec::filled(State::New, arena.exprs().len()),
        places: IdVec::filled(State::New, arena.places().len()),
    };
    let terms = arena.exprs().ids().map(Term::Expr).chain(arena.places().ids().map(Term::Place));
    let mut stack = Vec::new();
    for root in terms {
        stack.push(root);
        while let Some(&term) = stack.last() {
            match walk.state(term) {
                State::New => {
                    walk.set(term, State::Open);
                    for part in parts(arena, term).into_iter().flatten() {
                        match walk.state(part) {
                            State::New => stack.push(part),
                            State::Open => {
                                found.add(3, part.spot(), "it contains itself");
                                return None;
                            }
                            State::Done => {}
                        }
                    }
                }
                State::Open => {
                    walk.set(term, State::Done);
                    stack.pop();
                    settle(program, term, &mut facts);
                }
                State::Done => {
                    stack.pop();
                }
            }
        }
    }
    Some(facts)
}

fn settle(program: &Program, term: Term, facts: &mut ArenaFacts) {
    let mut of_parts = UNKNOWN;
    for part in parts(&program.arena, term).into_iter().flatten() {
        let part = match part {
            Term::Expr(id) => facts.exprs[id],
            Term::Place(id) => facts.places[id],
        };
        of_parts.constant &= part.constant;
        of_parts.uses = of_parts.uses.and(part.uses);
    }
    match term {
        Term::Expr(id) => {
            if let ExprKind::Read(_) = program.expr(id).kind {
                of_parts.constant = false;
            }
            facts.exprs[id] = of_parts;
        }
        Term::Place(id) => {
            if let PlaceKind::Variable(variable) = program.place(id).kind {
                let variable = &program.variables[variable];
                of_parts.constant = variable.kind.is_static();
                of_parts.uses = match variable.function {
                    Some(function) if !variable.kind.is_static() => Uses::Of(function),
                    _ => Uses::None,
                };
            }
            facts.places[id] = of_parts;
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Term {
    Expr(ExprId),
    Place(PlaceId),
}

impl Term {
    fn spot(self) -> Spot {
        match self {
            Term::Expr(id) => Spot::Expr(id),
            Term::Place(id) => Spot::Place(id),
        }
    }
}

fn parts(arena: &Arena, term: Term) -> [Option<Term>; 2] {
    match term {
        Term::Expr(id) => match arena.expr(id).kind {
            ExprKind::Bits(_) | ExprKind::Wide(_) | ExprKind::Zero | ExprKind::Function(_) => [None, None],
            ExprKind::Read(place) | ExprKind::AddressOf(place) => [Some(Term::Place(place)), None],
            ExprKind::Unary(_, operand) | ExprKind::Convert(operand) => [Some(Term::Expr(operand)), None],
            ExprKind::Binary(_, left, right) => [Some(Term::Expr(left)), Some(Term::Expr(right))],
            ExprKind::Intrinsic(_, first, second) => [Some(Term::Expr(first)), second.map(Term::Expr)],
        },
        Term::Place(id) => match arena.place(id).kind {
            PlaceKind::Variable(_) => [None, None],
            PlaceKind::Deref(pointer) => [Some(Term::Expr(pointer)), None],
            PlaceKind::Field(base, ..) => [Some(Term::Place(base)), None],
            PlaceKind::Index(base, index) => [Some(Term::Place(base)), Some(Term::Expr(index))],
        },
    }
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Open,
    Done,
}

struct Walk {
    exprs: IdVec<ExprId, State>,
    places: IdVec<PlaceId, State>,
}

impl Walk {
    fn state(&self, term: Term) -> State {
        match term {
            Term::Expr(id) => self.exprs[id],
            Term::Place(id) => self.places[id],
        }
    }

    fn set(&mut self, term: Term, state: State) {
        match term {
            Term::Expr(id) => self.exprs[id] = state,
            Term::Place(id) => self.places[id] = state,
        }
    }
}
