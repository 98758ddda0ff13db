//! Plans: where they come from, what they say, and what came of one as the outcome of a verification.

use std::path::Path;

use serde_json::{Value, json};
use tandem_analyses::{Hint, Outcome};
use tandem_artifact::format::plan_yaml;
use tandem_artifact::gia::{Gia, GuardId, guard_formula};
use tandem_artifact::plan::{NamedPlan, Plan};
use tandem_base::{Budget, Problem};
use tandem_cfa::Program;
use tandem_cfa::expression::Names;
use tandem_coop::actors::Company;
use tandem_coop::cooperation::{Cast, Declaration, Entry, Performance, Setting, Size, Tell, check, perform};
use tandem_coop::kernel::Crossing;
use tandem_coop::outside::Outside;
use tandem_coop::plans;

use crate::arguments::{GIA, PlanFormat};
use crate::input::{in_file, read_text};
use crate::message::Failure;
use crate::tools;

/// A plan that makes sense, and who plays in it.
pub struct Script {
    pub plan: NamedPlan,
    pub trust: Vec<String>,
    tools: Outside,
}

impl Script {
    /// The plan of this name, or of this file, or that of a single actor.
    pub fn load(name: &str, trust: &[String], given: Option<&Gia>) -> Result<Script, Failure> {
        let is_file = name.ends_with(".yml") || name.ends_with(".yaml");
        let text = if is_file { Some(read_text(Path::new(name), "a plan (.yml)")?) } else { None };
        let plan = match &text {
            Some(text) => plan_yaml::read(text).map_err(|problem| in_file(Path::new(name), text, problem))?,
            None => plans::named(name).unwrap_or_else(|| alone(name)),
        };
        let in_plan = |problem: Problem| match &text {
            Some(text) if !problem.span.is_none() => in_file(Path::new(name), text, problem),
            Some(_) | None => Failure::file(name, problem.message, problem.help.unwrap_or_default()),
        };
        if let Some(tool) = plan.tools.iter().find(|tool| Company.declaration(&tool.name).is_some()) {
            let message = format!("there is an actor `{}` already", tool.name);
            return Err(in_plan(Problem::error(tool.at, message).help("another name for the tool")));
        }
        let tools = Outside { tools: tools::all(&plan.tools), trust: trust.to_vec() };
        let script = Script { plan, trust: trust.to_vec(), tools };
        if !is_file && plans::named(name).is_none() && script.declaration(name).is_none() {
            return Err(script.unknown(name));
        }
        if let Err(flaw) = check(&script.plan.plan, &script.casts(), given) {
            return Err(in_plan(Problem::error(flaw.at(), flaw.to_string()).help(flaw.help())));
        }
        let strangers = trust.iter().filter(|name| given.is_none() || *name != GIA);
        match strangers.into_iter().find(|stranger| script.declaration(stranger).is_none()) {
            Some(stranger) => Err(script.unknown(stranger)),
            None => Ok(script),
        }
    }

    /// A program from outside that the plan runs, if it does.
    pub fn outsider(&self) -> Option<String> {
        let actors = self.plan.plan.calls().into_iter().map(|call| call.actor.clone());
        actors.into_iter().find(|actor| Company.declaration(actor).is_none())
    }

    /// Who can be asked for.
    fn casts(&self) -> [&dyn Cast; 2] {
        [&Company, &self.tools]
    }

    fn declaration(&self, name: &str) -> Option<Declaration> {
        self.casts().iter().find_map(|cast| cast.declaration(name))
    }

    fn unknown(&self, name: &str) -> Failure {
        let actors: Vec<String> = self.casts().iter().flat_map(|cast| cast.names()).collect();
        let help = format!(
            "accepted are a plan file (.yml), the plans {}, and the actors {}",
            plans::NAMES.join(", "),
            actors.join(", ")
        );
        Failure::file("tandem", format!("there is no plan or actor `{name}`"), help)
    }

    /// The plan for people, or as a drawing.
    pub fn explain(&self, format: PlanFormat) -> String {
        match format {
            PlanFormat::Dot => self.plan.plan.dot(&self.plan.name),
            PlanFormat::Text => {
                let mut text = format!("{}: {}\n\n{}\n", self.plan.name, self.plan.about, self.plan.plan.text());
                let mut said: Vec<&str> = Vec::new();
                for call in self.plan.plan.calls() {
                    if said.contains(&call.actor.as_str()) {
                        continue;
                    }
                    said.push(&call.actor);
                    if let Some(declared) = self.declaration(&call.actor) {
                        let list = |kinds: &[tandem_coop::cooperation::Kind]| {
                            kinds.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
                        };
                        text.push_str(&format!(
                            "{}: {}\n  needs {}; gives {}; {}\n",
                            declared.name,
                            declared.about,
                            list(&declared.needs),
                            list(&declared.gives),
                            declared.approximates
                        ));
                    }
                }
                text
            }
        }
    }

    /// Carries the plan out, and tells on the way what is known.
    pub fn perform(&self, setting: Setting<'_>, given: Option<&Gia>, budget: &Budget, tell: &Tell<'_>) -> Performance {
        perform(&self.plan.plan, &self.casts(), setting, &self.trust, given, budget, tell)
    }
}

/// The plan in which one actor works.
fn alone(actor: &str) -> NamedPlan {
    let about = format!("`{actor}` alone.");
    NamedPlan { name: actor.into(), about, tools: Vec::new(), plan: Plan::run(actor) }
}

/// What a plan found out, in the form of a single analysis.
pub fn outcome(name: &str, performance: &Performance) -> Outcome {
    let known = &performance.known;
    let mut outcome = Outcome::new(name, None, None, Vec::new());
    outcome.verdict = performance.verdict.clone();
    outcome.violation = known.violation.clone();
    outcome.invariants = known.invariants.clone();
    outcome.caveats = performance.caveats.clone();
    outcome.in_bounds = performance.excludes_undefined;
    outcome.gia = Some(known.whole());
    outcome.statistics.insert("pieces of work", performance.journal.len() as u64);
    outcome
}

/// The journal, for programs.
pub fn journal(entries: &[Entry]) -> Value {
    let size = |size: &Size| {
        json!({
            "states": size.states, "transitions": size.transitions,
            "unreachable": size.unreachable, "reached": size.reached, "candidates": size.candidates,
        })
    };
    let entry = |entry: &Entry| {
        json!({
            "actor": entry.actor,
            "began_s": entry.began.as_secs_f64(),
            "took_s": entry.took.as_secs_f64(),
            "got": size(&entry.got),
            "gave": entry.gave.as_ref().map(size),
            "violation": entry.violation,
            "tests": entry.tests,
            "invariants": entry.invariants,
            "predicates": entry.predicates,
            "note": entry.note,
            "caveats": entry.caveats,
            "refused": entry.refused,
            "new": entry.new,
        })
    };
    Value::Array(entries.iter().map(entry).collect())
}

/// What crossed the board of a cooperation, for programs.
pub fn crossings(crossings: &[Crossing]) -> Value {
    let crossing = |crossing: &Crossing| {
        let used =
            |(reader, at): &(&'static str, std::time::Duration)| json!({ "member": reader, "at_s": at.as_secs_f64() });
        json!({
            "number": crossing.number,
            "author": crossing.author,
            "kind": crossing.kind.to_string(),
            "formulas": crossing.formulas,
            "at_s": crossing.posted_at.as_secs_f64(),
            "grounds": crossing.grounds,
            "used_by": crossing.used_by.iter().map(used).collect::<Vec<_>>(),
        })
    };
    json!({ "crossings": crossings.iter().map(crossing).collect::<Vec<_>>() })
}

/// The facts that an automaton has about places, as suggestions; the program gets their expressions.
pub fn hints(program: &mut Program, gia: &Gia) -> Vec<Hint> {
    let names = Names::of(program);
    let mut hints = Vec::new();
    for transition in gia.transitions().iter().filter(|one| one.guard != GuardId::TRUE && !one.edges.is_rest()) {
        for edge in transition.edges.named() {
            for literal in gia.guards().literals(transition.guard) {
                let text = gia.guards().literal_text(*literal);
                if let Ok(formula) = guard_formula(program, &names, *edge, &text) {
                    // What is said behind the first step of a loop may be meant for its head.
                    let step = &program.edges[*edge];
                    for node in [step.target, step.source] {
                        let hint = Hint { node, formula: formula.clone() };
                        if !hints.contains(&hint) {
                            hints.push(hint);
                        }
                    }
                }
            }
        }
    }
    hints
}
