//! `tandem gia convert`: between exchange automata and what others exchange. Everything goes through an exchange automaton; what gets
//! lost on the way is said on standard error.

use std::path::Path;
use std::time::Duration;

use tandem_analyses::LibraryValues;
use tandem_analyses::Task;
use tandem_analyses::replay::{machine, reaches_error};
use tandem_analyses::validate::{Claim, other_program};
use tandem_artifact::convert::{
    self, Converted, Trust, gia_of_automaton, gia_of_condition, gia_of_correctness, gia_of_violation, reached_path,
};
use tandem_artifact::format::{condition_spc, witness_graphml, witness_yaml};
use tandem_artifact::gia::{Gia, Target, combine};
use tandem_artifact::{AutomatonKind, Property, WitnessAutomaton, WitnessContent};
use tandem_base::{Budget, Problem};
use tandem_cfa::exec::Options;
use tandem_coop::actors::run_of_candidates;
use tandem_coop::check::{Checking, Judgement, check_unreachable};
use tandem_coop::cooperation::Setting;
use tandem_coop::ranges::range_candidates;

use super::files::About;
use super::written;
use crate::arguments_gia::{GiaConvert, Kind};
use crate::input::{in_file, read_text};
use crate::message::{Exit, Failure};
use crate::ranges_in_files::ranges_of_file;
use crate::tests_in_files::read_suite;
use crate::watch::Watch;

/// Lines about what is lost; more would help nobody.
const NOTES: usize = 10;
/// Bytes of choices that the path of a test may have.
const PATH: usize = 1 << 26;
/// How long a claim is checked.
const CHECK: Duration = Duration::from_secs(20);
/// How long a run is looked for.
const REPLAY: Duration = Duration::from_secs(20);
/// Steps after which a test that does not end is cut off.
const STEPS: u64 = 50_000_000;

pub fn run(arguments: &GiaConvert, watch: &Watch) -> Result<Exit, Failure> {
    let common = arguments.reading.common(&arguments.program);
    let about = About::load(&common)?;
    let property = about.input.property(&common)?;
    let from = arguments.from.map_or_else(|| kind_of_input(&arguments.input), Ok)?;
    let to = arguments.to.map_or_else(|| kind_of_output(&arguments.output), Ok)?;
    let conversion = Conversion { arguments, about: &about, property: &property, watch };
    let Converted { value: mut gia, mut lost } = conversion.read(from)?;
    if arguments.replay {
        match conversion.replayed(&gia)? {
            Some(reached) => gia = reached,
            None => lost.push("no run was found that takes a path of the candidates: they stay candidates".into()),
        }
    }
    lost.extend(written::write(&about, &property, &gia, to, &arguments.output, watch)?);
    lost.dedup();
    for what in lost.iter().take(NOTES) {
        eprintln!("lost: {what}");
    }
    if lost.len() > NOTES {
        eprintln!("lost: {} more", lost.len() - NOTES);
    }
    Ok(Exit::Success)
}

const KINDS: &str = "gia.yml, witness.yml, witness.graphml, NAME.spc, ranges.yml or a directory of test cases; --from and --to say it otherwise";

fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

/// By the name, and for YAML by what is in it.
fn kind_of_input(path: &Path) -> Result<Kind, Failure> {
    match extension(path) {
        _ if path.is_dir() => Ok(Kind::TestSuite),
        "graphml" | "xml" => Ok(Kind::WitnessGraphml),
        "spc" => Ok(Kind::Condition),
        "yml" | "yaml" => {
            let text = read_text(path, KINDS)?;
            let is_list =
                text.lines().any(|line| line.starts_with('-') && line != "---" && line.contains("entry_type"));
            let has_bounds = text.lines().any(|line| line.starts_with("bounds:"));
            Ok(match () {
                () if is_list || text.trim() == "[]" => Kind::Witness,
                () if has_bounds => Kind::Ranges,
                () => Kind::Gia,
            })
        }
        _ if !path.exists() => read_text(path, KINDS).map(|_| Kind::Gia),
        _ => Err(unknown_kind(path)),
    }
}

fn kind_of_output(path: &Path) -> Result<Kind, Failure> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    match extension(path) {
        "graphml" => Ok(Kind::WitnessGraphml),
        "spc" => Ok(Kind::Condition),
        "yml" | "yaml" if name.contains("witness") => Ok(Kind::Witness),
        "yml" | "yaml" if name.contains("range") => Ok(Kind::Ranges),
        "yml" | "yaml" => Ok(Kind::Gia),
        "" => Ok(Kind::TestSuite),
        _ => Err(unknown_kind(path)),
    }
}

fn unknown_kind(path: &Path) -> Failure {
    Failure::file(
        &path.display().to_string(),
        "the name does not tell what kind of file this is",
        format!("accepted is {KINDS}"),
    )
}

struct Conversion<'a> {
    arguments: &'a GiaConvert,
    about: &'a About,
    property: &'a Property,
    watch: &'a Watch,
}

impl Conversion<'_> {
    fn read(&self, from: Kind) -> Result<Converted<Gia>, Failure> {
        match from {
            Kind::Gia => Ok(Converted::whole(self.about.read(&self.arguments.input)?)),
            Kind::Witness => self.witness(),
            Kind::WitnessGraphml => self.automaton(),
            Kind::Condition => self.condition(),
            Kind::TestSuite => self.tests(),
            Kind::Ranges => self.range(),
        }
    }

    /// The paths of one range, as candidates.
    fn range(&self) -> Result<Converted<Gia>, Failure> {
        let GiaConvert { input: path, range: number, .. } = self.arguments;
        let task = Task::new(&self.about.program, self.property.error_call(), 1);
        let ranges = ranges_of_file(path, task, &self.about.input, &self.watch.budget)?;
        let complain = |message: String, help: &str| Failure::file(&path.display().to_string(), message, help);
        let Some(range) = number.checked_sub(1).and_then(|index| ranges.get(index)) else {
            let message = format!("there is no range {number}: the bounds make {}", ranges.len());
            return Err(complain(message, "--range with the number of one of them, from 1 on"));
        };
        let flow = task.flow();
        let mut flow = flow.ok_or_else(|| complain("the program has no `main`".into(), "a program with `main`"))?;
        let built = range_candidates(&mut flow, range, self.about.subject(), self.targets()?);
        let (value, exact) = built.map_err(|flaw| complain(flaw.to_string(), KINDS))?;
        let wider = "a bound ends at a decision in a library model or at a call through a pointer: the candidates are more than the range";
        Ok(Converted { value, lost: if exact { Vec::new() } else { vec![wider.into()] } })
    }

    /// The path of a run that takes one of the candidates.
    fn replayed(&self, candidates: &Gia) -> Result<Option<Gia>, Failure> {
        let Property::Unreachable(error) = self.property else { return Ok(None) };
        let (program, subject) = (&self.about.program, self.about.subject());
        let setting = Setting {
            program,
            error,
            subject: &subject,
            threads: 1,
            hints: &[],
            library_values: LibraryValues::Contract,
        };
        let budget = self.soon(REPLAY);
        let Some(violation) = run_of_candidates(setting, candidates, &budget) else { return Ok(None) };
        Ok(reached_path(program, subject.clone(), &self.targets()?, &violation.run).ok())
    }

    /// What is left of the time, but no more than this.
    fn soon(&self, time: Duration) -> Budget {
        let (soon, all) = (Budget::with_time(time).deadline, self.watch.budget.deadline);
        Budget { deadline: soon.into_iter().chain(all).min(), ..self.watch.budget.clone() }
    }

    fn targets(&self) -> Result<Vec<Target>, Failure> {
        convert::targets_of(&self.about.program, self.property).ok_or_else(|| {
            let file =
                self.arguments.reading.property.clone().unwrap_or_else(|| self.arguments.program.display().to_string());
            let help = "accepted are unreach-call, coverage-branches, coverage-conditions and coverage-error-call";
            Failure::file(&file, "the targets of this property are not edges of the program", help)
        })
    }

    fn text<T>(&self, accepted: &str, read: impl FnOnce(&str) -> Result<T, Problem>) -> Result<T, Failure> {
        let path = &self.arguments.input;
        let text = read_text(path, accepted)?;
        read(&text).map_err(|problem| {
            let problem =
                if problem.help.is_none() { problem.help(format!("accepted is {accepted}")) } else { problem };
            in_file(path, &text, problem)
        })
    }

    /// Refuses what is about another program.
    fn about_this(&self, claim: &Claim) -> Result<(), Failure> {
        let subject = self.about.subject();
        match other_program(claim, &subject) {
            None => Ok(()),
            Some(why) => {
                let help = format!("a witness about {} as it is read here", subject.file);
                Err(Failure::file(&self.arguments.input.display().to_string(), why, help))
            }
        }
    }

    fn witness(&self) -> Result<Converted<Gia>, Failure> {
        let entries = self.text("a witness of format 2.x (YAML)", witness_yaml::read)?;
        let (mut lost, mut violations, mut invariants) = (Vec::new(), Vec::new(), Vec::new());
        self.about_this(&Claim::Entries(entries.clone()))?;
        for entry in entries {
            lost.extend(entry.skipped.iter().map(|problem| problem.message.clone()));
            match entry.content {
                WitnessContent::Violation(segments) => violations.push(segments),
                WitnessContent::Correctness(more) => invariants.extend(more),
            }
        }
        let (program, subject, targets) = (&self.about.program, self.about.subject(), self.targets()?);
        let mut automata = Vec::new();
        for segments in violations {
            let converted = gia_of_violation(program, subject.clone(), targets.clone(), &segments);
            lost.extend(converted.lost);
            automata.push(converted.value);
        }
        match automata.len() {
            0 => {
                let converted = gia_of_correctness(program, subject, targets, &invariants);
                lost.extend(converted.lost);
                Ok(Converted { value: converted.value, lost })
            }
            1 => Ok(Converted { value: automata.remove(0), lost }),
            _ => Ok(Converted { value: self.combined(&automata)?, lost }),
        }
    }

    fn automaton(&self) -> Result<Converted<Gia>, Failure> {
        let witness: WitnessAutomaton = self.text("a witness of format 1.0 (GraphML)", witness_graphml::read)?;
        self.about_this(&Claim::Automaton(witness.clone()))?;
        let (program, subject, targets) = (&self.about.program, self.about.subject(), self.targets()?);
        Ok(match witness.metadata.kind {
            AutomatonKind::Violation => gia_of_automaton(program, subject, targets, &witness),
            AutomatonKind::Correctness => {
                let invariants = convert::invariants_of(&witness);
                let mut converted = gia_of_correctness(program, subject, targets, &invariants.value);
                converted.lost.extend(invariants.lost);
                converted
            }
        })
    }

    fn condition(&self) -> Result<Converted<Gia>, Failure> {
        let automaton = self.text("a condition automaton (.spc)", condition_spc::read)?;
        let (program, subject, targets) = (&self.about.program, self.about.subject(), self.targets()?);
        if automaton.program.as_ref().is_some_and(|hash| !hash.eq_ignore_ascii_case(&subject.identity.hash())) {
            let path = self.arguments.input.display().to_string();
            return Err(Failure::file(&path, "this is about another program", subject.identity_help()));
        }
        let read = |trust: Trust| gia_of_condition(program, subject.clone(), targets.clone(), &automaton, trust);
        let believed = read(Trust::Everybody);
        if self.arguments.trust {
            return Ok(believed);
        }
        let budget = self.soon(CHECK);
        let checking = Checking { error: self.property.error_call(), threads: 1, budget: &budget };
        let why = match check_unreachable(program, &believed.value, checking) {
            Judgement::Correct => return Ok(believed),
            Judgement::Incorrect(why) => format!("it is wrong: {why}"),
            Judgement::Unknown(why) => format!("it could not be checked: {why}; --trust believes it"),
        };
        let mut doubted = read(Trust::Nobody);
        doubted.lost.insert(0, format!("what is called verified, for {why}"));
        Ok(doubted)
    }

    /// Only what a replay reaches is reached.
    fn tests(&self) -> Result<Converted<Gia>, Failure> {
        let tests = read_suite(&self.arguments.input)?;
        let (program, targets) = (&self.about.program, self.targets()?);
        let task = Task::new(program, self.property.error_call(), 1);
        let (mut lost, mut automata) = (Vec::new(), Vec::new());
        for (name, case) in &tests {
            let options = Options { path: Some(PATH), steps: STEPS, ..Options::default() };
            let run = machine(task, options).run(&mut tandem_artifact::TestInputs::new(case), &self.watch.budget);
            match reached_path(program, self.about.subject(), &targets, &run) {
                Ok(gia) => automata.push(gia),
                Err(why) => lost.push(format!("{name}: {why}")),
            }
        }
        let value = match automata.is_empty() {
            true => Gia::empty(self.about.subject(), targets),
            false => self.combined(&automata)?,
        };
        Ok(Converted { value, lost })
    }

    fn combined(&self, automata: &[Gia]) -> Result<Gia, Failure> {
        // The path of one long run is not worth minimising.
        if let [one] = automata {
            return Ok(one.clone());
        }
        combine(&automata.iter().collect::<Vec<_>>())
            .map_err(|mismatch| Failure::file(&self.arguments.input.display().to_string(), mismatch.to_string(), KINDS))
    }
}

/// Whether a test reaches an error, by its replay.
pub fn covers_error(about: &About, property: &Property, case: &tandem_artifact::TestCase, watch: &Watch) -> bool {
    let task = Task::new(&about.program, property.error_call(), 1);
    let run = machine(task, Options { steps: STEPS, ..Options::default() })
        .run(&mut tandem_artifact::TestInputs::new(case), &watch.budget);
    reaches_error(task.error, &run.end)
}
