//! The laws of exchange automata on random automata with conditions and invariants, checked on random paths: what minimising keeps, and what
//! combining makes of the three languages (Theorem 2 of the exchange automata, and the law for candidates).

use tandem_artifact::gia::*;
use tandem_cfa::{DataModel, EdgeId};

/// How many random cases each law is checked on.
const CASES: u64 = 10_000;
const EDGES: u64 = 3;
const CONDITIONS: [&str; 3] = ["a", "b", "c > 1"];

/// A small generator of numbers: the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

fn subject() -> Subject {
    Subject::plain("program.c", b"", DataModel::Lp64)
}

fn guard(random: &mut Random, guards: &mut Guards) -> GuardId {
    let mut guard = GuardId::TRUE;
    while random.chance(30) {
        let text = CONDITIONS[random.below(3) as usize];
        let negated = format!("!({text})");
        let literal = guards.text(if random.chance(50) { text } else { &negated });
        guard = guards.and(guard, literal);
    }
    guard
}

fn edges(random: &mut Random) -> EdgeSet {
    let some = |random: &mut Random| (0..EDGES as u32).filter(|_| random.chance(40)).map(EdgeId).collect::<Vec<_>>();
    match random.below(10) {
        0..7 => EdgeSet::One(EdgeId(random.below(EDGES) as u32)),
        7..9 => EdgeSet::these(some(random)),
        _ => EdgeSet::all_but(some(random)),
    }
}

fn automaton(random: &mut Random) -> Gia {
    let mut builder = GiaBuilder::new(subject(), Vec::new());
    let count = 1 + random.below(7) as u32;
    for state in 0..count {
        let mark = match random.below(10) {
            0 | 1 if state > 0 => Some(Mark::Unreachable),
            2 if state > 0 => Some(Mark::Reached),
            3 | 4 if state > 0 || random.chance(10) => Some(Mark::Candidate),
            _ => None,
        };
        let invariant = match state > 0 && random.chance(30) {
            true => guard(random, builder.guards()),
            false => GuardId::TRUE,
        };
        builder.named(&format!("q{state}"), invariant, mark);
    }
    for _ in 0..random.below(2 * u64::from(count) + 3) {
        let (source, target) = (StateId(random.below(count.into()) as u32), StateId(random.below(count.into()) as u32));
        if builder.states()[source].mark.is_some_and(Mark::is_settled) {
            continue;
        }
        let edges = edges(random);
        let guard = guard(random, builder.guards());
        builder.transition(source, edges, guard, target);
    }
    builder.finish().expect("a well-formed automaton")
}

/// A path: its edges, and which conditions hold after each.
struct Path {
    edges: Vec<EdgeId>,
    holds: Vec<[bool; 3]>,
}

fn path(random: &mut Random) -> Path {
    let length = random.below(6) as usize;
    Path {
        edges: (0..length).map(|_| EdgeId(random.below(EDGES) as u32)).collect(),
        holds: (0..length).map(|_| [(); 3].map(|()| random.chance(50))).collect(),
    }
}

impl Path {
    fn covered(&self, gia: &Gia) -> Covered {
        let holds = |step: usize, atom: AtomId| {
            let text = gia.guards().atom_text(atom);
            let index = CONDITIONS.iter().position(|condition| *condition == text).expect("a known condition");
            self.holds[step][index]
        };
        gia.covers(&self.edges, holds)
    }

    fn is(&self, gia: &Gia, mark: Mark) -> bool {
        self.covered(gia).by(mark).is_some()
    }

    /// Those with a step: a path without one is no candidate.
    fn prefixes(&self) -> impl Iterator<Item = Path> + '_ {
        (1..=self.edges.len())
            .map(|length| Path { edges: self.edges[..length].to_vec(), holds: self.holds[..length].to_vec() })
    }
}

/// An automaton for a person who looks for the mistake.
fn shown(gia: &Gia) -> String {
    let mut text = String::new();
    for (state, content) in gia.states().enumerate() {
        text += &format!("{state} {:?} [{}]\n", content.mark, gia.guards().display(content.invariant));
        for transition in gia.from(state) {
            let guard = gia.guards().display(transition.guard);
            text += &format!("   {:?} [{guard}] -> {}\n", transition.edges, transition.target);
        }
    }
    text
}

const MARKS: [Mark; 3] = [Mark::Unreachable, Mark::Reached, Mark::Candidate];

#[test]
fn minimising_keeps_the_three_languages() {
    let mut random = Random(7);
    let mut smaller = 0;
    for case in 0..CASES {
        let gia = automaton(&mut random);
        let small = minimise(&gia);
        assert!(small.states().len() <= gia.states().len());
        smaller += usize::from(small.states().len() < gia.states().len());
        assert_eq!(small.has_candidates(), gia.has_candidates(), "case {case}");
        for _ in 0..10 {
            let path = path(&mut random);
            for mark in MARKS {
                assert_eq!(
                    path.is(&gia, mark),
                    path.is(&small, mark),
                    "case {case}: {:?}\n{}\n{}",
                    path.edges,
                    shown(&gia),
                    shown(&small)
                );
            }
        }
    }
    assert!(smaller > CASES as usize / 4);
}

/// What the law says about a path and the candidates of the combination.
fn is_candidate_by_law(path: &Path, automata: &[&Gia]) -> bool {
    let with: Vec<_> = automata.iter().filter(|gia| gia.has_candidates()).collect();
    !with.is_empty()
        && path.prefixes().any(|prefix| {
            with.iter().all(|gia| prefix.is(gia, Mark::Candidate))
                && !automata.iter().any(|gia| prefix.is(gia, Mark::Unreachable) || prefix.is(gia, Mark::Reached))
        })
}

#[test]
fn combining_is_union_of_what_is_settled() {
    let mut random = Random(11);
    let mut seen = [0; 3];
    for case in 0..CASES {
        let automata: Vec<Gia> = (0..2 + random.below(2)).map(|_| automaton(&mut random)).collect();
        let automata: Vec<&Gia> = automata.iter().collect();
        let combined = combine(&automata).expect("one program");
        for _ in 0..10 {
            let path = path(&mut random);
            for (index, mark) in [Mark::Unreachable, Mark::Reached].into_iter().enumerate() {
                let expected = automata.iter().any(|gia| path.is(gia, mark));
                assert_eq!(path.is(&combined, mark), expected, "case {case} {mark:?}");
                seen[index] += usize::from(expected);
            }
            let expected = is_candidate_by_law(&path, &automata);
            assert_eq!(
                path.is(&combined, Mark::Candidate),
                expected,
                "case {case}: {:?} {:?}\n{}\ngives\n{}",
                path.edges,
                path.holds,
                automata.iter().map(|gia| shown(gia)).collect::<Vec<_>>().join("\n"),
                shown(&combined)
            );
            seen[2] += usize::from(expected);
        }
    }
    assert!(seen.iter().all(|count| *count > 1000), "{seen:?}");
}

fn assert_same(random: &mut Random, one: &Gia, other: &Gia, what: &str) {
    assert_eq!(one.has_candidates(), other.has_candidates(), "{what}");
    for _ in 0..6 {
        let path = path(random);
        for mark in MARKS {
            assert_eq!(path.is(one, mark), path.is(other, mark), "{what}: {:?} {mark:?}", path.edges);
        }
    }
}

#[test]
fn combining_is_a_commutative_monoid_on_languages() {
    let mut random = Random(13);
    for _ in 0..CASES / 2 {
        let [a, b, c] = [(); 3].map(|()| automaton(&mut random));
        let two = |one: &Gia, other: &Gia| combine(&[one, other]).expect("one program");
        let all = combine(&[&a, &b, &c]).expect("one program");
        assert_same(&mut random, &two(&two(&a, &b), &c), &all, "(a b) c");
        assert_same(&mut random, &two(&a, &two(&b, &c)), &all, "a (b c)");
        assert_same(&mut random, &two(&a, &b), &two(&b, &a), "a b = b a");
        assert_same(&mut random, &two(&a, &Gia::empty(subject(), Vec::new())), &two(&a, &a), "a 1 = a a");
        assert_same(&mut random, &two(&minimise(&a), &b), &two(&a, &b), "minimised");
    }
}

/// An automaton about some of the edges.
fn with_targets(random: &mut Random) -> Gia {
    let mut gia = automaton(random);
    let edges: Vec<EdgeId> = (0..EDGES as u32).map(EdgeId).filter(|_| random.chance(40)).collect();
    let edges = if edges.is_empty() { vec![EdgeId(random.below(EDGES) as u32)] } else { edges };
    gia.targets = vec![Target { name: format!("{edges:?}"), edges }];
    gia
}

fn targets(gia: &Gia) -> std::collections::BTreeSet<EdgeId> {
    gia.targets.iter().flat_map(|target| target.edges.iter().copied()).collect()
}

/// Whether an automaton says of a path, as one to targets of all, that no run takes it: all of it is covered if these are its own targets, else
/// one of its own targets is met at the step at which the path is covered, or later.
fn is_unreachable_by_law(path: &Path, gia: &Gia, all: &std::collections::BTreeSet<EdgeId>) -> bool {
    let Some(run) = path.covered(gia).unreachable else { return false };
    let own = targets(gia);
    let from = run.steps().max(1) - 1;
    own == *all || path.edges[from.min(path.edges.len())..].iter().any(|edge| own.contains(edge))
}

#[test]
fn combining_claims_nothing_about_targets_of_others() {
    let mut random = Random(23);
    let mut seen = [0; 4];
    for case in 0..CASES {
        let automata: Vec<Gia> = (0..2 + random.below(2)).map(|_| with_targets(&mut random)).collect();
        let automata: Vec<&Gia> = automata.iter().collect();
        let combined = combine(&automata).expect("one program");
        let all = targets(&combined);
        let groups: Vec<Vec<&Gia>> = automata
            .iter()
            .map(|gia| automata.iter().copied().filter(|other| targets(other) == targets(gia)).collect())
            .collect();
        let says = |path: &Path| automata.iter().any(|gia| is_unreachable_by_law(path, gia, &all));
        for _ in 0..10 {
            let path = path(&mut random);
            let shown = || automata.iter().map(|gia| format!("{:?}\n{}", gia.targets, shown(gia))).collect::<String>();
            let unreachable = path.is(&combined, Mark::Unreachable);
            assert_eq!(unreachable, says(&path), "case {case}: {:?}\n{}", path.edges, shown());
            // Of a path to a target no more is claimed than by a part that is about a target on that path.
            if let Some(last) = path.edges.last().filter(|_| unreachable) {
                let claims = |gia: &&Gia| {
                    path.prefixes().any(|prefix| prefix.is(gia, Mark::Unreachable)) || path.is(gia, Mark::Unreachable)
                };
                let is_about =
                    |gia: &&Gia| path.edges.iter().any(|edge| targets(gia).contains(edge)) || targets(gia) == all;
                assert!(automata.iter().any(|gia| claims(gia) && is_about(gia)), "case {case}: {last:?}\n{}", shown());
                seen[0] += 1;
            }
            let is_covered = automata.iter().any(|gia| path.is(gia, Mark::Unreachable));
            seen[1] += usize::from(is_covered && !unreachable);
            let reached = automata.iter().any(|gia| path.is(gia, Mark::Reached));
            assert_eq!(path.is(&combined, Mark::Reached), reached, "case {case}");
            seen[2] += usize::from(reached);
            let restricts = groups.iter().all(|group| group.iter().any(|gia| gia.has_candidates()));
            let is_one_group = groups.iter().all(|group| group.len() == automata.len());
            let candidate = match is_one_group {
                true => is_candidate_by_law(&path, &automata),
                false => {
                    restricts
                        && path.prefixes().any(|prefix| {
                            groups.iter().any(|group| is_candidate_by_law(&prefix, group)) && !says(&prefix)
                        })
                }
            };
            assert_eq!(path.is(&combined, Mark::Candidate), candidate, "case {case}: {:?}\n{}", path.edges, shown());
            seen[3] += usize::from(candidate);
        }
    }
    assert!(seen.iter().all(|count| *count > 500), "{seen:?}");
}

#[test]
fn combining_automata_about_different_targets_has_no_order() {
    let mut random = Random(29);
    for _ in 0..CASES / 2 {
        let [a, b, c] = [(); 3].map(|()| with_targets(&mut random));
        let two = |one: &Gia, other: &Gia| combine(&[one, other]).expect("one program");
        let all = combine(&[&a, &b, &c]).expect("one program");
        assert_same(&mut random, &two(&a, &b), &two(&b, &a), "a b = b a");
        for (other, what) in [(two(&two(&a, &b), &c), "(a b) c"), (two(&a, &two(&b, &c)), "a (b c)")] {
            for _ in 0..6 {
                let path = path(&mut random);
                for mark in [Mark::Unreachable, Mark::Reached] {
                    assert_eq!(path.is(&all, mark), path.is(&other, mark), "{what}: {:?} {mark:?}", path.edges);
                }
            }
        }
    }
}

/// A path that reaches a target of one automaton does not contradict what another says about other targets.
#[test]
fn automata_about_different_targets_do_not_contradict_each_other() {
    let mut random = Random(31);
    let mut seen = [0; 2];
    for case in 0..CASES {
        let (one, other) = (with_targets(&mut random), with_targets(&mut random));
        let contradiction = contradiction(&one, &other);
        for _ in 0..6 {
            let path = path(&mut random);
            if path.is(&contradiction, Mark::Candidate) {
                seen[0] += 1;
                let common = targets(&one).intersection(&targets(&other)).count();
                assert!(common > 0, "case {case}: {:?}", path.edges);
            } else {
                let meets = |ut: &Gia, rt: &Gia| path.is(ut, Mark::Unreachable) && path.is(rt, Mark::Reached);
                seen[1] += usize::from(meets(&one, &other) || meets(&other, &one));
            }
        }
    }
    assert!(seen.iter().all(|count| *count > 50), "{seen:?}");
}

/// Exactly the paths on which two automata contradict each other are candidates of their contradiction.
#[test]
fn contradictions() {
    let mut random = Random(17);
    let mut seen = 0;
    for case in 0..CASES {
        let (one, other) = (automaton(&mut random), automaton(&mut random));
        let contradiction = contradiction(&one, &other);
        for _ in 0..6 {
            let path = path(&mut random);
            let meets = |ut: &Gia, rt: &Gia| path.is(ut, Mark::Unreachable) && path.is(rt, Mark::Reached);
            let expected = meets(&one, &other) || meets(&other, &one);
            assert_eq!(path.is(&contradiction, Mark::Candidate), expected, "case {case}");
            seen += usize::from(expected);
        }
    }
    assert!(seen > 100, "{seen}");
}

/// The increments of a refinement share their beginnings: after a hundred of them the automaton is no larger than the smallest trie.
#[test]
fn increments_do_not_grow_beyond_their_trie() {
    let mut random = Random(19);
    let mut all = Gia::empty(subject(), Vec::new());
    let mut words: Vec<Vec<(u32, Option<&str>)>> = Vec::new();
    for _ in 0..100 {
        let length = 1 + random.below(12) as usize;
        let word: Vec<(u32, Option<&str>)> = (0..length)
            .map(|_| (random.below(EDGES) as u32, random.chance(30).then(|| CONDITIONS[random.below(3) as usize])))
            .collect();
        let mut builder = GiaBuilder::new(subject(), Vec::new());
        let mut at = builder.state(None);
        for (index, (edge, condition)) in word.iter().enumerate() {
            let next = builder.state((index + 1 == word.len()).then_some(Mark::Unreachable));
            let guard = condition.map_or(GuardId::TRUE, |text| builder.guards().text(text));
            builder.transition(at, EdgeSet::One(EdgeId(*edge)), guard, next);
            at = next;
        }
        words.push(word);
        all = combine(&[&all, &builder.finish().expect("a path")]).expect("one program");
    }
    let mut trie: std::collections::HashSet<Vec<(u32, Option<&str>)>> = std::collections::HashSet::new();
    for word in &words {
        for length in 0..=word.len() {
            trie.insert(word[..length].to_vec());
        }
    }
    assert!(all.states().len() <= trie.len(), "{} states, the trie has {}", all.states().len(), trie.len());
}
