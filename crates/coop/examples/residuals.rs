//! Residual programs of real tasks: `residuals DIRECTORY [COUNT]`
//!
//! For COUNT tasks (200 unless said otherwise), spread over the `.yml` files of the directory, an analysis is cut off early, and the paths it has
//! settled are taken out of the program. Checked is that gcc compiles what is left, and that the program and what is left of it, run on the
//! same random inputs, do the same up to the first step that was taken out; a path that is not covered must go through to its end.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tandem_analyses::{Task, verify};
use tandem_artifact::ErrorCall;
use tandem_artifact::format::task_definition;
use tandem_artifact::gia::{Gia, Mark, Subject, is_path_step, minimise};
use tandem_base::{Budget, SourceText};
use tandem_cfa::exec::{End, Input, Inputs, Machine, Options, Random, Request, Run, Sink};
use tandem_cfa::{DataModel, EdgeId, Program, build};
use tandem_coop::reduce::{reduce, size};

const ERRORS: [&str; 2] = ["reach_error", "__VERIFIER_error"];
const SEEDS: u64 = 6;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let directory = PathBuf::from(arguments.next().expect("a directory"));
    let count: usize = arguments.next().map_or(200, |text| text.parse().expect("a number"));
    let mut tasks = Vec::new();
    collect(&directory, &mut tasks);
    tasks.sort();
    let every = (tasks.len() / count.max(1)).max(1);
    let mut tally = Tally::default();
    for (number, task) in tasks.iter().step_by(every).take(count).enumerate() {
        let analysis = if number % 2 == 0 { "symbolic" } else { "value" };
        let before = Instant::now();
        if let Err(problem) = one(task, analysis, &mut tally) {
            println!("{}: {problem}", task.display());
        }
        if before.elapsed() > Duration::from_secs(10) {
            println!("{}: took {:?}", task.display(), before.elapsed());
        }
    }
    tally.report();
}

fn collect(directory: &Path, found: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "yml") {
            found.push(path);
        }
    }
}

#[derive(Default)]
struct Tally {
    tasks: usize,
    without: usize,
    reduced: usize,
    bounded: usize,
    compiled: usize,
    not_written: usize,
    not_compiled: usize,
    runs: usize,
    open: usize,
    stopped: usize,
    wrong: usize,
    ratios: Vec<f64>,
    slowest: Duration,
}

impl Tally {
    fn report(&mut self) {
        self.ratios.sort_by(f64::total_cmp);
        let median = self.ratios.get(self.ratios.len() / 2).copied().unwrap_or(0.0);
        let most = self.ratios.last().copied().unwrap_or(0.0);
        println!(
            "{} tasks, {} without an automaton, {} reduced, {} at their limit",
            self.tasks, self.without, self.reduced, self.bounded
        );
        println!("{} compiled, {} not written, {} not compiled", self.compiled, self.not_written, self.not_compiled);
        println!("{} runs: {} open, {} stopped early, {} wrong", self.runs, self.open, self.stopped, self.wrong);
        println!(
            "size of the residual: median {median:.2}, largest {most:.2} times the program; slowest reduction {:?}",
            self.slowest
        );
    }
}

fn one(path: &Path, analysis: &str, tally: &mut Tally) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let task = task_definition::read(&text).map_err(|problem| problem.message)?;
    let file = path.with_file_name(&task.input_files.first().ok_or("no input file")?.0);
    let model = task.data_model.unwrap_or(DataModel::Ilp32);
    let source = std::fs::read(&file).map_err(|error| error.to_string())?;
    let name = file.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
    let built = build(SourceText::plain(&name, source), model);
    let program = built.program.ok_or("not read")?;
    tally.tasks += 1;
    let subject = Subject::plain(&name, b"", model);
    let task = Task { exchange: Some(&subject), ..Task::new(&program, &ErrorCall::Usual, 1) };
    let budget = Budget::with_time(Duration::from_millis(300));
    let Some(gia) = verify(analysis, task, &budget).and_then(|outcome| outcome.gia) else {
        tally.without += 1;
        return Ok(());
    };
    let gia = minimise(&gia);
    let before = Instant::now();
    let residual = reduce(&program, &gia, Mark::Unreachable, &ERRORS);
    tally.slowest = tally.slowest.max(before.elapsed());
    tally.reduced += usize::from(residual.reduced);
    tally.bounded += usize::from(residual.bounded);
    let written = residual.c_text(&name).map_err(|problem| {
        tally.not_written += 1;
        format!("not written: {}", problem.message)
    })?;
    compile(&written, model).inspect_err(|_| tally.not_compiled += 1)?;
    tally.compiled += 1;
    let rest = build(SourceText::plain("residual.c", written.clone().into_bytes()), model);
    let rest = rest.program.ok_or_else(|| format!("our own front end refuses it: {:?}", rest.problems.first()))?;
    tally.ratios.push(size(&rest) as f64 / size(&program).max(1) as f64);
    for seed in 1..=SEEDS {
        compare(&program, &rest, &gia, seed, tally).map_err(|problem| format!("seed {seed}: {problem}"))?;
    }
    Ok(())
}

fn compile(text: &str, model: DataModel) -> Result<(), String> {
    let file = std::env::temp_dir().join(format!("tandem-residual-{}.c", std::process::id()));
    std::fs::write(&file, text).map_err(|error| error.to_string())?;
    let mut command = Command::new("gcc");
    command.args(["-w", "-std=gnu11", "-fgnu89-inline", "-fsyntax-only"]);
    if model == DataModel::Ilp32 {
        command.arg("-m32");
    }
    let output = command.arg(&file).output().map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(()),
        false => {
            let messages = String::from_utf8_lossy(&output.stderr);
            Err(format!("gcc: {}", messages.lines().find(|line| line.contains("error")).unwrap_or("?")))
        }
    }
}

/// Random results of calls, and zeros for memory that was never written.
struct Calls(Random);

impl Inputs for Calls {
    fn nondet(&mut self, request: Request<'_>) -> u128 {
        self.0.nondet(request)
    }

    fn uninitialised(&mut self, _: Request<'_>) -> u128 {
        0
    }
}

fn execute(program: &Program, seed: u64) -> Run {
    let options = Options { steps: 20_000, path: Some(1 << 22), output: Sink::Collect, ..Options::default() };
    Machine::new(program, options).run(&mut Calls(Random::new(seed)), &Budget::with_time(Duration::from_secs(5)))
}

fn compare(program: &Program, rest: &Program, gia: &Gia, seed: u64, tally: &mut Tally) -> Result<(), String> {
    let (before, after) = (execute(program, seed), execute(rest, seed));
    tally.runs += 1;
    let edges: Vec<EdgeId> = before.edges(program).unwrap_or_default();
    let edges: Vec<EdgeId> = edges.into_iter().filter(|edge| is_path_step(program, *edge)).collect();
    let open = gia.covers(&edges, |_, _| true).unreachable.is_none();
    // Memory that was never written is read at other moments: variables are declared elsewhere.
    let called = |input: &&Input| input.is_of_function();
    let asked =
        |run: &Run| run.inputs.iter().filter(called).map(|input| (input.scalar, input.bits)).collect::<Vec<_>>();
    let is_cut_off = |run: &Run| matches!(run.end, End::Stopped(_));
    let (one, other) = (asked(&before), asked(&after));
    let shared = one.len().min(other.len());
    if one[..shared] != other[..shared] || (other.len() > one.len() && !is_cut_off(&before)) {
        tally.wrong += 1;
        let at = (0..shared).find(|at| one[*at] != other[*at]);
        return Err(format!(
            "the residual asks for other inputs: {at:?} of {} and {}, {:?}",
            one.len(),
            other.len(),
            before.end
        ));
    }
    let same = word(&before.end) == word(&after.end) && one == other && before.output == after.output;
    if !same && open && !is_cut_off(&before) && !is_cut_off(&after) {
        tally.wrong += 1;
        return Err(format!("an open path is gone: {:?}, then {:?}", before.end, after.end));
    }
    if !open
        && !same
        && !matches!(after.end, End::Exited(_) | End::Returned(_))
        && !is_cut_off(&before)
        && !is_cut_off(&after)
    {
        tally.wrong += 1;
        return Err(format!("another path: {:?}, then {:?}", before.end, after.end));
    }
    tally.open += usize::from(open);
    tally.stopped += usize::from(!same);
    Ok(())
}

/// How a run ended, without the numbers of edges.
fn word(end: &End) -> String {
    match end {
        End::Returned(value) => format!("returned {value}"),
        End::Exited(status) => format!("exited {status}"),
        End::ErrorReached { .. } => "error".into(),
        End::AssertFailed { .. } => "assert".into(),
        End::Aborted { .. } => "abort".into(),
        End::AssumeViolated { .. } => "assume".into(),
        End::Undefined { kind, .. } => format!("{:?}", std::mem::discriminant(kind)),
        End::Unsupported { what, .. } => format!("unsupported {what}"),
        End::Stopped(_) => "stopped".into(),
        End::StackOverflow { .. } => "stack".into(),
        End::OutOfMemory { .. } => "memory".into(),
        End::NoEntry => "no entry".into(),
    }
}
