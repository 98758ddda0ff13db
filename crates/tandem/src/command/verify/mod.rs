//! `tandem verify`: asks an analysis whether the program can reach an error, and says what it answered.

mod comparison;
mod elsewhere;
mod ranged;
pub(super) mod report;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use tandem_analyses::compare::{Comparison, verify_by_all};
use tandem_analyses::{Outcome, Task};
use tandem_artifact::convert::error_targets;
use tandem_artifact::format::gia_yaml;
use tandem_artifact::gia::{Gia, Mark, Target};
use tandem_artifact::{Caveat, ErrorCall, Property};
use tandem_base::{Budget, Problem};
use tandem_cfa::EdgeId;
use tandem_coop::cooperation::{Entry, Known, Setting, checked_gia};
use tandem_coop::kernel::{Exchange, Portfolio, verify_by_portfolio};
use tandem_net::Server;

use super::gia::{About, say_doubts};
use super::plan::{self, Script};
use crate::arguments::{Common, EXCHANGE, GIA, Run, Verify};
use crate::farewell::Farewell;
use crate::input::{self, Input};
use crate::message::{Exit, Failure};
use crate::native::replay::LibraryConfirmation;
use crate::run_directory::{self, write_artifact};
use crate::run_page::{Verified, verified};
use crate::watch::Watch;
use crate::{artifacts, program, progress, ranges_in_files, sarif};
use comparison::Answers;
use report::Report;

/// Time to write down what a stopped analysis has found.
const LEAVING: Duration = Duration::from_millis(700);

pub fn run(arguments: &Verify, watch: &Watch, farewell: &Farewell) -> Result<Exit, Failure> {
    sarif::told(arguments.sarif.as_deref(), answer(arguments, watch, farewell))
}

/// `tandem run`: carries out a plan.
pub fn run_plan(arguments: &Run, watch: &Watch, farewell: &Farewell) -> Result<Exit, Failure> {
    sarif::told(arguments.sarif.as_deref(), answer_by_plan(arguments, watch, farewell))
}

fn answer(arguments: &Verify, watch: &Watch, farewell: &Farewell) -> Result<Exit, Failure> {
    let how = match &arguments.plan {
        Some(name) => How::Plan { script: Box::new(Script::load(name, &arguments.trust, None)?), given: None },
        None if arguments.all => How::All,
        None if arguments.is_ranged() && arguments.server.nats.is_none() => How::Ranges(arguments),
        None if arguments.analyses().len() > 1 && !arguments.is_ranged() => {
            let help =
                "with several analyses, --splitter (lb3, balanced, ...) or --bounds says which paths each works on";
            return Err(Failure::file("tandem", "several analyses, but the paths are not split", help));
        }
        None if arguments.analyses() == ["default"] => {
            How::Default(if arguments.without.iter().any(|name| name == EXCHANGE) {
                Exchange::Off
            } else {
                Exchange::On
            })
        }
        None => How::Analysis,
    };
    let how = match arguments.server.server() {
        Some(server) => How::Elsewhere(arguments, server),
        None => how,
    };
    let name = arguments.analyses().join(",");
    let asked = Asked { common: &arguments.common, name: &name, sarif: arguments.sarif.as_deref() };
    verify(&asked, how, watch, farewell)
}

fn answer_by_plan(arguments: &Run, watch: &Watch, farewell: &Farewell) -> Result<Exit, Failure> {
    let given = match &arguments.given {
        Some(path) => Some(given(&arguments.common, path)?),
        None => None,
    };
    let script = Script::load(&arguments.plan, &arguments.trust, given.as_ref())?;
    if let Some(format) = arguments.explain {
        print!("{}", script.explain(format));
        return Ok(Exit::Success);
    }
    let name = script.plan.name.clone();
    let given = given.map(|gia| Box::new(GivenGia { gia, path: arguments.given.clone().unwrap_or_default() }));
    let how = How::Plan { script: Box::new(script), given };
    let asked = Asked { common: &arguments.common, name: &name, sarif: arguments.sarif.as_deref() };
    verify(&asked, how, watch, farewell)
}

/// An automaton to begin with. What it says about other targets would be taken for something about errors.
fn given(common: &Common, path: &std::path::Path) -> Result<Gia, Failure> {
    let about = About::load(common)?;
    let property = about.input.property(common)?;
    let mut gia = about.read(path)?;
    let edges = |targets: &[Target]| -> BTreeSet<EdgeId> {
        targets.iter().flat_map(|target| target.edges.iter().copied()).collect()
    };
    let errors = error_targets(&about.program, error_call(common, &property)?);
    if edges(&errors) == edges(&gia.targets) {
        gia.targets = errors;
        return Ok(gia);
    }
    let help = "an automaton whose targets are the calls of the error functions of the property";
    Err(Failure::file(&path.display().to_string(), "the automaton is about other targets", help))
}

/// What the command line says, whoever is asked.
struct Asked<'a> {
    common: &'a Common,
    name: &'a str,
    sarif: Option<&'a Path>,
}

/// Who is asked.
enum How<'a> {
    /// All analyses in cooperation, with or without exchange.
    Default(Exchange),
    /// The analysis of that name.
    Analysis,
    /// Every analysis, and what they say is compared.
    All,
    /// The analyses, on ranges.
    Ranges(&'a Verify),
    /// By workers on other machines.
    Elsewhere(&'a Verify, Server),
    Plan {
        script: Box<Script>,
        given: Option<Box<GivenGia>>,
    },
}

/// An automaton to begin with, and the file it is from.
struct GivenGia {
    gia: Gia,
    path: PathBuf,
}

impl GivenGia {
    /// What may be used of it: all if it is trusted, else what could be checked.
    fn believed(&self, task: Task<'_>, trust: &[String], budget: &Budget) -> Gia {
        if trust.iter().any(|name| name == GIA) {
            return self.gia.clone();
        }
        let (checked, doubts) = checked_gia(task, &self.gia, &[Mark::Unreachable, Mark::Reached], budget);
        say_doubts(Some(&self.path), &doubts);
        checked
    }
}

fn verify(asked: &Asked<'_>, how: How<'_>, watch: &Watch, farewell: &Farewell) -> Result<Exit, Failure> {
    let Asked { common, name, .. } = *asked;
    let input = input::load(common)?;
    let property = input.property(common)?;
    let error = error_call(common, &property)?;
    let mut program = program::build(&input)?;
    if let Some(directory) = &common.output {
        // Nothing of an earlier run goes for a run that cannot begin.
        if let How::Ranges(arguments) | How::Elsewhere(arguments, _) = &how
            && let Some(path) = &arguments.bounds
        {
            ranges_in_files::check(path, &input)?;
        }
        run_directory::begin(directory)?;
    }
    farewell.attach(progress::line(name, common.quiet));
    let available = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = common.threads.map_or(available, usize::from);
    let budget = budget_for(common, watch);
    let subject = input.subject();
    let hints = match &how {
        How::Plan { given: Some(given), .. } => plan::hints(&mut program, &given.gia),
        How::Plan { given: None, .. }
        | How::Default(_)
        | How::Analysis
        | How::All
        | How::Ranges(_)
        | How::Elsewhere(..) => Vec::new(),
    };
    let exchange = common.output.as_ref().map(|_| &subject);
    let native = LibraryConfirmation::new(&input, &program, error, &budget);
    let task = Task {
        exchange,
        library_values: input.library_values(),
        native: Some(&native),
        ..Task::new(&program, error, threads)
    };
    let told = Told { asked, input: &input, property: &property, task, budget: &budget, watch, farewell };
    match how {
        How::Default(exchange) => {
            let portfolio = Portfolio::usual(&program, exchange);
            return verify_by_portfolio(&portfolio, task, &budget, |found| {
                told.tell(&found.outcome, Some(&plan::crossings(&found.crossings)));
                // A member that does not hear that it is over keeps nothing waiting.
                farewell.say_and_leave()
            });
        }
        How::Analysis => {
            let outcome = tandem_analyses::verify(name, task, &budget).ok_or_else(|| unknown_analysis(name))?;
            told.tell(&outcome, None);
        }
        How::All => {
            let compared = verify_by_all(task, &budget);
            let answers = comparison::answers(&compared);
            told.tell_compared(&compared.outcome, None, Some(&answers));
            if let (Some(directory), Some(pair)) = (&common.output, compared.contradiction) {
                told.keep_both_sides(directory, &compared, pair);
            }
        }
        How::Ranges(arguments) => {
            return ranged::run(arguments, task, &input, &budget, |outcome| {
                told.tell(&outcome, None);
                farewell.say_and_leave()
            });
        }
        How::Elsewhere(arguments, server) => {
            told.tell(&elsewhere::run(arguments, &server, task, &input, &budget)?, None);
        }
        How::Plan { script, given } => {
            let given = given.map(|given| given.believed(task, &script.trust, &budget));
            let setting = Setting {
                program: &program,
                error,
                subject: &subject,
                threads,
                hints: &hints,
                library_values: input.library_values(),
            };
            // Who is stopped at once leaves behind what was known a second ago. What cannot be written is said at the end.
            let tell = |known: &Known, journal: &[Entry]| {
                if let Some(directory) = &common.output {
                    let _ = write_artifact(directory, "gia.yml", &gia_yaml::write(&known.whole(), &program));
                    let _ = write_artifact(directory, "journal.json", &format!("{:#}\n", plan::journal(journal)));
                }
            };
            let performance = script.perform(setting, given.as_ref(), &budget, &tell);
            told.tell(&plan::outcome(name, &performance), Some(&plan::journal(&performance.journal)));
        }
    }
    farewell.say()
}

/// What is needed to tell what came of it.
struct Told<'a> {
    asked: &'a Asked<'a>,
    input: &'a Input,
    property: &'a Property,
    task: Task<'a>,
    budget: &'a Budget,
    watch: &'a Watch,
    farewell: &'a Farewell,
}

impl Told<'_> {
    /// Settles the last words, and writes down everything else.
    fn tell(&self, outcome: &Outcome, journal: Option<&Value>) {
        self.tell_compared(outcome, journal, None);
    }

    /// The same with what all analyses said, if they were asked.
    fn tell_compared(&self, outcome: &Outcome, journal: Option<&Value>, answers: Option<&Answers>) {
        let Told { asked, input, property, task, watch, farewell, .. } = *self;
        let common = asked.common;
        // The analysis may have seen the clock before the watch did.
        let stopped = watch.reason().or_else(|| self.budget.exhausted());
        let trace = outcome.violation.as_ref().map(|violation| report::trace(task, violation));
        let basis = &tandem_analyses::basis(task, outcome);
        let report = Report { task, property, outcome, basis, trace: trace.as_ref(), stopped, start: farewell.start };
        let mut summary = report.json();
        if let Some(journal) = journal {
            summary["journal"] = journal.clone();
        }
        if let Some(answers) = answers {
            summary["answers"] = answers.json.clone();
        }
        let table = answers.map_or("", |answers| &answers.text);
        let words = if common.json { format!("{summary:#}\n") } else { format!("{table}{}", report.text()) };
        farewell.settle(words, report.exit());
        farewell.attach(None);
        point_at_unsupported(input, &outcome.caveats);
        let evidence = artifacts::Evidence { input, property, task, outcome, basis };
        let mut problems = Vec::new();
        if let Some(path) = asked.sarif {
            let written = sarif::write(path, &evidence, trace.as_ref(), &report.verdict(), report.exit());
            problems.extend(written.err());
        }
        if let Some(directory) = &common.output {
            let written = artifacts::write(directory, &evidence, &format!("{summary:#}\n"), &watch.budget);
            problems.extend(written.err());
            if let Some(journal) = journal {
                problems.extend(write_artifact(directory, "journal.json", &format!("{journal:#}\n")).err());
            }
            let gia = artifacts::gia(&evidence);
            let page = Verified { evidence: &evidence, trace: trace.as_ref(), gia: gia.as_ref(), summary: &summary };
            problems.extend(write_artifact(directory, "report.html", &verified(&page)).err());
        }
        for failure in problems {
            // The verdict stands, whether or not it could be written down.
            eprint!("{}", failure.render());
        }
    }

    /// The artifacts of two answers that contradict each other, in a directory for each.
    fn keep_both_sides(&self, directory: &Path, compared: &Comparison, (holds, fails): (usize, usize)) {
        let Told { input, property, task, watch, .. } = *self;
        for (index, name) in [(holds, "says-true"), (fails, "says-false")] {
            let Some(answer) = compared.answers.get(index) else { continue };
            let basis = &tandem_analyses::basis(task, &answer.outcome);
            let evidence = artifacts::Evidence { input, property, task, outcome: &answer.outcome, basis };
            let directory = directory.join(format!("{name}-{}", answer.analysis));
            let statistics = format!("{:#}\n", comparison::answer(answer));
            let written = run_directory::begin(&directory)
                .and_then(|()| artifacts::write(&directory, &evidence, &statistics, &watch.budget));
            if let Err(failure) = written {
                eprint!("{}", failure.render());
            }
        }
    }
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
