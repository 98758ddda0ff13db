//! Which states of an automaton a path may be in: sets of states, each followed for a reason.
//!
//! A state is followed because a run that is in it may come to cover the path ([`Role::Cover`]): such runs are followed only where they
//! certainly go on. Or because it may come to be a candidate ([`Role::Aim`]): these are followed wherever they may go on.

use std::collections::HashMap;

use tandem_artifact::gia::{Gia, GuardId, GuardLiteral, Mark, StateId, Transition};
use tandem_base::{FastBuild, IdVec, define_id};
use tandem_cfa::EdgeId;

define_id!(
    /// A set of followed states.
    SetId,
    "set"
);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Role {
    Cover,
    Aim,
}

type Item = (StateId, Role);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Content {
    items: Vec<Item>,
    /// Whether the path is one to keep already: a candidate, or there are none.
    kept: bool,
}

/// Where a path stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Standing {
    /// It is covered, or can be no candidate any more.
    Cut,
    Open(SetId),
}

pub struct Follower<'a> {
    gia: &'a Gia,
    remove: Mark,
    covers: IdVec<StateId, bool>,
    aims: IdVec<StateId, bool>,
    sets: IdVec<SetId, Content>,
    index: HashMap<Content, SetId, FastBuild>,
}

/// A transition that a run of the set may take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Way {
    /// All must hold.
    pub literals: Vec<GuardLiteral>,
    pub item: (StateId, Role),
}

impl<'a> Follower<'a> {
    /// Nothing is followed: the rest of the program stays as it is.
    pub const FREE: SetId = SetId(0);

    pub fn new(gia: &'a Gia, remove: Mark) -> Follower<'a> {
        let free = Content { items: Vec::new(), kept: true };
        Follower {
            gia,
            remove,
            covers: gia.leading_to(remove),
            aims: gia.leading_to(Mark::Candidate),
            sets: IdVec::from(vec![free.clone()]),
            index: HashMap::from_iter([(free, Follower::FREE)]),
        }
    }

    pub fn start(&mut self) -> Standing {
        let kept = !self.gia.has_candidates();
        self.standing(vec![(Gia::INITIAL, Role::Cover), (Gia::INITIAL, Role::Aim)], kept)
    }

    /// Whether the path is one to keep already.
    pub fn is_kept(&self, set: SetId) -> bool {
        self.sets[set].kept
    }

    /// The transitions that runs of the set may take over an edge.
    pub fn ways(&self, set: SetId, edge: EdgeId) -> Vec<Way> {
        let gia = self.gia;
        let mut ways = Vec::new();
        for (state, role) in &self.sets[set].items {
            for transition in gia.from(*state).iter().filter(|transition| transition.edges.contains(edge)) {
                if let Some(literals) = literals(gia, transition)
                    && self.matters((transition.target, *role))
                {
                    ways.push(Way { literals, item: (transition.target, *role) });
                }
            }
        }
        ways
    }

    fn matters(&self, item: Item) -> bool {
        match item.1 {
            Role::Cover => self.covers[item.0],
            Role::Aim => self.aims[item.0],
        }
    }

    /// Where a path stands that was at `set` before a step and whose runs are at `items` after it.
    pub fn after(&mut self, set: SetId, items: Vec<Item>) -> Standing {
        let kept = self.sets[set].kept;
        self.standing(items, kept)
    }

    fn standing(&mut self, mut items: Vec<Item>, mut kept: bool) -> Standing {
        let marked = |item: &Item, role: Role, mark: Mark| item.1 == role && self.gia.mark(item.0) == Some(mark);
        if items.iter().any(|item| marked(item, Role::Cover, self.remove)) {
            return Standing::Cut;
        }
        kept |= items.iter().any(|item| marked(item, Role::Aim, Mark::Candidate));
        items.retain(|item| self.matters(*item) && (item.1 == Role::Cover || !kept));
        if !kept && !items.iter().any(|item| item.1 == Role::Aim) {
            return Standing::Cut;
        }
        items.sort_unstable();
        items.dedup();
        let content = Content { items, kept };
        if let Some(set) = self.index.get(&content) {
            return Standing::Open(*set);
        }
        let set = self.sets.push(content.clone());
        self.index.insert(content, set);
        Standing::Open(set)
    }
}

/// What must hold for a transition; nothing if it can never be taken.
fn literals(gia: &Gia, transition: &Transition) -> Option<Vec<GuardLiteral>> {
    let label = gia.label(transition);
    if label.contains(&GuardId::FALSE) {
        return None;
    }
    let mut literals: Vec<GuardLiteral> =
        label.iter().flat_map(|guard| gia.guards().literals(*guard)).copied().collect();
    literals.sort_unstable();
    literals.dedup();
    Some(literals)
}
