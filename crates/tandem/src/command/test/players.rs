//! Who takes part in making tests: a plan of our own, programs from outside, or both.

use tandem_artifact::plan::Plan;
use tandem_coop::outside::Tool;
use tandem_coop::testing::TestPlan;

use crate::arguments::PlanFormat;
use crate::message::Failure;
use crate::tools;

pub struct Players {
    pub plan: TestPlan,
    outside: Vec<Box<dyn Tool>>,
}

/// Programs from outside that leave tests.
const OUTSIDE: [&str; 3] = ["afl", "libfuzzer", "klee"];

impl Players {
    pub fn named(names: &[String]) -> Result<Players, Failure> {
        let mut players = Players { plan: TestPlan::Outside, outside: Vec::new() };
        let mut all = tools::all(&[]);
        for name in names {
            let makes_tests = OUTSIDE.contains(&name.as_str());
            let place = all.iter().position(|tool| makes_tests && tool.declaration().name == *name);
            match (TestPlan::named(name), place) {
                (Some(_), _) if players.plan != TestPlan::Outside => {
                    let message = format!("`{name}` is a second plan");
                    let help = "one plan, and testers from outside besides, as in --plan cotest,afl";
                    return Err(Failure::file("tandem", message, help));
                }
                (Some(plan), _) => players.plan = plan,
                (None, Some(place)) => players.outside.push(all.remove(place)),
                (None, None) => {
                    let help = format!("--plan accepts {}, {}", TestPlan::NAMES.join(", "), OUTSIDE.join(", "));
                    return Err(Failure::file("tandem", format!("there is no plan or tester `{name}`"), help));
                }
            }
        }
        Ok(players)
    }

    pub fn tools(&self) -> Vec<&dyn Tool> {
        self.outside.iter().map(|tool| &**tool).collect()
    }
}

/// The plan for people, or as a drawing.
pub fn explain(players: &Players, format: PlanFormat) -> String {
    let repeat = |names: &[&str]| Plan::Repeat {
        rounds: 100_000,
        body: Box::new(Plan::Sequence(names.iter().map(|name| Plan::run(name)).collect())),
    };
    let ours = match players.plan {
        TestPlan::Cooperative => Some(repeat(&["tester", "verifier"])),
        TestPlan::Concolic => Some(Plan::run("tester")),
        TestPlan::Conditional => Some(repeat(&["tester with cheap inputs", "tester with solved inputs"])),
        TestPlan::Verifiers => Some(repeat(&["verifier"])),
        TestPlan::Outside => None,
    };
    let names = players.outside.iter().map(|tool| tool.declaration().name);
    let mut all: Vec<Plan> = ours.into_iter().chain(names.map(|name| Plan::run(&name))).collect();
    let plan = if all.len() == 1 { all.remove(0) } else { Plan::Race(all) };
    match format {
        PlanFormat::Dot => plan.dot("tests"),
        PlanFormat::Text => format!("Tests, until every goal is covered or proved unreachable.\n\n{}\n", plan.text()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let named = |names: &[&str]| Players::named(&names.iter().map(ToString::to_string).collect::<Vec<_>>());
        let both = named(&["afl", "cotest"]).unwrap_or_else(|failure| panic!("{}", failure.render()));
        assert_eq!((both.plan, both.tools().len()), (TestPlan::Cooperative, 1));
        let alone = named(&["libfuzzer"]).unwrap_or_else(|failure| panic!("{}", failure.render()));
        assert_eq!((alone.plan, alone.tools().len()), (TestPlan::Outside, 1));
        // Eva leaves no tests, and nobody takes part twice.
        for wrong in [&["cotest", "concolic"][..], &["eva"], &["afl", "afl"], &["nobody"], &[""]] {
            assert!(named(wrong).is_err(), "{wrong:?}");
        }
    }
}
