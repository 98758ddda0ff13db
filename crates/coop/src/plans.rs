//! The plans that come with the program.

use std::time::Duration;

use tandem_artifact::format::plan_yaml;
use tandem_artifact::plan::{NamedPlan, Plan, Share};

/// Rounds of component-based CEGAR; the time ends before.
const ROUNDS: u32 = 100_000;

pub const NAMES: &[&str] = &["default", "cc-gia", "cc-wit", "cmc", "invariants", "testify", "parallel"];

/// The default run, as a plan file that is compiled into the program.
const DEFAULT: &str = include_str!("kernel/default.yml");

/// The plan of this name.
pub fn named(name: &str) -> Option<NamedPlan> {
    let (about, plan) = match name {
        // A test reads it, so that it can be read.
        "default" => return plan_yaml::read(DEFAULT).ok(),
        "cc-gia" => (
            "Component-based CEGAR: an explorer of an abstract model, a checker of candidates and a refiner exchange automata.",
            cegar(["explorer", "feasibility", "refiner"]),
        ),
        "cc-wit" => (
            "Component-based CEGAR with witnesses: the same parts, for comparison. What no witness can say is lost.",
            cegar(["witness-explorer", "witness-feasibility", "witness-refiner"]),
        ),
        "cmc" => (
            "Conditional model checking: each analysis works on what those before it have left.",
            Plan::Sequence(vec![Plan::run_for("value", Share::Percent(40)), Plan::run("predicate")]),
        ),
        "invariants" => (
            "A verifier with a helper that finds invariants.",
            Plan::Sequence(vec![Plan::run_for("invariants", Share::Percent(20)), Plan::run("predicate")]),
        ),
        "testify" => (
            "A verifier's alarms, confirmed by a tester.",
            Plan::Repeat {
                rounds: ROUNDS,
                body: Box::new(Plan::Sequence(vec![
                    Plan::run("explorer"),
                    Plan::run_for("confirm", Share::Percent(20)),
                    Plan::run("refiner"),
                ])),
            },
        ),
        "parallel" => ("All analyses side by side; who begins later knows what the others have settled.", parallel()),
        _ => return None,
    };
    Some(NamedPlan { name: name.to_string(), about: about.to_string(), tools: Vec::new(), plan })
}

fn cegar(parts: [&str; 3]) -> Plan {
    let body = Plan::Sequence(parts.iter().map(|part| Plan::run(part)).collect());
    Plan::Repeat { rounds: ROUNDS, body: Box::new(body) }
}

/// Three lanes: who comes later in a lane knows what was settled by then. The third ends early, so that the others have a processor each
/// where there are two.
fn parallel() -> Plan {
    Plan::Race(vec![
        Plan::Sequence(vec![
            Plan::run_for("random", Share::Fixed(Duration::from_millis(500))),
            Plan::run_for("value", Share::Percent(50)),
            Plan::run("predicate"),
        ]),
        Plan::Sequence(vec![
            Plan::run_for("k-induction", Share::Percent(12)),
            Plan::run("bmc"),
            Plan::run("k-induction"),
        ]),
        Plan::run_for("symbolic", Share::Percent(30)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_plan_can_be_read_and_has_its_name() {
        for name in NAMES {
            let plan = named(name).unwrap_or_else(|| panic!("there is no plan {name}"));
            assert_eq!(plan.name, *name);
            assert!(!plan.about.is_empty() && !plan.plan.calls().is_empty());
        }
        assert_eq!(named("default").map(|plan| matches!(plan.plan, Plan::Cooperate(_))), Some(true));
    }

    /// The members of the default run are the analyses that have a share by their entries, with that share where the program has no feature.
    #[test]
    fn shares_of_the_default_run_are_those_of_the_entries() {
        let Some(Plan::Cooperate(members)) = named(tandem_analyses::DEFAULT_RUN).map(|plan| plan.plan) else {
            panic!("the default run is a cooperation")
        };
        for entry in tandem_analyses::ANALYSES {
            let member = members.iter().find(|member| member.call.actor == entry.name);
            assert_eq!(member.map_or(0, |member| member.share), entry.default_share, "{entry:?}");
        }
        assert!(members.iter().all(|member| tandem_analyses::registry::entry(&member.call.actor).is_some()));
    }
}
