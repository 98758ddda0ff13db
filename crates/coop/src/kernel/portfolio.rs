//! The default run: analyses that work side by side on one program, tell each other what they know, and take turns where there are fewer threads
//! than members. The first answer counts; answers that have arrived by then are compared with it.

use std::time::{Duration, Instant};

use tandem_analyses::compare::internal_error;
use tandem_analyses::exchange::Membership;
use tandem_analyses::{DEFAULT_RUN_RUNS, Outcome, Task, UndefinedFinding, registry};
use tandem_artifact::Verdict;
use tandem_artifact::plan::{MemberCall, Plan};
use tandem_base::{Budget, Pace};
use tandem_cfa::Program;

use super::board::{Crossing, Exchange, MemberBoard};
use super::conclusion::{compared, undecided};
use super::features::program_features;
use super::scheduler::schedule;
use crate::plans;

/// A member of the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PortfolioMember {
    pub analysis: &'static str,
    /// Its part of the work, in relation to the shares of the others.
    pub share: u32,
    /// It begins when the others have worked for so long, or a thread is free.
    pub after: Duration,
}

/// How the run is made.
#[derive(Clone, Debug)]
pub struct Portfolio {
    pub members: Vec<PortfolioMember>,
    pub exchange: Exchange,
    pub pace: Pace,
}

impl Portfolio {
    /// The members of a plan with the shares that fit the program.
    pub fn for_program(members: &[MemberCall], program: &Program, exchange: Exchange) -> Portfolio {
        let features = program_features(program);
        let member = |member: &MemberCall| {
            let analysis = registry::entry(&member.call.actor)?.name;
            let (share, _) = member.share_for(&features);
            (share > 0).then_some(PortfolioMember { analysis, share, after: member.call.after })
        };
        Portfolio { members: members.iter().filter_map(member).collect(), exchange, pace: Pace::Clock }
    }

    /// The default run for a program.
    pub fn usual(program: &Program, exchange: Exchange) -> Portfolio {
        match plans::named("default").map(|plan| plan.plan) {
            Some(Plan::Cooperate(members)) => Portfolio::for_program(&members, program, exchange),
            Some(_) | None => Portfolio { members: Vec::new(), exchange, pace: Pace::Clock },
        }
    }
}

/// The verdict of the default run.
pub fn verify_by_default(task: Task<'_>, budget: &Budget) -> Outcome {
    verify_by_portfolio(&Portfolio::usual(task.program, Exchange::On), task, budget, |found| found.outcome)
}

/// What came of it.
pub struct PortfolioOutcome {
    pub outcome: Outcome,
    pub crossings: Vec<Crossing>,
    /// The most members that have computed at once.
    pub most_at_work: usize,
}

/// The time for which the delays are made. With less they are shorter, in proportion: all members are to have a try.
const USUAL_TIME: Duration = Duration::from_secs(20);
/// How long the lead waits for members before it looks at the budget.
const PAUSE: Duration = Duration::from_millis(20);

/// Lets the members work until one has the answer. `conclude` gets what came of it at once, also when some members do not hear that it is over;
/// this function returns when they do.
pub fn verify_by_portfolio<C>(
    portfolio: &Portfolio,
    task: Task<'_>,
    budget: &Budget,
    conclude: impl FnOnce(PortfolioOutcome) -> C,
) -> C {
    let finding = UndefinedFinding::default();
    let finding = task.finding.unwrap_or(&finding);
    let board = MemberBoard::new(portfolio.exchange);
    let hurry = budget.left().map_or(1.0, |left| (left.as_secs_f64() / USUAL_TIME.as_secs_f64()).min(1.0));
    let members = portfolio.members.iter().filter(|member| Some(member.analysis) != task.without);
    let members: Vec<PortfolioMember> = members.copied().collect();
    schedule(task.threads, portfolio.pace, budget, |session| {
        for PortfolioMember { analysis, share, after } in &members {
            board.enter();
            let member = Membership { board: &board, name: analysis };
            let run_limit = Some(DEFAULT_RUN_RUNS);
            let task = Task { finding: Some(finding), member: Some(member), run_limit, ..task };
            let board = &board;
            session.begin(analysis, *share, after.mul_f64(hurry), move |budget| {
                let outcome = registry::entry(analysis).map(|entry| entry.verify(task, None, budget));
                board.leave();
                outcome.unwrap_or_else(|| internal_error(analysis, ""))
            });
        }
        // After a bug the member has left without a word.
        let failed = |number: usize| {
            board.leave();
            internal_error(members[number].analysis, "")
        };
        let mut heard = HeardOutcomes::default();
        while heard.answers.is_empty() && session.running() > 0 && budget.stop_reason().is_none() {
            if let Some((number, ended)) = session.next_within(PAUSE) {
                heard.add(ended.or_else(|| failed(number)));
            }
        }
        session.stop();
        // What the others had found until then still counts, if they hear soon.
        let patience = if heard.answers.is_empty() { LAST_WORDS } else { Duration::ZERO };
        let end = Instant::now() + patience;
        while session.running() > 0 {
            let Some((number, ended)) = session.next_within(end.saturating_duration_since(Instant::now())) else {
                break;
            };
            heard.add(ended.or_else(|| failed(number)));
        }
        let HeardOutcomes { answers, others } = heard;
        let mut outcome = compared("default", answers).unwrap_or_else(|| undecided("default", others, budget));
        let crossings = board.crossings();
        outcome.statistics.insert("contributions", crossings.len() as u64);
        let used = crossings.iter().filter(|crossing| !crossing.used_by.is_empty()).count();
        outcome.statistics.insert("contributions used", used as u64);
        outcome.statistics.insert("members at work", session.most_at_work() as u64);
        conclude(PortfolioOutcome { outcome, crossings, most_at_work: session.most_at_work() })
    })
}

/// The outcomes of members that have come to their end.
#[derive(Default)]
struct HeardOutcomes {
    answers: Vec<Outcome>,
    others: Vec<Outcome>,
}

impl HeardOutcomes {
    fn add(&mut self, outcome: Outcome) {
        match outcome.verdict {
            Verdict::True | Verdict::False => self.answers.push(outcome),
            Verdict::Unknown(_) => self.others.push(outcome),
        }
    }
}

/// How long members that have no answer may take to say what they have found, after they were told to stop.
const LAST_WORDS: Duration = Duration::from_millis(400);
