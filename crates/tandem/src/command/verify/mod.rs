//! `tandem verify`: asks an analysis whether the program can reach an error, and says what it answered.

mod ranged;
mod report;

use std::time::Duration;

use tandem_analyses::Task;
use tandem_artifact::{Caveat, ErrorCall, Property};
use tandem_base::{Budget, Problem};

use crate::arguments::{Common, Verify};
use crate::farewell::Farewell;
use crate::input::{self, Input};
use crate::message::{Exit, Failure};
use crate::watch::Watch;
use crate::{artifacts, output, program, progress};
use report::Report;

/// Time to write down what a stopped analysis has found.
const LEAVING: Duration = Duration::from_millis(700);

pub fn run(arguments: &Verify, watch: &Watch, farewell: &Farewell) -> Result<Exit, Failure> {
    let (common, analysis) = (&arguments.common, arguments.analysis());
    if arguments.analyses().len() > 1 && !arguments.is_ranged() {
        let help = "with several analyses, --splitter (lb3, balanced, ...) or --bounds says which paths each works on";
        return Err(Failure::file("tandem", "several analyses, but the paths are not split", help));
    }
    let input = input::load(common)?;
    let property = input.property(common)?;
    let error = error_call(common, &property)?;
    let program = program::build(&input)?;
    if let Some(directory) = &common.output {
        output::prepare(directory)?;
    }
    farewell.attach(progress::line(&arguments.analyses().join(","), common.quiet));
    let available = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = common.threads.map_or(available, usize::from);
    let subject = common.output.as_ref().map(|_| artifacts::subject(&input));
    let task = Task { exchange: subject.as_ref(), ..Task::new(&program, error, threads) };
    let budget = budget_for(common, watch);
    let outcome = if arguments.is_ranged() {
        ranged::run(arguments, task, &input, &budget)?
    } else {
        tandem_analyses::verify(analysis, task, &budget).ok_or_else(|| unknown_analysis(analysis))?
    };
    // The analysis may have seen the clock before the watch did.
    let stopped = watch.reason().or_else(|| budget.exhausted());
    let report = Report { task, property: &property, outcome: &outcome, stopped, start: farewell.start };
    let words = if common.json { format!("{:#}\n", report.json()) } else { report.text() };
    farewell.settle(words, report.exit());
    farewell.attach(None);
    point_at_unsupported(&input, &outcome.caveats);
    if let Some(directory) = &common.output {
        let evidence = artifacts::Evidence { input: &input, property: &property, task, outcome: &outcome };
        let statistics = format!("{:#}\n", report.json());
        if let Err(failure) = artifacts::write(directory, &evidence, &statistics, &watch.budget) {
            // The verdict stands, whether or not it could be written down.
            eprint!("{}", failure.render());
        }
    }
    farewell.say()
}

/// The time for the analysis: who is to leave something behind needs a little of it for that.
fn budget_for(common: &Common, watch: &Watch) -> Budget {
    let mut budget = watch.budget.clone();
    if let (Some(limit), Some(deadline), Some(_)) = (common.time_limit, budget.deadline, &common.output) {
        budget.deadline = deadline.checked_sub((limit / 10).min(LEAVING));
    }
    budget
}

/// The calls that the program must not make.
pub fn error_call<'a>(common: &Common, property: &'a Property) -> Result<&'a ErrorCall, Failure> {
    match property {
        Property::Unreachable(call) => Ok(call),
        Property::Cover(_) => {
            let file = common.file.display().to_string();
            let place = common.property.as_deref().unwrap_or(&file);
            let message = "this property asks for tests that cover something; there is nothing to prove or refute";
            let help =
                "`verify` accepts unreach-call, or a property file with `CHECK( init(main()), LTL(G ! call(NAME())) )`";
            Err(Failure::file(place, message, help))
        }
    }
}

fn unknown_analysis(name: &str) -> Failure {
    let help = format!("accepted are {}", tandem_analyses::NAMES.join(", "));
    Failure::file("tandem", format!("there is no analysis `{name}`"), help)
}

/// Shows the line of each step that is not modelled, on standard error; more than a few would help nobody.
fn point_at_unsupported(input: &Input, caveats: &[Caveat]) {
    let places = caveats.iter().filter_map(|caveat| match caveat {
        Caveat::Undefined { what, at } => Some(Problem::error(*at, format!("undefined behaviour: {what}"))),
        Caveat::Unsupported { what, at } => Some(Problem::error(*at, format!("unsupported: {what}"))),
        Caveat::Solver(_) | Caveat::Bound(_) | Caveat::NotReplayed(_) | Caveat::Imprecise(_) => None,
    });
    for problem in places.take(5) {
        eprint!("{}", input.failure(problem).render_note());
    }
}
