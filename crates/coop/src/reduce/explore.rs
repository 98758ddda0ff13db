//! The product of a program and an automaton, function by function.

use std::collections::{HashMap, VecDeque};

use tandem_analyses::validate::is_total;
use tandem_artifact::gia::{AtomId, Gia, GuardLiteral, Mark, guard_formula};
use tandem_base::FastBuild;
use tandem_cfa::expression::{Formula, Names};
use tandem_cfa::{Callee, EdgeId, FunctionId, NodeId, Op, PlaceKind, Program};

use super::follow::{Follower, Role, SetId, Standing, Way};

/// What was found: the functions of the residual that differ from those of the program.
pub struct Exploration {
    /// The first is the entry function's.
    pub contexts: Vec<Context>,
    pub reduced: bool,
    pub bounded: bool,
}

/// A function as it is entered with a set of followed states.
pub struct Context {
    pub function: FunctionId,
    pub entry: usize,
    pub knots: Vec<Knot>,
    /// The sets it can be left with; the exit code is the place here.
    pub exits: Vec<SetId>,
    index: HashMap<(NodeId, SetId), usize, FastBuild>,
    /// Knots of other contexts that wait behind a call of this one.
    callers: Vec<(usize, usize)>,
}

impl Context {
    /// Whether another context calls it.
    pub fn is_called(&self) -> bool {
        !self.callers.is_empty()
    }
}

pub struct Knot {
    pub kind: KnotKind,
    /// Whether paths that come here are to be kept for sure.
    pub kept: bool,
}

pub enum KnotKind {
    /// Found, but not looked at yet.
    Pending(NodeId, SetId),
    Steps(Vec<Step>),
    Test {
        condition: Formula,
        yes: usize,
        no: usize,
    },
    Cut,
    /// Behind a call of a context: where it goes on for each of its exits.
    Behind {
        node: NodeId,
        ways: Vec<usize>,
    },
    Exit,
}

pub struct Step {
    pub edge: EdgeId,
    pub to: usize,
    /// The context that the call enters; a call that enters none goes to the function as it is.
    pub enters: Option<usize>,
    pub leave: Option<u32>,
}

pub fn explore(program: &mut Program, gia: &Gia, remove: Mark, error_functions: &[&str]) -> Exploration {
    let nodes = super::size(program);
    let names = Names::of(program);
    let mut explorer = Explorer {
        error_functions,
        gia,
        names,
        follower: Follower::new(gia, remove),
        contexts: Vec::new(),
        index: HashMap::default(),
        formulas: HashMap::default(),
        open: VecDeque::new(),
        knots: 0,
        charged: 0,
        limit: nodes * 3 / 4 + 16,
        reduced: false,
        bounded: false,
    };
    if let Some(entry) = program.entry.filter(|entry| program.functions[*entry].body.is_some()) {
        match explorer.follower.start() {
            Standing::Open(set) => drop(explorer.context(program, entry, set)),
            Standing::Cut => explorer.nothing(entry),
        }
    }
    while let Some((context, knot)) = explorer.open.pop_front() {
        explorer.expand(program, context, knot);
    }
    Exploration { contexts: explorer.contexts, reduced: explorer.reduced, bounded: explorer.bounded }
}

struct Explorer<'a> {
    error_functions: &'a [&'a str],
    gia: &'a Gia,
    names: Names,
    follower: Follower<'a>,
    contexts: Vec<Context>,
    index: HashMap<(FunctionId, SetId), usize, FastBuild>,
    /// Conditions that can be tested behind an edge; nothing for those that cannot.
    formulas: HashMap<(AtomId, EdgeId), Option<Formula>, FastBuild>,
    open: VecDeque<(usize, usize)>,
    knots: usize,
    /// The size of the functions that were cloned: each clone may have to hold the whole function as it is.
    charged: usize,
    /// How many edges the clones may have, and how many knots where something is followed.
    limit: usize,
    reduced: bool,
    bounded: bool,
}

/// What an edge does, as far as it matters here.
enum Kind {
    /// Enters this function.
    Enter(FunctionId),
    /// Nobody knows where it goes.
    Anywhere,
    /// Does not come back.
    Error,
    Plain,
}

impl Explorer<'_> {
    fn context(&mut self, program: &Program, function: FunctionId, set: SetId) -> Option<usize> {
        if let Some(context) = self.index.get(&(function, set)) {
            return Some(*context);
        }
        let body = program.functions[function].body.as_ref()?;
        let entry = body.entry;
        self.charged += body.edges.len();
        let number = self.contexts.len();
        self.contexts.push(Context {
            function,
            entry: 0,
            knots: Vec::new(),
            exits: Vec::new(),
            index: HashMap::default(),
            callers: Vec::new(),
        });
        self.index.insert((function, set), number);
        self.contexts[number].entry = self.knot(number, entry, Standing::Open(set));
        Some(number)
    }

    /// The whole program is covered.
    fn nothing(&mut self, function: FunctionId) {
        self.reduced = true;
        let cut = Knot { kind: KnotKind::Cut, kept: true };
        let (index, callers) = (HashMap::default(), Vec::new());
        self.contexts.push(Context { function, entry: 0, knots: vec![cut], exits: Vec::new(), index, callers });
    }

    /// Whether there may be another clone of the function, or there is one for the set.
    fn has_room(&self, program: &Program, function: FunctionId, set: SetId) -> bool {
        let size = program.functions[function].body.as_ref().map_or(0, |body| body.edges.len());
        self.index.contains_key(&(function, set)) || self.knots <= self.limit && self.charged + size <= self.limit
    }

    fn add(&mut self, context: usize, kind: KnotKind, kept: bool) -> usize {
        self.contexts[context].knots.push(Knot { kind, kept });
        self.contexts[context].knots.len() - 1
    }

    fn knot(&mut self, context: usize, node: NodeId, standing: Standing) -> usize {
        let Standing::Open(mut set) = standing else {
            self.reduced = true;
            return self.add(context, KnotKind::Cut, true);
        };
        if self.knots > self.limit && set != Follower::FREE && !self.contexts[context].index.contains_key(&(node, set))
        {
            self.bounded = true;
            set = Follower::FREE;
        }
        if let Some(knot) = self.contexts[context].index.get(&(node, set)) {
            return *knot;
        }
        self.knots += usize::from(set != Follower::FREE);
        let kept = self.follower.is_kept(set);
        let knot = self.add(context, KnotKind::Pending(node, set), kept);
        self.contexts[context].index.insert((node, set), knot);
        self.open.push_back((context, knot));
        knot
    }

    fn expand(&mut self, program: &mut Program, context: usize, knot: usize) {
        let KnotKind::Pending(node, set) = self.contexts[context].knots[knot].kind else { return };
        let function = self.contexts[context].function;
        let exit = program.functions[function].body.as_ref().map(|body| body.exit);
        if exit == Some(node) {
            self.contexts[context].knots[knot].kind = KnotKind::Exit;
            self.exit_code(context, set);
            return;
        }
        let edges: Vec<EdgeId> = program.out(node).iter().collect();
        let single = edges.len() == 1;
        let mut steps = Vec::new();
        for edge in edges {
            match self.step(program, context, set, edge) {
                None if single => {
                    self.reduced = true;
                    self.contexts[context].knots[knot].kind = KnotKind::Cut;
                    return;
                }
                None => {
                    steps.push(Step { edge, to: self.knot(context, node, Standing::Cut), enters: None, leave: None })
                }
                Some(step) => steps.push(step),
            }
        }
        self.contexts[context].knots[knot].kind = KnotKind::Steps(steps);
    }

    /// The step over an edge; nothing if it is covered whatever the state after it.
    fn step(&mut self, program: &mut Program, context: usize, set: SetId, edge: EdgeId) -> Option<Step> {
        let target = program.edges[edge].target;
        let kind = self.kind(program, edge);
        let ways = self.usable(program, set, edge, &kind);
        let always: Vec<_> = ways.iter().filter(|way| way.literals.is_empty()).map(|way| way.item).collect();
        if ways.len() == always.len() || self.is_covered(set, &ways, &[]) {
            let Standing::Open(after) = self.follower.after(set, always) else { return None };
            return Some(self.unconditional(program, context, edge, &kind, after));
        }
        let to = self.tests(context, set, edge, target, ways);
        Some(Step { edge, to, enters: None, leave: None })
    }

    fn unconditional(&mut self, program: &Program, context: usize, edge: EdgeId, kind: &Kind, after: SetId) -> Step {
        let target = program.edges[edge].target;
        let plain = |to| Step { edge, to, enters: None, leave: None };
        match kind {
            Kind::Enter(function) if after != Follower::FREE && self.has_room(program, *function, after) => {
                match self.context(program, *function, after) {
                    Some(callee) => self.enter(context, edge, target, callee),
                    None => plain(self.knot(context, target, Standing::Open(Follower::FREE))),
                }
            }
            Kind::Enter(_) | Kind::Anywhere => {
                self.bounded |= after != Follower::FREE && matches!(kind, Kind::Enter(_));
                plain(self.knot(context, target, Standing::Open(Follower::FREE)))
            }
            Kind::Error | Kind::Plain => {
                let to = self.knot(context, target, Standing::Open(after));
                let returns = matches!(program.edges[edge].op, Op::Return { .. });
                // The limit may have changed the set on the way.
                let leave = match (returns, &self.contexts[context].knots[to].kind) {
                    (true, KnotKind::Pending(_, set)) => Some(*set),
                    (true, _) => Some(after),
                    (false, _) => None,
                };
                let leave = leave.map(|set| self.exit_code(context, set));
                Step { edge, to, enters: None, leave }
            }
        }
    }

    fn enter(&mut self, context: usize, edge: EdgeId, target: NodeId, callee: usize) -> Step {
        let to = self.add(context, KnotKind::Behind { node: target, ways: Vec::new() }, false);
        self.contexts[callee].callers.push((context, to));
        for exit in self.contexts[callee].exits.clone() {
            self.add_way(context, to, exit);
        }
        Step { edge, to, enters: Some(callee), leave: None }
    }

    /// The exit code for a set; whoever waits behind a call hears about a new one.
    fn exit_code(&mut self, context: usize, set: SetId) -> u32 {
        if let Some(code) = self.contexts[context].exits.iter().position(|exit| *exit == set) {
            return code as u32;
        }
        self.contexts[context].exits.push(set);
        for (caller, knot) in self.contexts[context].callers.clone() {
            self.add_way(caller, knot, set);
        }
        (self.contexts[context].exits.len() - 1) as u32
    }

    fn add_way(&mut self, context: usize, knot: usize, set: SetId) {
        let KnotKind::Behind { node, .. } = self.contexts[context].knots[knot].kind else { return };
        let to = self.knot(context, node, Standing::Open(set));
        if let KnotKind::Behind { ways, .. } = &mut self.contexts[context].knots[knot].kind {
            ways.push(to);
        }
    }

    fn kind(&self, program: &Program, edge: EdgeId) -> Kind {
        match &program.edges[edge].op {
            Op::Call { callee: Callee::Direct(function), .. } => {
                let callee = &program.functions[*function];
                match callee.body.is_some() && !callee.is_library {
                    _ if self.error_functions.contains(&&*callee.name) => Kind::Error,
                    true => Kind::Enter(*function),
                    false => Kind::Plain,
                }
            }
            Op::Call { callee: Callee::Pointer(_), .. } => Kind::Anywhere,
            Op::Call { callee: Callee::Builtin(_), .. }
            | Op::Skip
            | Op::Assume { .. }
            | Op::Assign { .. }
            | Op::Return { .. }
            | Op::Declare(_)
            | Op::Unsupported { .. } => Kind::Plain,
        }
    }

    /// The ways of the set over an edge, with conditions that can be tested behind it. What cannot be tested is no reason to
    /// call a path covered, and none to give up a candidate.
    fn usable(&mut self, program: &mut Program, set: SetId, edge: EdgeId, kind: &Kind) -> Vec<Way> {
        let testable = matches!(kind, Kind::Plain) && !matches!(program.edges[edge].op, Op::Return { .. });
        let mut usable = Vec::new();
        for way in self.follower.ways(set, edge) {
            let mut literals = Vec::new();
            let mut lost = false;
            for literal in way.literals {
                match testable && self.formula(program, literal.atom, edge).is_some() {
                    true => literals.push(literal),
                    false => lost = true,
                }
            }
            match (lost, way.item.1) {
                (true, Role::Cover) => {}
                (true, Role::Aim) | (false, _) => usable.push(Way { literals, item: way.item }),
            }
        }
        usable
    }

    fn formula(&mut self, program: &mut Program, atom: AtomId, edge: EdgeId) -> Option<Formula> {
        if let Some(formula) = self.formulas.get(&(atom, edge)) {
            return formula.clone();
        }
        let text = self.gia.guards().atom_text(atom);
        if text.contains("\\result") && !stores_in_variable(program, edge) {
            self.formulas.insert((atom, edge), None);
            return None;
        }
        let formula = guard_formula(program, &self.names, edge, text).ok();
        let formula = formula.filter(|formula| is_total(program, formula));
        self.formulas.insert((atom, edge), formula.clone());
        formula
    }

    /// A tree of tests behind an edge, down to where the set of states is known. Each test splits on a condition of a way that is
    /// not decided yet.
    fn tests(&mut self, context: usize, set: SetId, edge: EdgeId, target: NodeId, ways: Vec<Way>) -> usize {
        self.decide(context, (set, edge, target), &ways, &mut Vec::new())
    }

    fn decide(
        &mut self,
        context: usize,
        at: (SetId, EdgeId, NodeId),
        ways: &[Way],
        known: &mut Vec<GuardLiteral>,
    ) -> usize {
        let refuted = |way: &Way| way.literals.iter().any(|literal| known.contains(&literal.negated()));
        let unknown = |way: &Way| way.literals.iter().find(|literal| !known.contains(literal)).copied();
        let taken: Vec<_> =
            ways.iter().filter(|way| !refuted(way) && unknown(way).is_none()).map(|way| way.item).collect();
        let next = ways.iter().filter(|way| !refuted(way)).find_map(unknown);
        let standing = self.follower.after(at.0, taken);
        let formula = next.and_then(|literal| {
            self.formulas.get(&(literal.atom, at.1)).cloned().flatten().map(|formula| (literal, formula))
        });
        let covered = standing == Standing::Cut && next.is_some() && self.is_covered(at.0, ways, known);
        match formula {
            Some((literal, condition)) if !covered => {
                let literal = GuardLiteral { holds: true, ..literal };
                known.push(literal);
                let yes = self.decide(context, at, ways, known);
                known.pop();
                known.push(literal.negated());
                let no = self.decide(context, at, ways, known);
                known.pop();
                if yes == no {
                    return yes;
                }
                self.add(context, KnotKind::Test { condition, yes, no }, false)
            }
            Some(_) | None => self.knot(context, at.2, standing),
        }
    }

    /// Whether the ways that are certain cover the path, and not only: leave no candidate.
    fn is_covered(&mut self, set: SetId, ways: &[Way], known: &[GuardLiteral]) -> bool {
        let certain = |way: &&Way| way.literals.iter().all(|literal| known.contains(literal));
        let mut covering: Vec<_> = ways.iter().filter(certain).map(|way| way.item).collect();
        // With every way of the aims the path is kept, unless it is covered.
        covering.extend(ways.iter().filter(|way| way.item.1 == Role::Aim).map(|way| way.item));
        self.follower.after(set, covering) == Standing::Cut
    }
}

/// Whether the result of a call can be named behind it.
fn stores_in_variable(program: &Program, edge: EdgeId) -> bool {
    match &program.edges[edge].op {
        Op::Call { result: Some(place), .. } => matches!(program.place(*place).kind, PlaceKind::Variable(_)),
        _ => false,
    }
}
