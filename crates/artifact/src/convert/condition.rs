//! Condition automata: what is verified already, by the texts of steps.
//!
//! Texts may match several edges of ours. Where an edge has no text of its own, what is said about it is left out: an automaton that
//! says less is as correct.

use std::collections::HashMap;

use tandem_base::{Id, IdVec, Span};
use tandem_cfa::{EdgeId, Op, Program};

use super::Converted;
use super::violation::{Conditions, finished};
use crate::format::condition_spc::{ConditionAutomaton, ConditionState, OPEN, Rule, Trigger, VERIFIED};
use crate::gia::{EdgeSet, Gia, GiaBuilder, GuardId, Mark, StateId, Subject, Target, Transition, is_path_step, words};

/// Whether to believe what a condition automaton calls verified.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trust {
    /// What is called verified is no fact: a hash in a file proves nothing about who wrote it.
    Nobody,
    Everybody,
}

/// The text of each step, with its line.
struct Texts {
    of: IdVec<EdgeId, Option<(u32, String)>>,
    edges: HashMap<(u32, String), Vec<EdgeId>>,
}

impl Texts {
    fn new(program: &Program) -> Texts {
        let mut of = IdVec::new();
        let mut edges: HashMap<(u32, String), Vec<EdgeId>> = HashMap::new();
        for edge in program.edges.ids() {
            let text = text_of(program, edge);
            if let Some(text) = &text {
                edges.entry(text.clone()).or_default().push(edge);
            }
            of.push(text);
        }
        Texts { of, edges }
    }

    /// The trigger for an edge that is the only one with its text and line.
    fn trigger(&self, edge: EdgeId) -> Option<Trigger> {
        let key = self.of[edge].as_ref()?;
        let is_only = self.edges.get(key).is_some_and(|edges| edges.len() == 1);
        is_only.then(|| Trigger::And(vec![Trigger::Lines(vec![key.0]), Trigger::Text(key.1.clone())]))
    }

    fn matched(&self, trigger: &Trigger) -> EdgeSet {
        let having = |fits: &dyn Fn(&(u32, String)) -> bool| {
            let all = self.of.enumerate().filter(|(_, text)| text.as_ref().is_some_and(fits));
            EdgeSet::these(all.map(|(edge, _)| edge))
        };
        match trigger {
            Trigger::Any => EdgeSet::all(),
            Trigger::Text(wanted) => having(&|(_, text)| text == wanted),
            Trigger::Lines(lines) => having(&|(line, _)| lines.contains(line)),
            Trigger::Not(inner) => complement(&self.matched(inner)),
            Trigger::And(parts) => parts.iter().fold(EdgeSet::all(), |set, part| set.intersect(&self.matched(part))),
        }
    }
}

fn complement(set: &EdgeSet) -> EdgeSet {
    match set.is_rest() {
        true => EdgeSet::these(set.named().iter().copied()),
        false => EdgeSet::all_but(set.named().iter().copied()),
    }
}

/// A branch as `[condition]` or `[!(condition)]`, other steps as the statement they come from.
fn text_of(program: &Program, edge: EdgeId) -> Option<(u32, String)> {
    let content = &program.edges[edge];
    if content.span.is_none() || !is_path_step(program, edge) {
        return None;
    }
    let slice = |span: Span| String::from_utf8(program.source.slice(span).to_vec()).ok();
    let line = program.source.position(content.span.lo).line;
    let text = match content.op {
        Op::Assume { truth, .. } => {
            let text = slice(content.span)?;
            if truth { format!("[{text}]") } else { format!("[!({text})]") }
        }
        Op::Skip
        | Op::Assign { .. }
        | Op::Call { .. }
        | Op::Return { .. }
        | Op::Declare(_)
        | Op::Unsupported { .. } => {
            let around = program.statements.iter().map(|statement| statement.span);
            let around = around.filter(|span| span.contains(content.span)).min_by_key(|span| span.hi - span.lo);
            slice(around.unwrap_or(content.span))?
        }
    };
    Some((line, text.replace('`', "")))
}

/// What is unreachable, as a condition automaton. Everything else is open.
pub fn condition_of(gia: &Gia, program: &Program) -> Converted<ConditionAutomaton> {
    let texts = Texts::new(program);
    let mut lost = Vec::new();
    if gia.has(Mark::Reached) || gia.has(Mark::Candidate) {
        lost.push("what is reached and what is a candidate".to_string());
    }
    let useful = leads_to_verified(gia);
    let name = |state: StateId| match gia.mark(state) {
        Some(Mark::Unreachable) => VERIFIED.to_string(),
        Some(Mark::Candidate) | None if useful[state] => format!("ARG{}", state.index()),
        Some(Mark::Reached | Mark::Candidate) | None => OPEN.to_string(),
    };
    let rule = |trigger, assume: Vec<String>, goto: &str| Rule { trigger, assume, goto: goto.into(), span: Span::NONE };
    let mut states = vec![
        ConditionState { name: VERIFIED.into(), use_all: false, rules: vec![rule(Trigger::Any, vec![], VERIFIED)] },
        ConditionState {
            name: OPEN.into(),
            use_all: false,
            rules: vec![rule(Trigger::Any, vec!["false".into()], OPEN)],
        },
    ];
    let written = |state: &StateId| useful[*state] && !gia.mark(*state).is_some_and(Mark::is_settled);
    for state in gia.states().ids().filter(written) {
        let mut writer = StateWriter {
            gia,
            useful: &useful,
            texts: &texts,
            rules: Vec::new(),
            handled: Vec::new(),
            lost: &mut lost,
        };
        writer.transitions(state, &name);
        let rules = std::mem::take(&mut writer.rules);
        states.push(ConditionState { name: name(state), use_all: true, rules });
    }
    let program = Some(gia.subject.identity.hash());
    let value = ConditionAutomaton { program, initial: name(Gia::INITIAL), states };
    Converted { value, lost }
}

/// The states from which a run can come to what is unreachable.
fn leads_to_verified(gia: &Gia) -> IdVec<StateId, bool> {
    let mut before: IdVec<StateId, Vec<StateId>> = IdVec::filled(Vec::new(), gia.states().len());
    for step in gia.transitions() {
        before[step.target].push(step.source);
    }
    let mut useful = IdVec::filled(false, gia.states().len());
    let mut open: Vec<StateId> = gia.states().ids().collect();
    open.retain(|state| gia.mark(*state) == Some(Mark::Unreachable));
    while let Some(state) = open.pop() {
        if !std::mem::replace(&mut useful[state], true) {
            open.extend(&before[state]);
        }
    }
    useful
}

struct StateWriter<'a> {
    gia: &'a Gia,
    useful: &'a IdVec<StateId, bool>,
    texts: &'a Texts,
    rules: Vec<Rule>,
    handled: Vec<Trigger>,
    lost: &'a mut Vec<String>,
}

impl StateWriter<'_> {
    /// At most one transition for each edge: a reader that meets two would have to follow both.
    fn transitions(&mut self, state: StateId, name: &impl Fn(StateId) -> String) {
        let mut taken: Vec<EdgeId> = Vec::new();
        let useful = self.gia.from(state).iter().filter(|step| self.useful[step.target]);
        let (rest, mut named): (Vec<&Transition>, Vec<&Transition>) = useful.partition(|step| step.edges.is_rest());
        // What asks for nothing covers more.
        named.sort_by_key(|step| self.gia.label(step) != [GuardId::TRUE, GuardId::TRUE]);
        for step in named {
            for edge in step.edges.named() {
                match (taken.contains(edge), self.texts.trigger(*edge)) {
                    (false, Some(trigger)) => {
                        taken.push(*edge);
                        self.rule(step, trigger, name);
                    }
                    (true, _) => self.lost.push("one of several transitions for one edge".to_string()),
                    (_, None) => self.lost.push("a transition for an edge that has no text of its own".to_string()),
                }
            }
        }
        if let Some(step) = rest.first() {
            let excluded = step.edges.named().iter().filter(|edge| !taken.contains(edge));
            let excluded: Option<Vec<Trigger>> = excluded.map(|edge| self.texts.trigger(*edge)).collect();
            match excluded {
                Some(excluded) => {
                    for trigger in excluded {
                        self.rules.push(open(trigger.clone()));
                        self.handled.push(trigger);
                    }
                    let others = self.others();
                    self.rule(step, others, name);
                    return;
                }
                None => {
                    self.lost.push("a transition for all edges but some that have no text of their own".to_string())
                }
            }
        }
        let others = self.others();
        self.rules.push(open(others));
    }

    fn others(&self) -> Trigger {
        match &self.handled[..] {
            [] => Trigger::Any,
            handled => Trigger::And(handled.iter().map(|trigger| Trigger::Not(Box::new(trigger.clone()))).collect()),
        }
    }

    fn rule(&mut self, step: &Transition, trigger: Trigger, name: &impl Fn(StateId) -> String) {
        let mut conditions: Vec<String> =
            self.gia.label(step).iter().flat_map(|guard| words(self.gia, *guard)).collect();
        conditions.dedup();
        if conditions.iter().any(|text| text.contains(['{', '}', ';', '\n'])) {
            self.lost.push("a condition that the format has no way to write".to_string());
            self.handled.push(trigger.clone());
            self.rules.push(open(trigger));
            return;
        }
        if !conditions.is_empty() {
            let negation = match &conditions[..] {
                [one] => format!("!({one})"),
                all => {
                    let all: Vec<String> = all.iter().map(|text| format!("({text})")).collect();
                    format!("!({})", all.join(" && "))
                }
            };
            self.rules.push(Rule { assume: vec![negation], ..open(trigger.clone()) });
        }
        self.handled.push(trigger.clone());
        self.rules.push(Rule { trigger, assume: conditions, goto: name(step.target), span: Span::NONE });
    }
}

fn open(trigger: Trigger) -> Rule {
    Rule { trigger, assume: Vec::new(), goto: OPEN.to_string(), span: Span::NONE }
}

/// What a condition automaton says: verified is unreachable, if it is to be believed; else what it leaves open is a candidate.
pub fn gia_of_condition(
    program: &Program,
    subject: Subject,
    targets: Vec<Target>,
    automaton: &ConditionAutomaton,
    trust: Trust,
) -> Converted<Gia> {
    let is_believed = trust == Trust::Everybody;
    let mut reader = ConditionReader {
        texts: Texts::new(program),
        conditions: Conditions::new(program),
        builder: GiaBuilder::new(subject, targets),
        states: HashMap::new(),
        is_believed,
        lost: Vec::new(),
    };
    reader.state(&automaton.initial);
    for state in &automaton.states {
        reader.state(&state.name);
    }
    for state in &automaton.states {
        reader.rules(state);
    }
    finished(reader.builder, reader.lost)
}

struct ConditionReader {
    texts: Texts,
    conditions: Conditions,
    builder: GiaBuilder,
    states: HashMap<String, StateId>,
    is_believed: bool,
    lost: Vec<String>,
}

impl ConditionReader {
    fn state(&mut self, name: &str) -> StateId {
        if let Some(state) = self.states.get(name) {
            return *state;
        }
        let mark = match name {
            VERIFIED if self.is_believed => Some(Mark::Unreachable),
            OPEN if !self.is_believed => Some(Mark::Candidate),
            _ => None,
        };
        let state = self.builder.named(name, GuardId::TRUE, mark);
        self.states.insert(name.to_string(), state);
        state
    }

    fn rules(&mut self, state: &ConditionState) {
        if state.name == VERIFIED || state.name == OPEN {
            return;
        }
        let source = self.state(&state.name);
        // A text that we do not know would fall to the rules for all the rest.
        let is_understood = state.rules.iter().all(|rule| self.is_known(&rule.trigger));
        let mut left = EdgeSet::all();
        for rule in &state.rules {
            let mut edges = self.texts.matched(&rule.trigger);
            if !state.use_all {
                edges = edges.intersect(&left);
                left = left.intersect(&complement(&self.texts.matched(&rule.trigger)));
            }
            if edges.is_empty() {
                continue;
            }
            if edges.is_rest() && !is_understood && self.is_believed {
                self.lost.push(format!("what holds for other steps in state {}: a text matches no step", state.name));
                continue;
            }
            self.rule(source, edges, rule);
        }
    }

    fn is_known(&self, trigger: &Trigger) -> bool {
        match trigger {
            Trigger::Any => true,
            Trigger::Text(_) | Trigger::Lines(_) => !self.texts.matched(trigger).is_empty(),
            Trigger::Not(inner) => self.is_known(inner),
            Trigger::And(parts) => {
                parts.iter().all(|part| self.is_known(part)) && !self.texts.matched(trigger).is_empty()
            }
        }
    }

    fn rule(&mut self, source: StateId, edges: EdgeSet, rule: &Rule) {
        let mut guard = GuardId::TRUE;
        for text in rule.assume.iter().filter(|text| *text != "true") {
            let is_usable = !edges.is_rest() && self.conditions.mean(text, edges.named());
            if !is_usable && self.is_believed && rule.goto != OPEN {
                self.lost.push(format!("a rule with the condition `{text}`, which means nothing there"));
                return;
            }
            if is_usable {
                let one = self.builder.guards().text(text);
                guard = self.builder.guards().and(guard, one);
            }
        }
        let target = self.state(&rule.goto);
        self.builder.transition(source, edges, guard, target);
    }
}
