//! Programs that are told by a command and by words in their output: those of plan files, and verifiers that are defined here.

use std::time::{Duration, Instant};

use tandem_analyses::validate::Claim;
use tandem_artifact::format::{property_file, test_case_xml, witness_graphml, witness_yaml};
use tandem_artifact::{ErrorCall, Property, TestCase, plan};
use tandem_base::Budget;
use tandem_cfa::DataModel;
use tandem_coop::cooperation::{Approximation, Declaration, Kind};
use tandem_coop::outside::{Order, Report, Tool};

use super::outside_functions::{Dialect, definitions};
use super::process::{Ended, Job, find, run};
use super::scratch::Scratch;

/// How long a program works when nobody sets a limit.
const USUAL: Duration = Duration::from_secs(60);

/// A program that is described, not known.
pub struct Given {
    pub tool: plan::Tool,
    pub about: String,
    /// Where to get it.
    pub origin: String,
    /// How errors and inputs are written for it; nothing if it knows the usual names.
    pub dialect: Option<Dialect>,
}

impl Given {
    /// A tool of a plan file.
    pub fn of(tool: &plan::Tool) -> Given {
        let about = format!("the program `{}`", tool.command.first().map_or("", String::as_str));
        Given { tool: tool.clone(), about, origin: "the plan's `tools` name it".into(), dialect: None }
    }
}

impl Tool for Given {
    fn declaration(&self) -> Declaration {
        let mut gives = vec![Kind::Gia, Kind::Verdict];
        gives.extend(self.tool.witness.as_ref().map(|_| Kind::Witness));
        gives.extend(self.tool.tests.as_ref().map(|_| Kind::Tests));
        Declaration {
            name: self.tool.name.clone(),
            about: self.about.clone(),
            needs: vec![Kind::Program, Kind::Property],
            gives,
            approximates: Approximation::Both,
            // Its word is not taken for a fact anywhere.
            trusted: true,
        }
    }

    fn work(&self, order: &Order<'_>, budget: &Budget) -> Report {
        self.ask(order, budget).unwrap_or_else(Report::failed)
    }
}

impl Given {
    fn ask(&self, order: &Order<'_>, budget: &Budget) -> Result<Report, String> {
        let name = self.tool.command.first().map_or("", String::as_str);
        find(name).ok_or_else(|| format!("not installed: there is no program `{name}` ({})", self.origin))?;
        let scratch = Scratch::new()?;
        let more = self.dialect.as_ref().map_or(String::new(), |dialect| definitions(order, dialect));
        let program = scratch.file("program.c", format!("{}{more}", order.text))?;
        let call = order.errors.first().map_or(ErrorCall::Usual, |name| ErrorCall::Function(name.as_str().into()));
        let property = scratch.file("property.prp", property_file::write(&Property::Unreachable(call)))?;
        let left = budget.deadline.map_or(USUAL, |deadline| deadline.saturating_duration_since(Instant::now()));
        let limit = left.saturating_sub((left / 10).min(Duration::from_secs(1)));
        let bits = match order.program.model() {
            DataModel::Ilp32 => "32",
            DataModel::Lp64 => "64",
        };
        let seconds = limit.as_secs().max(1).to_string();
        let directory = scratch.path().display().to_string();
        let filled = |word: &String| {
            let word = word.replace("{program}", &program).replace("{directory}", &directory);
            word.replace("{seconds}", &seconds).replace("{bits}", bits).replace("{property}", &property)
        };
        let command: Vec<String> = self.tool.command.iter().map(filled).collect();
        let job = Job { command: &command, directory: scratch.path(), environment: &[], limit };
        let ended = run(&job, budget, &mut || false)?;
        let mut report = self.understood(order, &ended);
        self.collect(&scratch, &mut report);
        Ok(report)
    }

    /// What its output means.
    fn understood(&self, order: &Order<'_>, ended: &Ended) -> Report {
        let says = |words: &[String]| words.iter().any(|word| ended.output.contains(word.as_str()));
        let mut report = Report { problem: ended.problem(), ..Report::default() };
        if report.problem.is_some() {
            return report;
        }
        report.claim = match (says(&self.tool.says_true), says(&self.tool.says_false)) {
            (true, true) => {
                report.problem = Some("says TRUE and FALSE at once".into());
                None
            }
            (true, false) if order.errors.len() > 1 && self.dialect.is_none() => {
                report.problem = Some(format!(
                    "was asked about {} alone, and others are errors, too: {}",
                    order.errors[0],
                    order.errors[1..].join(", ")
                ));
                None
            }
            (true, false) => Some(true),
            (false, true) => Some(false),
            (false, false) => {
                let is_asked = !self.tool.says_true.is_empty() || !self.tool.says_false.is_empty();
                let status = ended.status.map_or(String::new(), |status| format!(" ({status})"));
                report.problem = is_asked.then(|| format!("gave no answer{status}: {}", ended.last_line()));
                None
            }
        };
        report
    }

    /// The files that it left, also when it was stopped.
    fn collect(&self, scratch: &Scratch, report: &mut Report) {
        if let Some(name) = &self.tool.witness {
            let read = std::fs::read_to_string(scratch.path().join(name.replace("{directory}/", "")));
            match read.map_err(|error| error.to_string()).and_then(|text| witness(&text)) {
                Ok(claim) => report.witness = Some(claim),
                Err(why) if report.claim.is_some() => report.note = format!("its witness could not be read: {why}"),
                Err(_) => {}
            }
        }
        if let Some(name) = &self.tool.tests {
            let files = scratch.contents(&name.replace("{directory}/", ""), |name| name.ends_with(".xml"));
            let test = |(name, bytes): (String, Vec<u8>)| -> Option<TestCase> {
                let is_test = name != "metadata.xml";
                is_test.then(|| test_case_xml::read(&String::from_utf8_lossy(&bytes)).ok()).flatten()
            };
            report.tests = files.into_iter().filter_map(test).collect();
        }
    }
}

/// What the text is, its beginning tells.
fn witness(text: &str) -> Result<Claim, String> {
    let claim = match text.trim_start().starts_with('<') {
        true => witness_graphml::read(text).map(Claim::Automaton),
        false => witness_yaml::read(text).map(Claim::Entries),
    };
    claim.map_err(|problem| problem.message)
}
