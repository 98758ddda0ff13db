//! Whether a plan makes sense: every actor is known, and gets what it needs. Checked before anything runs.

use std::collections::BTreeSet;
use std::fmt;

use tandem_artifact::gia::Gia;
use tandem_artifact::plan::{Call, Plan, When};
use tandem_base::Span;

use super::actor::{Cast, Kind};
use crate::ranges::Splitter;

/// Why a plan is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum IllTyped {
    UnknownActor {
        actor: String,
        at: Span,
        known: Vec<String>,
    },
    /// A member of a cooperation that is no analysis of this program: only these exchange what they know while they work.
    NoMember {
        actor: String,
        at: Span,
        known: Vec<String>,
    },
    Missing {
        actor: String,
        at: Span,
        kind: Kind,
    },
    /// A repetition whose actors give nothing that would make the next round another one.
    NoProgress {
        at: Span,
    },
    /// A branch that asks for what nobody has given.
    NeverGiven {
        when: &'static str,
    },
    UnknownSplitter {
        splitter: String,
    },
    Empty,
}

impl IllTyped {
    /// Where in the text of the plan.
    pub fn at(&self) -> Span {
        match self {
            IllTyped::UnknownActor { at, .. }
            | IllTyped::NoMember { at, .. }
            | IllTyped::Missing { at, .. }
            | IllTyped::NoProgress { at } => *at,
            IllTyped::NeverGiven { .. } | IllTyped::UnknownSplitter { .. } | IllTyped::Empty => Span::NONE,
        }
    }

    /// What would be accepted.
    pub fn help(&self) -> String {
        match self {
            IllTyped::UnknownActor { known, .. } => format!("the actors are {}", known.join(", ")),
            IllTyped::NoMember { known, .. } => format!("the members can be {}", known.join(", ")),
            IllTyped::Missing { kind, .. } => format!("let an actor run before it that gives: {kind}"),
            IllTyped::NoProgress { .. } => "repeat actors that leave something for the next round".into(),
            IllTyped::NeverGiven { .. } => "let an actor run before the branch that may give them".into(),
            IllTyped::UnknownSplitter { .. } => format!("accepted is {}", Splitter::ACCEPTED),
            IllTyped::Empty => "name at least one actor".into(),
        }
    }
}

impl fmt::Display for IllTyped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IllTyped::UnknownActor { actor, .. } => write!(f, "there is no actor `{actor}`"),
            IllTyped::NoMember { actor, .. } => write!(f, "`{actor}` is no analysis that can cooperate with others"),
            IllTyped::Missing { actor, kind, .. } => write!(f, "`{actor}` needs {kind}, which nobody before it gives"),
            IllTyped::NoProgress { .. } => {
                write!(f, "nothing in this repetition can make a round differ from the one before")
            }
            IllTyped::NeverGiven { when } => write!(f, "the plan asks for {when}, which nobody before gives"),
            IllTyped::UnknownSplitter { splitter, .. } => write!(f, "there is no splitter `{splitter}`"),
            IllTyped::Empty => write!(f, "the plan has no actor"),
        }
    }
}

impl std::error::Error for IllTyped {}

/// Checks a plan; `given` is what it begins with, besides the program and its property.
pub fn check(plan: &Plan, casts: &[&dyn Cast], given: Option<&Gia>) -> Result<(), IllTyped> {
    if plan.calls().is_empty() {
        return Err(IllTyped::Empty);
    }
    let checker = Checker { casts };
    let mut there = BTreeSet::from([Kind::Program, Kind::Property]);
    if let Some(gia) = given {
        there.insert(Kind::Gia);
        there.extend(gia.has_candidates().then_some(Kind::Candidates));
    }
    checker.plan(plan, &there).map(|_| ())
}

/// Whether an analysis can be a member of a cooperation.
pub(super) fn is_member(name: &str) -> bool {
    tandem_analyses::registry::entry(name).is_some()
}

struct Checker<'a> {
    casts: &'a [&'a dyn Cast],
}

impl Checker<'_> {
    /// What is there after a plan, if this is there before.
    fn plan(&self, plan: &Plan, before: &BTreeSet<Kind>) -> Result<BTreeSet<Kind>, IllTyped> {
        match plan {
            Plan::Run(call) => self.call(call, before),
            Plan::Sequence(parts) => {
                let mut there = before.clone();
                for part in parts {
                    there = self.plan(part, &there)?;
                }
                Ok(there)
            }
            Plan::Race(parts) => {
                let mut there = before.clone();
                for part in parts {
                    there.extend(self.plan(part, before)?);
                }
                Ok(there)
            }
            Plan::Cooperate(members) => {
                for member in members {
                    if !is_member(&member.call.actor) {
                        let known = tandem_analyses::ANALYSES.iter().map(|entry| entry.name.to_string()).collect();
                        let (actor, at) = (member.call.actor.clone(), member.call.at);
                        return Err(IllTyped::NoMember { actor, at, known });
                    }
                }
                Ok(before.iter().copied().chain([Kind::Verdict, Kind::Gia, Kind::Witness]).collect())
            }
            Plan::Repeat { body, .. } => {
                let there = self.plan(body, before)?;
                let fruitful = there.iter().any(|kind| !matches!(kind, Kind::Program | Kind::Property | Kind::Verdict));
                let at = body.calls().first().map_or(Span::NONE, |call| call.at);
                if fruitful { Ok(there) } else { Err(IllTyped::NoProgress { at }) }
            }
            Plan::Branch { when, then, otherwise } => {
                let kind = match when {
                    When::Candidates => Kind::Candidates,
                    When::Tests => Kind::Tests,
                    When::Invariants => Kind::Witness,
                    When::Predicates => Kind::Precision,
                    When::Unreachable => Kind::Gia,
                };
                if !before.contains(&kind) {
                    return Err(IllTyped::NeverGiven { when: when.name() });
                }
                let (one, other) = (self.plan(then, before)?, self.plan(otherwise, before)?);
                Ok(one.intersection(&other).copied().collect())
            }
            Plan::Split { splitter, body, .. } => {
                if Splitter::named(splitter).is_none() {
                    return Err(IllTyped::UnknownSplitter { splitter: splitter.clone() });
                }
                self.plan(body, before)
            }
        }
    }

    fn call(&self, call: &Call, before: &BTreeSet<Kind>) -> Result<BTreeSet<Kind>, IllTyped> {
        let Some(declared) = self.casts.iter().find_map(|cast| cast.declaration(&call.actor)) else {
            let mut known: Vec<String> = self.casts.iter().flat_map(|cast| cast.names()).collect();
            known.sort();
            return Err(IllTyped::UnknownActor { actor: call.actor.clone(), at: call.at, known });
        };
        if let Some(kind) = declared.needs.iter().find(|kind| !before.contains(kind)) {
            return Err(IllTyped::Missing { actor: call.actor.clone(), at: call.at, kind: *kind });
        }
        Ok(before.iter().copied().chain(declared.gives).collect())
    }
}
