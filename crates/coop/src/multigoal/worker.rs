//! One worker: takes a piece of work, asks the predicate analysis or walks through paths, runs what comes out, and says what that settles.

use std::collections::BTreeSet;
use std::ops::Range;
use std::time::{Duration, Instant};

use tandem_analyses::concolic::{Judge, Ran};
use tandem_analyses::goal_paths::{PathWalk, Told};
use tandem_analyses::predicate::goals::{Candidate, GoalSearch, Reuse, Sought};
use tandem_artifact::fql::{Batch, Link, minimise};
use tandem_base::Budget;
use tandem_cfa::EdgeId;
use tandem_smt::Terms;

use super::board::Proof;
use super::levels::{Fate, Item, Next, Part};
use super::probe::Probed;
use super::run::{Shared, lock};

/// Edges of one run.
pub const RUN: u64 = 6_000;
/// Random runs without anything new after which no more are made, and how long they may take at most.
const FRUITLESS: u32 = 150;
const RANDOM: Duration = Duration::from_secs(3);
/// More goals than these are not looked at one by one for every run.
pub const MANY: u64 = 400;

/// The goals that a run covers, the part of its path that counts (with what it says of predicates), and whether it ended there.
pub fn covered(
    shared: &Shared<'_, '_>,
    judge: &mut Judge<'_>,
    ran: &Ran,
    budget: &Budget,
) -> (Vec<u64>, Vec<EdgeId>, bool) {
    let program = shared.task.program;
    let clean = judge.counts(ran, budget);
    let (path, ended) = (ran.path(program, clean), ran.ended() && clean >= ran.len());
    let goals = match (looks_at_all(shared), shared.probed) {
        (true, None) => shared.goals.covered_by(&path, ended, |_, _| None),
        (true, Some(probed)) => {
            let (plain, told) = probed.told(&path);
            shared.goals.covered_by(&plain, ended, |at, predicate| told.get(&(at, predicate)).copied())
        }
        (false, _) => Vec::new(),
    };
    (goals, path, ended)
}

/// Whether each run is compared with all goals. Where that means to look at each of many, only those are looked at that are asked about.
fn looks_at_all(shared: &Shared<'_, '_>) -> bool {
    shared.goals.is_quick() || shared.goals.count() <= MANY
}

pub struct Worker<'a, 's, 'g> {
    shared: &'s Shared<'a, 'g>,
    number: usize,
    judge: Judge<'a>,
    search: Option<GoalSearch<'a>>,
    /// Why there is no search.
    reason: Option<String>,
    walk: Option<PathWalk<'a, 'g>>,
    terms: Terms,
    /// How much of what others track is known here.
    tracked: usize,
}

impl<'a, 's, 'g> Worker<'a, 's, 'g> {
    pub fn new(shared: &'s Shared<'a, 'g>, number: usize) -> Worker<'a, 's, 'g> {
        let seed = shared.options.seed.wrapping_add(number as u64);
        Worker {
            shared,
            number,
            judge: Judge::new(shared.task, seed, shared.run),
            search: None,
            reason: None,
            walk: None,
            terms: shared.terms.clone(),
            tracked: 0,
        }
    }

    pub fn work(&mut self, budget: &Budget) {
        while budget.exhausted().is_none() {
            match self.shared.next() {
                Next::Done => break,
                Next::Wait => std::thread::park_timeout(Duration::from_micros(300)),
                Next::Item(item) => {
                    let slice = budget.within(lock(&self.shared.levels).slice());
                    // After a bug the rest goes on, with nothing left of what may be broken.
                    let item = std::panic::AssertUnwindSafe(|| self.item(item, &slice));
                    if std::panic::catch_unwind(item).is_err() {
                        *self = Worker::new(self.shared, self.number + self.shared.task.threads);
                    }
                    let is_cut = slice.exhausted().is_some();
                    if is_cut {
                        self.forget();
                    }
                    lock(&self.shared.levels).finished(is_cut);
                }
            }
        }
        if let Some(search) = &self.search {
            lock(&self.shared.predicates).extend(search.predicates());
        }
        self.count();
    }

    fn item(&mut self, item: Item, budget: &Budget) {
        match item {
            Item::Random => self.random(budget),
            Item::Chain { before, last, part } => self.chain(&before, last, part, budget),
            Item::Goals(range) => self.general(range, budget),
            Item::Paths(range) => self.paths(range, budget),
        }
    }

    fn random(&mut self, budget: &Budget) {
        if !looks_at_all(self.shared) {
            return;
        }
        let start = Instant::now();
        let mut fruitless = 0;
        while fruitless < FRUITLESS && start.elapsed() < RANDOM && budget.exhausted().is_none() {
            let Some(ran) = self.judge.random(budget) else { break };
            lock(&self.shared.board).statistics.runs += 1;
            let found = self.offer(&ran, None, "random", budget);
            fruitless = if found > 0 { 0 } else { fruitless + 1 };
            if lock(&self.shared.board).is_decided() {
                break;
            }
        }
    }

    /// Counts a run for the goals that it covers: for all, or for one alone. How many are new.
    fn offer(&mut self, ran: &Ran, only: Option<u64>, by: &'static str, budget: &Budget) -> usize {
        let (goals, ..) = covered(self.shared, &mut self.judge, ran, budget);
        self.count_for(ran, goals, only, by)
    }

    fn count_for(&mut self, ran: &Ran, mut goals: Vec<u64>, only: Option<u64>, by: &'static str) -> usize {
        if let Some(only) = only {
            goals.retain(|goal| *goal == only);
        }
        let found = lock(&self.shared.board).accept(ran.inputs(), goals, by);
        if found > 0 {
            self.judge.remember(ran);
        }
        found
    }

    /// Goals that begin alike.
    fn chain(&mut self, before: &[Link], mut last: Vec<Link>, part: Part, budget: &Budget) {
        if let Part::Goal(base) = part {
            let board = lock(&self.shared.board);
            last.retain(|(_, choice)| board.is_open(base + *choice as u64));
        }
        if last.is_empty() {
            return;
        }
        let Some(batch) = self.shared.goals.batch(before, &last) else { return };
        let numbers = |tag: u32| match part {
            Part::Goal(base) => last.get(tag as usize).map(|(_, choice)| base + *choice as u64),
            Part::Single | Part::Pair => None,
        };
        let fates = self.ask(batch, last.len(), &numbers, budget);
        let mut levels = lock(&self.shared.levels);
        for (link, fate) in last.iter().zip(fates) {
            levels.note(before, *link, part, fate);
        }
    }

    /// Goals of any form.
    fn general(&mut self, range: Range<u64>, budget: &Budget) {
        let open: Vec<u64> = {
            let board = lock(&self.shared.board);
            range.filter(|goal| board.is_open(*goal)).collect()
        };
        let goals = open.iter().filter_map(|number| self.shared.goals.goal(*number)).map(|goal| {
            // Minimal automata rely on every predicate having a value everywhere.
            let minimises = self.shared.options.switches.minimisation && self.shared.probed.is_none();
            let smaller = minimises.then(|| minimise(&goal));
            smaller.filter(|smaller| smaller.states() < goal.states()).unwrap_or(goal)
        });
        let goals: Vec<_> = goals.collect();
        if goals.len() == open.len() && !open.is_empty() {
            self.ask(Batch::of(&goals), open.len(), &|tag| open.get(tag as usize).copied(), budget);
        }
    }

    /// Asks about the goals of an automaton, with tags below `count`: which are alive, which dead. `numbers` says which goals of the query they are.
    fn ask(&mut self, batch: Batch, count: usize, numbers: &dyn Fn(u32) -> Option<u64>, budget: &Budget) -> Vec<Fate> {
        let mut fates = vec![Fate::Unknown; count];
        let batch = match self.shared.goals.passing() {
            Some(passing) => batch.passing(passing),
            None => batch,
        };
        let reason = match self.shared.probed {
            Some(probed) => {
                let (sought, met) = (probed.batch(&batch, true), probed.batch(&batch, false));
                self.search_for(&sought, &met, &mut fates, numbers, budget)
            }
            None => self.search_for(&batch, &batch, &mut fates, numbers, budget),
        };
        let mut board = lock(&self.shared.board);
        for (tag, fate) in fates.iter_mut().enumerate() {
            let goal = numbers(tag as u32).map(|goal| goal..goal + 1);
            match (&reason, *fate) {
                (_, Fate::Alive | Fate::Dead) => {}
                (None, Fate::Unknown) => {
                    *fate = Fate::Dead;
                    goal.into_iter().for_each(|goal| board.exclude(goal, Proof::Predicate));
                }
                (Some(reason), Fate::Unknown) => {
                    *fate = Fate::Alive;
                    goal.into_iter().for_each(|goal| board.doubt(goal, reason));
                }
            }
        }
        fates
    }

    /// Looks for runs until there are no more; a reason if that is not known. Runs that are `sought` count if they are `met`.
    fn search_for(
        &mut self,
        sought: &Batch,
        met: &Batch,
        fates: &mut [Fate],
        numbers: &dyn Fn(u32) -> Option<u64>,
        budget: &Budget,
    ) -> Option<String> {
        if let Err(reason) = self.begin(sought, budget) {
            return Some(reason);
        }
        loop {
            let Some(search) = &mut self.search else { return self.reason.clone() };
            match search.next(budget) {
                Sought::Nothing => return None,
                Sought::Unclear(caveat) => return Some(caveat.to_string()),
                Sought::Stopped(reason) => return Some(reason.to_string()),
                Sought::GivenUp(tag, caveat) => {
                    fates[tag as usize] = Fate::Alive;
                    if let Some(goal) = numbers(tag) {
                        lock(&self.shared.board).doubt(goal..goal + 1, &caveat.to_string());
                    }
                }
                Sought::Candidate(candidate) => {
                    let tags = self.try_out(met, &candidate, numbers, budget);
                    tags.iter().for_each(|tag| fates[*tag as usize] = Fate::Alive);
                    if let Some(search) = &mut self.search {
                        search.settle(tags);
                    }
                }
            }
        }
    }

    /// Runs the inputs of a candidate; the tags that are settled by that.
    fn try_out(
        &mut self,
        batch: &Batch,
        candidate: &Candidate,
        numbers: &dyn Fn(u32) -> Option<u64>,
        budget: &Budget,
    ) -> BTreeSet<u32> {
        lock(&self.shared.board).statistics.candidates += 1;
        let mut tags = BTreeSet::new();
        let goal = numbers(candidate.tag);
        if let Some(ran) = self.judge.follow(&candidate.inputs, budget) {
            let (mut goals, path, ended) = covered(self.shared, &mut self.judge, &ran, budget);
            let letters = self.shared.probed.map_or_else(|| self.shared.goals.letters(), Probed::letters);
            let word = letters.word(self.shared.task.program, &path);
            tags = batch.covered(&word, ended);
            goals.extend(tags.iter().filter_map(|tag| numbers(*tag)));
            goals.sort_unstable();
            goals.dedup();
            let replay = self.shared.options.switches.replay;
            self.count_for(&ran, goals, goal.filter(|_| !replay), "predicate");
            if !replay {
                tags.retain(|tag| *tag == candidate.tag);
            }
        }
        if tags.insert(candidate.tag) {
            // What a solver found and no run confirms is open, and nothing else.
            let reason = match self.shared.probed {
                None => "the inputs that were found do not lead there",
                Some(_) => "a predicate of the query has no meaning or no value at a place where it is tested",
            };
            if let Some(goal) = goal {
                lock(&self.shared.board).doubt(goal..goal + 1, reason);
            }
        }
        tags
    }

    /// Begins anew. Which predicates were learned in which order is a matter of luck; what took too long with some takes moments without them.
    fn forget(&mut self) {
        self.count();
        self.terms = Terms::new();
    }

    /// Prepares the search for an automaton.
    fn begin(&mut self, batch: &Batch, budget: &Budget) -> Result<(), String> {
        let switches = self.shared.options.switches;
        if self.search.as_ref().is_some_and(GoalSearch::is_full) {
            self.forget();
        }
        if self.search.is_none() && self.reason.is_none() {
            let reuse = Reuse { graphs: switches.graphs, predicates: switches.predicates };
            match GoalSearch::new(self.shared.task, &self.terms, reuse, budget) {
                Some(Ok(search)) => self.search = Some(search),
                Some(Err(caveat)) => self.reason = Some(caveat.to_string()),
                None => self.reason = Some("the program has no entry".to_string()),
            }
        }
        self.exchange();
        let Some(search) = &mut self.search else { return Err(self.reason.clone().unwrap_or_default()) };
        match search.begin(batch.goal.clone(), batch.tags.clone(), budget) {
            Ok(true) => Ok(()),
            Ok(false) => Err("predicates are tested that are no steps of the program".to_string()),
            Err(reason) => Err(reason.to_string()),
        }
    }

    /// Tells the others what is tracked here, and tracks what they do.
    fn exchange(&mut self) {
        let switches = self.shared.options.switches;
        let is_shared = switches.predicates && self.shared.task.threads > 1;
        // Predicates are terms: they mean something only in the pool they are from.
        let same = self.terms.is_same(&self.shared.terms);
        let Some(search) = self.search.as_mut().filter(|_| is_shared && same) else { return };
        let mut tracked = lock(&self.shared.tracked);
        search.track(&tracked[self.tracked.min(tracked.len())..]);
        for one in search.tracked() {
            if !tracked.contains(&one) {
                tracked.push(one);
            }
        }
        self.tracked = tracked.len();
    }

    /// Paths from the start of the program.
    fn paths(&mut self, range: Range<u64>, budget: &Budget) {
        let shared = self.shared;
        if self.walk.is_none() {
            let tree = shared.goals.path_tree();
            self.walk = tree.and_then(|tree| PathWalk::new(shared.task, tree, shared.options.switches.propagation));
        }
        let Some(mut walk) = self.walk.take() else { return };
        let mut tell = |told: Told| self.told(told, budget);
        let ended = walk.walk(range.clone(), &mut |range| lock(&shared.board).has_open(range), &mut tell, budget);
        if let Err(reason) = ended {
            lock(&shared.board).doubt(range, &reason.to_string());
        }
        self.walk = Some(walk);
    }

    fn told(&mut self, told: Told, budget: &Budget) {
        match told {
            Told::Impossible(range) => lock(&self.shared.board).exclude(range, Proof::Beginning),
            Told::Unclear(range, caveat) => lock(&self.shared.board).doubt(range, &caveat.to_string()),
            Told::Inputs(goal, inputs) => {
                lock(&self.shared.board).statistics.candidates += 1;
                let only = (!self.shared.options.switches.replay).then_some(goal);
                if let Some(ran) = self.judge.follow(&inputs, budget) {
                    self.offer(&ran, only, "paths", budget);
                }
                lock(&self.shared.board).doubt(goal..goal + 1, "the inputs that were found do not lead there");
            }
        }
    }

    /// What was done so far is counted, once.
    fn count(&mut self) {
        let statistics = &mut lock(&self.shared.board).statistics;
        if let Some(search) = self.search.take() {
            statistics.automata += search.counters.automata;
            statistics.refinements += search.counters.refinements;
            statistics.states += search.counters.states;
            statistics.reused += search.counters.reused;
        }
        if let Some(walk) = &mut self.walk {
            statistics.checks += std::mem::take(&mut walk.checks);
        }
    }
}
