//! Plans: who works on a program, in which order, and what is handed on. Pure data; what an actor is and does is decided elsewhere.

use std::fmt::{self, Write};
use std::time::Duration;

use tandem_base::Span;

/// A plan with its name, and the programs from outside that it brings along.
#[derive(Clone, PartialEq, Debug)]
pub struct NamedPlan {
    pub name: String,
    /// What it is good for, in a sentence.
    pub about: String,
    pub tools: Vec<Tool>,
    pub plan: Plan,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Plan {
    /// One actor works once.
    Run(Call),
    /// One after the other.
    Sequence(Vec<Plan>),
    /// Side by side, until one has the answer. What one finds, those that begin later get.
    Race(Vec<Plan>),
    /// Analyses that work at once, take turns by their shares, and tell each other what they know while they work, until one has the answer.
    Cooperate(Vec<MemberCall>),
    /// Again and again, until several rounds in a row bring nothing new, and so many times at most.
    Repeat {
        rounds: u32,
        body: Box<Plan>,
    },
    Branch {
        when: When,
        then: Box<Plan>,
        otherwise: Box<Plan>,
    },
    /// The paths of the program are split into ranges; the body works on each.
    Split {
        splitter: String,
        ranges: u32,
        body: Box<Plan>,
    },
}

#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    pub actor: String,
    /// Where the plan's text names the actor.
    pub at: Span,
    /// How long it may work.
    pub time: Option<Share>,
    /// How long after the start of the whole it begins.
    pub after: Duration,
}

/// An analysis that cooperates with others.
#[derive(Clone, PartialEq, Debug)]
pub struct MemberCall {
    pub call: Call,
    /// Its part of the work, in relation to the shares of the others. Zero: it takes no part.
    pub share: u32,
    /// Other shares for programs that have a feature; the first that fits counts.
    pub share_with: Vec<(ProgramFeature, u32)>,
}

/// What a cheap look at a program can tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProgramFeature {
    /// No loop and no recursion.
    Straight,
    Loops,
    Recursion,
    Arrays,
    Heap,
    Floats,
    /// More operations than are followed one by one in a moment.
    Large,
    /// Nothing comes from outside.
    NoInputs,
}

impl ProgramFeature {
    pub const ALL: [ProgramFeature; 8] = [
        ProgramFeature::Straight,
        ProgramFeature::Loops,
        ProgramFeature::Recursion,
        ProgramFeature::Arrays,
        ProgramFeature::Heap,
        ProgramFeature::Floats,
        ProgramFeature::Large,
        ProgramFeature::NoInputs,
    ];

    pub fn name(self) -> &'static str {
        match self {
            ProgramFeature::Straight => "straight",
            ProgramFeature::Loops => "loops",
            ProgramFeature::Recursion => "recursion",
            ProgramFeature::Arrays => "arrays",
            ProgramFeature::Heap => "heap",
            ProgramFeature::Floats => "floats",
            ProgramFeature::Large => "large",
            ProgramFeature::NoInputs => "no-inputs",
        }
    }
}

impl MemberCall {
    /// The share for a program with these features, and the feature that it is for, if it is for one.
    pub fn share_for(&self, features: &[ProgramFeature]) -> (u32, Option<ProgramFeature>) {
        let fitting = self.share_with.iter().find(|(feature, _)| features.contains(feature));
        fitting.map_or((self.share, None), |(feature, share)| (*share, Some(*feature)))
    }

    fn words(&self) -> String {
        let mut words = format!("{}, share {}", self.call.words(), self.share);
        for (feature, share) in &self.share_with {
            let _ = write!(words, ", {share} with {}", feature.name());
        }
        words
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Share {
    /// This part, of a hundred, of the time that is left.
    Percent(u32),
    Fixed(Duration),
}

/// What a branch depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    Candidates,
    Tests,
    Invariants,
    Predicates,
    Unreachable,
}

/// A program from outside.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tool {
    pub name: String,
    /// The command, with `{program}`, `{directory}`, `{seconds}`, `{bits}` and `{property}` in the place of what is known only later.
    pub command: Vec<String>,
    /// Text in the output that means that the property holds, or not.
    pub says_true: Vec<String>,
    pub says_false: Vec<String>,
    /// Files that it leaves in `{directory}`.
    pub witness: Option<String>,
    pub tests: Option<String>,
    /// The interval of its start and its end in the plan's text.
    pub at: Span,
}

impl When {
    pub const ALL: [When; 5] = [When::Candidates, When::Tests, When::Invariants, When::Predicates, When::Unreachable];

    pub fn name(self) -> &'static str {
        match self {
            When::Candidates => "candidates",
            When::Tests => "tests",
            When::Invariants => "invariants",
            When::Predicates => "predicates",
            When::Unreachable => "unreachable",
        }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Share::Percent(percent) => write!(f, "{percent}% of the time left"),
            Share::Fixed(time) => write!(f, "at most {} s", time.as_secs_f64()),
        }
    }
}

impl Call {
    pub fn of(actor: &str) -> Call {
        Call { actor: actor.to_string(), at: Span::NONE, time: None, after: Duration::ZERO }
    }

    /// The actor and its conditions, in words.
    fn words(&self) -> String {
        let mut words = self.actor.clone();
        if let Some(time) = self.time {
            let _ = write!(words, ", {time}");
        }
        if !self.after.is_zero() {
            let _ = write!(words, ", from {} s on", self.after.as_secs_f64());
        }
        words
    }
}

impl Plan {
    pub fn run(actor: &str) -> Plan {
        Plan::Run(Call::of(actor))
    }

    pub fn run_for(actor: &str, time: Share) -> Plan {
        Plan::Run(Call { time: Some(time), ..Call::of(actor) })
    }

    pub fn run_after(actor: &str, after: Duration) -> Plan {
        Plan::Run(Call { after, ..Call::of(actor) })
    }

    /// The calls of a plan, in the order of its text.
    pub fn calls(&self) -> Vec<&Call> {
        let mut calls = Vec::new();
        let mut open = vec![self];
        while let Some(plan) = open.pop() {
            match plan {
                Plan::Run(call) => calls.push(call),
                Plan::Cooperate(members) => calls.extend(members.iter().map(|member| &member.call)),
                Plan::Sequence(parts) | Plan::Race(parts) => open.extend(parts.iter().rev()),
                Plan::Repeat { body, .. } | Plan::Split { body, .. } => open.push(body),
                Plan::Branch { then, otherwise, .. } => open.extend([&**otherwise, then]),
            }
        }
        calls
    }

    /// The plan as an indented list.
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.write(0, &mut text);
        text
    }

    fn write(&self, depth: usize, text: &mut String) {
        let indent = "  ".repeat(depth);
        match self {
            Plan::Run(call) => drop(writeln!(text, "{indent}{}", call.words())),
            Plan::Sequence(parts) => {
                let _ = writeln!(text, "{indent}one after the other:");
                parts.iter().for_each(|part| part.write(depth + 1, text));
            }
            Plan::Race(parts) => {
                let _ = writeln!(text, "{indent}side by side, until one has the answer:");
                parts.iter().for_each(|part| part.write(depth + 1, text));
            }
            Plan::Cooperate(members) => {
                let _ = writeln!(text, "{indent}in cooperation, until one has the answer:");
                for member in members {
                    let _ = writeln!(text, "{indent}  {}", member.words());
                }
            }
            Plan::Repeat { rounds, body } => {
                let _ = writeln!(text, "{indent}until nothing new comes, at most {rounds} times:");
                body.write(depth + 1, text);
            }
            Plan::Branch { when, then, otherwise } => {
                let _ = writeln!(text, "{indent}if there are {}:", when.name());
                then.write(depth + 1, text);
                let _ = writeln!(text, "{indent}else:");
                otherwise.write(depth + 1, text);
            }
            Plan::Split { splitter, ranges, body } => {
                let _ = writeln!(text, "{indent}on each of {ranges} ranges of paths, split by {splitter}:");
                body.write(depth + 1, text);
            }
        }
    }

    /// The plan as a drawing, in the dot language.
    pub fn dot(&self, name: &str) -> String {
        let mut drawing = Drawing { text: String::new(), nodes: 0 };
        let start = drawing.node("start", "circle");
        let last = drawing.plan(self, vec![start]);
        let end = drawing.node("verdict", "doublecircle");
        drawing.link(&last, end, "");
        let name = name.replace(['"', '\\'], "_");
        format!("digraph \"{name}\" {{\n  rankdir=LR;\n  node [shape=box];\n{}}}\n", drawing.text)
    }
}

struct Drawing {
    text: String,
    nodes: usize,
}

impl Drawing {
    fn node(&mut self, label: &str, shape: &str) -> usize {
        let label = label.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(self.text, "  n{} [label=\"{label}\", shape={shape}];", self.nodes);
        self.nodes += 1;
        self.nodes - 1
    }

    fn link(&mut self, from: &[usize], to: usize, label: &str) {
        for node in from {
            let _ = writeln!(self.text, "  n{node} -> n{to} [label=\"{label}\"];");
        }
    }

    /// Draws a plan behind these nodes; the nodes it ends with.
    fn plan(&mut self, plan: &Plan, before: Vec<usize>) -> Vec<usize> {
        match plan {
            Plan::Run(call) => {
                let node = self.node(&call.words(), "box");
                self.link(&before, node, "");
                vec![node]
            }
            Plan::Sequence(parts) => parts.iter().fold(before, |before, part| self.plan(part, before)),
            Plan::Race(parts) => {
                let fork = self.node("side by side", "diamond");
                self.link(&before, fork, "");
                parts.iter().flat_map(|part| self.plan(part, vec![fork])).collect()
            }
            Plan::Cooperate(members) => {
                let board = self.node("board", "cylinder");
                self.link(&before, board, "");
                let nodes: Vec<usize> = members
                    .iter()
                    .map(|member| {
                        let node = self.node(&member.words(), "box");
                        let _ = writeln!(self.text, "  n{board} -> n{node} [dir=both];");
                        node
                    })
                    .collect();
                nodes
            }
            Plan::Repeat { rounds, body } => {
                let head = self.node(&format!("until nothing new comes, at most {rounds} times"), "diamond");
                self.link(&before, head, "");
                let last = self.plan(body, vec![head]);
                self.link(&last, head, "again");
                vec![head]
            }
            Plan::Branch { when, then, otherwise } => {
                let head = self.node(&format!("{}?", when.name()), "diamond");
                self.link(&before, head, "");
                let mut last = self.plan(then, vec![head]);
                last.extend(self.plan(otherwise, vec![head]));
                last
            }
            Plan::Split { splitter, ranges, body } => {
                let head = self.node(&format!("{ranges} ranges by {splitter}"), "diamond");
                self.link(&before, head, "");
                self.plan(body, vec![head])
            }
        }
    }
}
