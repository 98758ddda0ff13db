//! What is to be covered: goals, each reached as soon as one of its edges is taken.
//!
//! The branches are those that the test executor of the competition counts: both sides of each `if` and `?:`, the inside of each
//! `while` and `for`, the place behind each loop, each `case` and `default`. Like there, what a compiler drops at once is no goal: the
//! other side of a constant condition, code that no path of the graph leads to. The labels of a `switch` are goals in any case. An `else` with
//! nothing but another `if` is none: whoever gets there takes a side of that.

use std::collections::{BTreeMap, BTreeSet};

use tandem_artifact::convert::{error_targets, targets_of};
use tandem_artifact::gia::{Target, is_path_step};
use tandem_artifact::{ErrorCall, Goals, Property};
use tandem_base::Span;
use tandem_cfa::{Callee, Decision, DecisionId, DecisionKind, EdgeId, NodeId, Op, Program};

/// Which goals a program has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Criterion {
    Branches,
    Statements,
    Conditions,
    ErrorCall(ErrorCall),
    Calls,
}

/// Something to be covered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Goal {
    pub name: String,
    /// In the order of their ids.
    pub edges: Vec<EdgeId>,
    /// The part of the source it is about.
    pub span: Span,
    /// Which side of it: shown to people.
    pub side: &'static str,
}

impl Criterion {
    /// The names that [`Criterion::named`] knows.
    pub const NAMES: [&str; 5] = ["branches", "statements", "conditions", "error-call", "calls"];

    pub fn named(name: &str, error: &ErrorCall) -> Option<Criterion> {
        Some(match name {
            "branches" => Criterion::Branches,
            "statements" => Criterion::Statements,
            "conditions" => Criterion::Conditions,
            "error-call" => Criterion::ErrorCall(error.clone()),
            "calls" => Criterion::Calls,
            _ => return None,
        })
    }

    pub fn of_property(property: &Property) -> Option<Criterion> {
        match property {
            Property::Cover(Goals::Branches) => Some(Criterion::Branches),
            Property::Cover(Goals::Conditions) => Some(Criterion::Conditions),
            Property::Cover(Goals::Statements) => Some(Criterion::Statements),
            Property::Cover(Goals::ErrorCall(call)) => Some(Criterion::ErrorCall(call.clone())),
            Property::Cover(Goals::Query(_)) | Property::Unreachable(_) => None,
        }
    }

    /// The property that a suite for this criterion is about.
    pub fn property(&self) -> Property {
        Property::Cover(match self {
            Criterion::Branches => Goals::Branches,
            Criterion::Statements => Goals::Statements,
            Criterion::Conditions => Goals::Conditions,
            Criterion::ErrorCall(call) => Goals::ErrorCall(call.clone()),
            Criterion::Calls => Goals::Query("COVER EDGES(@CALL)".into()),
        })
    }
}

/// The goals of a program, in the order of the source.
pub fn goals(program: &Program, criterion: &Criterion) -> Vec<Goal> {
    let mut goals = match criterion {
        Criterion::Branches => Branches::of(program).goals(),
        Criterion::Statements => statements(program),
        Criterion::Conditions => conditions(program),
        Criterion::ErrorCall(call) => error_call(program, call),
        Criterion::Calls => calls(program),
    };
    for goal in &mut goals {
        goal.edges.sort_unstable();
        goal.edges.dedup();
    }
    goals.sort_by_key(|goal| goal.span.lo);
    goals
}

/// The calls that end a run when something else than an error is looked for: error functions without a body. One that has a body does what
/// its body says.
pub fn ending_errors(program: &Program) -> ErrorCall {
    let usual = ErrorCall::Usual;
    let has_body =
        |name: &str| program.functions.iter().any(|function| &*function.name == name && function.body.is_some());
    let mut without: Vec<&str> = usual.functions();
    let all = without.len();
    without.retain(|name| !has_body(name));
    match without.first() {
        _ if without.len() == all => ErrorCall::Usual,
        Some(name) => ErrorCall::Function((*name).into()),
        // A name that no function has.
        None => ErrorCall::Function("".into()),
    }
}

/// The goals as targets of exchange automata.
pub fn targets(goals: &[Goal]) -> Vec<Target> {
    goals.iter().map(|goal| Target { name: goal.name.clone(), edges: goal.edges.clone() }).collect()
}

fn name(program: &Program, span: Span, what: &str) -> String {
    let position = program.source.position(span.lo);
    format!("{}:{} {what}", position.line, position.column)
}

struct Branches<'a> {
    program: &'a Program,
    /// The edges that settle each outcome of each decision.
    settling: BTreeMap<(DecisionId, u32), Vec<EdgeId>>,
    /// Statements by where they begin.
    starts: BTreeMap<u32, (Span, NodeId)>,
    /// Loops and switches, by where they begin: what a `break` leaves.
    breakable: Vec<Span>,
    into: BTreeMap<NodeId, Vec<EdgeId>>,
}

impl<'a> Branches<'a> {
    fn of(program: &'a Program) -> Branches<'a> {
        let mut settling: BTreeMap<(DecisionId, u32), Vec<EdgeId>> = BTreeMap::new();
        let mut into: BTreeMap<NodeId, Vec<EdgeId>> = BTreeMap::new();
        for (id, edge) in program.edges.enumerate() {
            if let Some(outcome) = edge.outcome {
                settling.entry(outcome).or_default().push(id);
            }
            into.entry(edge.target).or_default().push(id);
        }
        let starts = program.statements.iter().map(|start| (start.span.lo, (start.span, start.node))).collect();
        let switches = program.decisions.iter().filter(|decision| decision.kind == DecisionKind::Switch);
        let loops = program.functions.iter().filter_map(|function| function.body.as_ref());
        let mut breakable: Vec<Span> = switches.map(|decision| decision.statement).collect();
        breakable.extend(loops.flat_map(|body| body.loops.iter().map(|each| each.span)));
        Branches { program, settling, starts, breakable, into }
    }

    fn goals(&self) -> Vec<Goal> {
        let mut goals = Vec::new();
        let mut decided: BTreeSet<u32> = BTreeSet::new();
        let chained = self.chained();
        for (id, decision) in self.program.decisions.enumerate() {
            if self.program.functions[decision.function].is_library {
                continue;
            }
            match decision.kind {
                DecisionKind::If | DecisionKind::Conditional => {
                    goals.push(self.goal(decision.span, "true", self.settled(id, 1)));
                    if !chained.contains(&id) {
                        goals.push(self.goal(decision.span, "false", self.settled(id, 0)));
                    }
                }
                DecisionKind::While | DecisionKind::For => {
                    decided.insert(decision.statement.lo);
                    goals.push(self.goal(decision.span, "inside", self.settled(id, 1)));
                    goals.push(self.goal(
                        decision.span,
                        "behind",
                        self.behind(decision.statement, self.settled(id, 0)),
                    ));
                }
                DecisionKind::DoWhile => {
                    decided.insert(decision.statement.lo);
                    goals.push(self.goal(
                        decision.span,
                        "behind",
                        self.behind(decision.statement, self.settled(id, 0)),
                    ));
                }
                DecisionKind::Switch => self.cases(id, decision, &mut goals),
                DecisionKind::Logical | DecisionKind::Computed => {}
            }
        }
        self.endless_loops(&decided, &mut goals);
        goals.retain(|goal| !goal.edges.is_empty() || matches!(goal.side, "case" | "default"));
        goals
    }

    fn goal(&self, span: Span, side: &'static str, edges: Vec<EdgeId>) -> Goal {
        Goal { name: name(self.program, span, side), edges, span, side }
    }

    /// Those whose `else` is just another `if`.
    fn chained(&self) -> BTreeSet<DecisionId> {
        let ifs = self.program.decisions.enumerate().filter(|(_, decision)| decision.kind == DecisionKind::If);
        // Statements with the same end are within each other, and an `else` belongs to the innermost around it.
        let mut ends: Vec<(u32, u32, DecisionId)> =
            ifs.map(|(id, each)| (each.statement.hi, each.statement.lo, id)).collect();
        ends.sort_unstable();
        let is_else = |at: u32| {
            let before = self.program.source.text().get(..at as usize).unwrap_or_default().trim_ascii_end();
            before.ends_with(b"else") && !before.ends_with(b"_else")
        };
        let pairs = ends.windows(2).filter(|pair| pair[0].0 == pair[1].0 && is_else(pair[1].1));
        pairs.map(|pair| pair[0].2).collect()
    }

    fn settled(&self, decision: DecisionId, outcome: u32) -> Vec<EdgeId> {
        self.settling.get(&(decision, outcome)).cloned().unwrap_or_default()
    }

    /// `for` loops without a condition are no decisions.
    fn endless_loops(&self, decided: &BTreeSet<u32>, goals: &mut Vec<Goal>) {
        let functions = self.program.functions.iter().filter(|function| !function.is_library);
        for body in functions.filter_map(|function| function.body.as_ref()) {
            for each in body.loops.iter().filter(|each| !decided.contains(&each.span.lo)) {
                let word = Span::new(each.span.lo, each.span.lo + 3);
                let inside = match self.program.nodes.get(each.head) {
                    Some(node) => node.out.iter().collect(),
                    None => Vec::new(),
                };
                goals.push(self.goal(word, "inside", inside));
                goals.push(self.goal(word, "behind", self.behind(each.span, Vec::new())));
            }
        }
    }

    /// The edges that lead behind a loop: those that end it, and those before a `break`.
    fn behind(&self, statement: Span, mut edges: Vec<EdgeId>) -> Vec<EdgeId> {
        let inside = |span: Span| statement.lo <= span.lo && span.hi <= statement.hi;
        let is_own = |at: u32| self.innermost(at) == Some(statement.lo);
        let breaks = self
            .starts
            .range(statement.lo..statement.hi)
            .filter(|(at, (span, _))| self.begins_with(*span, "break") && is_own(**at));
        let nodes: BTreeSet<NodeId> = breaks.map(|(_, (_, node))| *node).collect();
        for node in nodes {
            let before = self.into.get(&node).into_iter().flatten();
            let own: Vec<EdgeId> = before.copied().filter(|edge| inside(self.program.edges[*edge].span)).collect();
            if own.is_empty() {
                // The `break` is the first thing in the loop: whoever enters leaves.
                edges.extend(self.program.nodes.get(node).into_iter().flat_map(|node| node.out.iter()));
            }
            edges.extend(own);
        }
        edges
    }

    /// Where the innermost loop or switch around a place begins.
    fn innermost(&self, at: u32) -> Option<u32> {
        let around = self.breakable.iter().filter(|span| span.lo < at && at < span.hi);
        around.max_by_key(|span| span.lo).map(|span| span.lo)
    }

    fn begins_with(&self, span: Span, word: &str) -> bool {
        let text = self.program.source.text();
        text.get(span.lo as usize..).is_some_and(|rest| rest.starts_with(word.as_bytes()))
    }

    /// One goal for each label of a switch, also reached from the statements before it.
    fn cases(&self, id: DecisionId, decision: &Decision, goals: &mut Vec<Goal>) {
        let count = decision.outcomes.saturating_sub(1);
        if (0..=count).all(|outcome| self.settled(id, outcome).is_empty()) {
            return;
        }
        let inside = |span: Span| decision.span.hi < span.lo && span.hi <= decision.statement.hi;
        let labels: Vec<(Span, NodeId, bool)> = self
            .starts
            .range(decision.span.hi..decision.statement.hi)
            .filter(|(at, _)| self.innermost_switch(**at) == Some(decision.statement.lo))
            .filter_map(|(_, (span, node))| {
                let is_default = self.begins_with(*span, "default");
                (is_default || self.begins_with(*span, "case")).then_some((*span, *node, is_default))
            })
            .collect();
        // A switch over a constant has one edge, and labels that nothing leads to are not among the statements.
        let hit = (0..=count).flat_map(|outcome| self.settled(id, outcome));
        let hit: Vec<EdgeId> = hit.filter(|edge| self.program.edges[*edge].op == Op::Skip).collect();
        let mut number = 0;
        let mut earlier: Vec<(NodeId, Vec<EdgeId>)> = Vec::new();
        let has_default = labels.iter().any(|(_, _, is_default)| *is_default);
        for (span, node, is_default) in labels {
            let own = match hit.first() {
                Some(_) => hit.iter().copied().filter(|edge| self.program.edges[*edge].target == node).collect(),
                None => self.settled(id, if is_default { count } else { number }),
            };
            number += u32::from(!is_default);
            let mut edges = own.clone();
            edges.extend(earlier.iter().filter(|(other, _)| *other == node).flat_map(|(_, edges)| edges));
            let before = self.into.get(&node).into_iter().flatten();
            edges.extend(before.filter(|edge| inside(self.program.edges[**edge].span)));
            earlier.push((node, own));
            goals.push(self.goal(span, if is_default { "default" } else { "case" }, edges));
        }
        if !hit.is_empty() {
            (number..count).for_each(|_| goals.push(self.goal(decision.span, "case", Vec::new())));
            if !has_default && self.mentions_default(decision.statement) {
                goals.push(self.goal(decision.span, "default", Vec::new()));
            }
        }
    }

    fn mentions_default(&self, statement: Span) -> bool {
        let text = String::from_utf8_lossy(self.program.source.slice(statement)).into_owned();
        text.match_indices("default").any(|(at, word)| text[at + word.len()..].trim_start().starts_with(':'))
    }

    fn innermost_switch(&self, at: u32) -> Option<u32> {
        let switches = self.program.decisions.iter().filter(|decision| decision.kind == DecisionKind::Switch);
        let around = switches.filter(|decision| decision.statement.lo < at && at < decision.statement.hi);
        around.map(|decision| decision.statement.lo).max()
    }
}

/// One goal for each statement that does something.
fn statements(program: &Program) -> Vec<Goal> {
    let own = program.statements.iter().filter(|start| match program.nodes.get(start.node) {
        Some(node) => !program.functions[node.function].is_library,
        None => true,
    });
    own.map(|start| {
        let out: Vec<EdgeId> = program.nodes.get(start.node).into_iter().flat_map(|node| node.out.iter()).collect();
        let inside = |edge: &EdgeId| {
            let span = program.edges[*edge].span;
            start.span.lo <= span.lo && span.hi <= start.span.hi
        };
        let edges: Vec<EdgeId> = out.iter().copied().filter(inside).collect();
        // A jump has no edge of its own: it is done by whoever comes to its place.
        let edges = if edges.is_empty() { out } else { edges };
        Goal { name: name(program, start.span, "statement"), edges, span: start.span, side: "statement" }
    })
    .filter(|goal| !goal.edges.is_empty())
    .collect()
}

fn conditions(program: &Program) -> Vec<Goal> {
    let targets = targets_of(program, &Property::Cover(Goals::Conditions)).unwrap_or_default();
    let goal = |target: Target| {
        let edge = &program.edges[*target.edges.first()?];
        let side = match edge.op {
            Op::Assume { truth: true, .. } => "true",
            _ => "false",
        };
        let span = edge.condition.map_or(edge.span, |condition| program.conditions[condition].span);
        Some(Goal { name: name(program, span, side), edges: target.edges, span, side })
    };
    targets.into_iter().filter_map(goal).collect()
}

/// One goal: any call of an error function.
fn error_call(program: &Program, call: &ErrorCall) -> Vec<Goal> {
    let targets = error_targets(program, call);
    let edges: Vec<EdgeId> = targets.iter().flat_map(|target| target.edges.iter().copied()).collect();
    let edges: Vec<EdgeId> = edges.into_iter().filter(|edge| is_path_step(program, *edge)).collect();
    let span = edges.first().map_or(Span::NONE, |edge| program.edges[*edge].span);
    match edges.first() {
        Some(_) => vec![Goal { name: name(program, span, "error call"), edges, span, side: "call" }],
        None => Vec::new(),
    }
}

fn calls(program: &Program) -> Vec<Goal> {
    let is_call = |edge: EdgeId| match &program.edges[edge].op {
        Op::Call { callee: Callee::Direct(_) | Callee::Pointer(_), .. } => is_path_step(program, edge),
        _ => false,
    };
    let mut by_place: BTreeMap<(u32, u32), Vec<EdgeId>> = BTreeMap::new();
    for edge in program.edges.ids().filter(|edge| is_call(*edge)) {
        let span = program.edges[edge].span;
        by_place.entry((span.lo, span.hi)).or_default().push(edge);
    }
    let goal = |((lo, hi), edges)| {
        let span = Span::new(lo, hi);
        Goal { name: name(program, span, "call"), edges, span, side: "call" }
    };
    by_place.into_iter().map(goal).collect()
}
