//! The paths that two automata both cover, and the candidates that are not settled.

use std::collections::{HashMap, HashSet};

use tandem_base::FastBuild;

use super::*;

/// An automaton whose candidates are the paths that `one` covers with one mark and `other` with another.
pub fn intersection(one: (&Gia, Mark), other: (&Gia, Mark)) -> Gia {
    let mut product = Product {
        one,
        other,
        builder: GiaBuilder::new(one.0.subject.clone(), one.0.targets.clone()),
        index: HashMap::default(),
        open: Vec::new(),
    };
    product.state((Gia::INITIAL, Gia::INITIAL));
    while let Some(pair) = product.open.pop() {
        product.expand(pair);
    }
    let empty = Gia::empty(one.0.subject.clone(), one.0.targets.clone());
    // The builder gave every candidate its transition to itself, and there are no other marks.
    product.builder.finish().unwrap_or(empty)
}

struct Product<'a> {
    one: (&'a Gia, Mark),
    other: (&'a Gia, Mark),
    builder: GiaBuilder,
    index: HashMap<(StateId, StateId), StateId, FastBuild>,
    open: Vec<(StateId, StateId)>,
}

impl Product<'_> {
    fn state(&mut self, pair: (StateId, StateId)) -> Option<StateId> {
        if let Some(state) = self.index.get(&pair) {
            return Some(*state);
        }
        let (one, other) = (self.one.0, self.other.0);
        let guards = self.builder.guards();
        let left = guards.import(&one.guards, invariant(one, pair.0));
        let right = guards.import(&other.guards, invariant(other, pair.1));
        let invariant = guards.and(left, right);
        if invariant == GuardId::FALSE {
            return None;
        }
        let mark = self.accepts(pair).then_some(Mark::Candidate);
        let name = format!("q{}", self.index.len());
        let state = self.builder.named(&name, invariant, mark);
        self.index.insert(pair, state);
        self.open.push(pair);
        Some(state)
    }

    fn accepts(&self, pair: (StateId, StateId)) -> bool {
        accepts(self.one, pair.0) && accepts(self.other, pair.1)
    }

    fn expand(&mut self, pair: (StateId, StateId)) {
        let accepted = self.accepts(pair);
        let (one, other) = (self.one, self.other);
        let (left, right) = (moves(one.0, one.1, pair.0), moves(other.0, other.1, pair.1));
        for (edges, guard, target) in &left {
            for (other_edges, other_guard, other_target) in &right {
                // What is accepted stays so: only the way to further marks is of interest, and both take it together.
                let stays = |from: StateId, to: StateId| to == DONE || to == from;
                if accepted && (stays(pair.0, *target) || stays(pair.1, *other_target)) {
                    continue;
                }
                let both = edges.intersect(other_edges);
                if both.is_empty() {
                    continue;
                }
                let guards = self.builder.guards();
                let (first, second) =
                    (guards.import(&one.0.guards, *guard), guards.import(&other.0.guards, *other_guard));
                let guard = guards.and(first, second);
                if guard != GuardId::FALSE
                    && let Some(to) = self.state((*target, *other_target))
                {
                    let from = self.index[&pair];
                    self.builder.transition(from, both, guard, to);
                }
            }
        }
    }
}

/// A run that has covered its path: nothing can change that any more.
const DONE: StateId = StateId(u32::MAX);

fn accepts(automaton: (&Gia, Mark), state: StateId) -> bool {
    state == DONE || automaton.0.mark(state) == Some(automaton.1)
}

fn invariant(gia: &Gia, state: StateId) -> GuardId {
    if state == DONE { GuardId::TRUE } else { gia.states[state].invariant }
}

/// What a run can do: one that has covered its path goes on covering it, whatever comes.
fn moves(gia: &Gia, mark: Mark, state: StateId) -> Vec<(EdgeSet, GuardId, StateId)> {
    let mut moves = Vec::new();
    if accepts((gia, mark), state) {
        moves.push((EdgeSet::all(), GuardId::TRUE, DONE));
    }
    if state != DONE {
        let transitions = gia.from(state).iter().filter(|transition| transition.target != state || moves.is_empty());
        let transitions = transitions.map(|transition| (transition.edges.clone(), transition.guard, transition.target));
        moves.extend(transitions.collect::<Vec<_>>());
    }
    moves
}

/// The candidates of `candidates`, but those that `settled` has settled by the time they become candidates.
pub(super) fn unsettled(candidates: &Gia, settled: &Gia) -> Gia {
    let empty = Gia::empty(candidates.subject.clone(), candidates.targets.clone());
    let mut difference = Difference {
        candidates,
        settled,
        alive: alive(candidates, settled),
        builder: GiaBuilder::new(candidates.subject.clone(), candidates.targets.clone()),
        index: HashMap::default(),
        open: Vec::new(),
    };
    *difference.builder.guards() = candidates.guards.clone();
    if settled.mark(Gia::INITIAL).is_some_and(Mark::is_settled) {
        return empty;
    }
    let start = match difference.is_alive(Gia::INITIAL, Gia::INITIAL) {
        true => vec![Gia::INITIAL],
        false => Vec::new(),
    };
    difference.state(Gia::INITIAL, start);
    while let Some((state, followed)) = difference.open.pop() {
        difference.expand(state, &followed);
    }
    difference.builder.finish().unwrap_or(empty)
}

type Followed = Vec<StateId>;

struct Difference<'a> {
    candidates: &'a Gia,
    settled: &'a Gia,
    alive: HashSet<(StateId, StateId), FastBuild>,
    builder: GiaBuilder,
    index: HashMap<(StateId, Followed), StateId, FastBuild>,
    open: Vec<(StateId, Followed)>,
}

/// A way for the settled side to go: what must hold for it, and where it leads.
struct Way {
    literals: Vec<GuardLiteral>,
    target: StateId,
}

impl Difference<'_> {
    fn is_alive(&self, candidate: StateId, settled: StateId) -> bool {
        self.alive.contains(&(candidate, settled))
    }

    fn state(&mut self, candidate: StateId, followed: Followed) -> StateId {
        let key = (candidate, followed);
        if let Some(state) = self.index.get(&key) {
            return *state;
        }
        let content = &self.candidates.states[candidate];
        let mark = content.mark.filter(|mark| *mark == Mark::Candidate && candidate != Gia::INITIAL);
        let name = format!("{}.{}", content.name, self.index.len());
        let state = self.builder.named(&name, content.invariant, mark);
        self.index.insert(key.clone(), state);
        self.open.push(key);
        state
    }

    fn expand(&mut self, candidate: StateId, followed: &Followed) {
        let candidates = self.candidates;
        let from = self.index[&(candidate, followed.clone())];
        let entered = candidates.mark(candidate) == Some(Mark::Candidate);
        for transition in candidates.from(candidate) {
            if entered && transition.target == candidate {
                continue;
            }
            let mut rest = transition.edges.clone();
            let named: Vec<EdgeId> = self.named(followed, &transition.edges);
            for edge in &named {
                let ways = self.ways(followed, transition.target, |edges| edges.contains(*edge));
                self.split(from, EdgeSet::One(*edge), transition, ways, entered);
            }
            if !named.is_empty() {
                rest = rest.without(&named);
            }
            if !rest.is_empty() {
                let ways = self.ways(followed, transition.target, EdgeSet::is_rest);
                self.split(from, rest, transition, ways, entered);
            }
        }
    }

    /// The edges of the set that some transition of the followed states names.
    fn named(&self, followed: &Followed, edges: &EdgeSet) -> Vec<EdgeId> {
        let transitions = followed.iter().flat_map(|state| self.settled.from(*state));
        let mut named: Vec<EdgeId> = transitions
            .flat_map(|transition| transition.edges.named())
            .copied()
            .filter(|edge| edges.contains(*edge))
            .collect();
        named.sort_unstable();
        named.dedup();
        named
    }

    fn ways(&mut self, followed: &Followed, to: StateId, taken: impl Fn(&EdgeSet) -> bool) -> Vec<Way> {
        let settled = self.settled;
        let mut ways = Vec::new();
        for transition in followed.iter().flat_map(|state| settled.from(*state)) {
            let target = transition.target;
            if !taken(&transition.edges) || !self.is_alive(to, target) {
                continue;
            }
            let guards = self.builder.guards();
            let [guard, invariant] = settled.label(transition).map(|guard| guards.import(&settled.guards, guard));
            let label = guards.and(guard, invariant);
            if label != GuardId::FALSE {
                ways.push(Way { literals: guards.literals(label).to_vec(), target });
            }
        }
        ways
    }

    /// Adds the candidate's transition, split by which of the ways the settled side can go; where one settles, there is none.
    fn split(&mut self, from: StateId, edges: EdgeSet, transition: &Transition, ways: Vec<Way>, entered: bool) {
        let candidates = self.candidates;
        let known =
            candidates.label(transition).into_iter().flat_map(|guard| candidates.guards.literals(guard)).copied();
        let mut open = vec![Split { next: 0, known: known.collect(), extra: Vec::new(), followed: Vec::new() }];
        while let Some(mut split) = open.pop() {
            let Some(way) = ways.get(split.next) else {
                split.followed.sort_unstable();
                split.followed.dedup();
                let to = self.state(transition.target, split.followed);
                let guards = self.builder.guards();
                let extra = guards.of(split.extra);
                let guard = guards.and(transition.guard, extra);
                self.builder.transition(from, edges.clone(), guard, to);
                continue;
            };
            let refuted = way.literals.iter().any(|literal| split.known.contains(&literal.negated()));
            let unknown = way.literals.iter().find(|literal| !split.known.contains(literal));
            match (refuted, unknown) {
                // Behind a candidate the split is only for show: what is not known is not followed.
                (true, _) => open.push(Split { next: split.next + 1, ..split }),
                (false, Some(_)) if entered => open.push(Split { next: split.next + 1, ..split }),
                (false, Some(literal)) => {
                    open.push(split.with(literal.negated()));
                    open.push(split.with(*literal));
                }
                (false, None) if self.settled.mark(way.target).is_some_and(Mark::is_settled) => {}
                (false, None) => {
                    split.followed.push(way.target);
                    open.push(Split { next: split.next + 1, ..split });
                }
            }
        }
    }
}

#[derive(Clone)]
struct Split {
    next: usize,
    known: Vec<GuardLiteral>,
    extra: Vec<GuardLiteral>,
    followed: Followed,
}

impl Split {
    fn with(&self, literal: GuardLiteral) -> Split {
        let mut split = self.clone();
        split.known.push(literal);
        split.extra.push(literal);
        split
    }
}

/// The pairs of states that are reached together and from which the settled side may still settle something.
fn alive(candidates: &Gia, settled: &Gia) -> HashSet<(StateId, StateId), FastBuild> {
    let start = (Gia::INITIAL, Gia::INITIAL);
    let mut sources: HashMap<(StateId, StateId), Vec<(StateId, StateId)>, FastBuild> = HashMap::default();
    sources.insert(start, Vec::new());
    let mut open = vec![start];
    let mut ends = Vec::new();
    while let Some(pair) = open.pop() {
        if settled.mark(pair.1).is_some_and(Mark::is_settled) {
            ends.push(pair);
            continue;
        }
        let entered = candidates.mark(pair.0) == Some(Mark::Candidate);
        for transition in candidates.from(pair.0).iter().filter(|transition| !entered || transition.target != pair.0) {
            for other in settled.from(pair.1) {
                if transition.edges.intersect(&other.edges).is_empty() {
                    continue;
                }
                let next = (transition.target, other.target);
                let known = sources.entry(next).or_insert_with(|| {
                    open.push(next);
                    Vec::new()
                });
                known.push(pair);
            }
        }
    }
    let mut alive: HashSet<_, FastBuild> = ends.iter().copied().collect();
    while let Some(pair) = ends.pop() {
        for source in &sources[&pair] {
            if alive.insert(*source) {
                ends.push(*source);
            }
        }
    }
    alive
}
