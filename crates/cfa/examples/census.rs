//! Builds the automata of C files: `census [--check] [--text] [--ilp32|--lp64] DIRECTORY-or-FILE...`
//!
//! Reports what was rejected and why, ill-formed programs, steps that are not modelled by name, sizes and speed. The data
//! model of a file is read from a `.yml` beside it; a file that needs the preprocessor goes through `gcc -E` first.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tandem_base::{Severity, SourceText};
use tandem_cfa::{Op, Program, build, check, text};
use tandem_syntax::{DataModel, needs_preprocessor};

fn main() {
    let mut files = Vec::new();
    let mut census = Census::default();
    let mut model = None;
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--check" => census.check = true,
            "--text" => census.text = true,
            "--ilp32" => model = Some(DataModel::Ilp32),
            "--lp64" => model = Some(DataModel::Lp64),
            path => collect(Path::new(path), &mut files),
        }
    }
    files.sort();
    let models = models_of(&files);
    for file in &files {
        let known = models.get(file).cloned().unwrap_or_else(|| vec![DataModel::Ilp32]);
        for model in model.map_or(known, |model| vec![model]) {
            census.file(file, model);
        }
    }
    census.report();
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if !path.is_dir() {
        files.push(path.to_path_buf());
        return;
    }
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() || path.extension().is_some_and(|extension| extension == "c" || extension == "i") {
            collect(&path, files);
        }
    }
}

/// Which data models the task definitions in the files' folders want for each input file.
fn models_of(files: &[PathBuf]) -> HashMap<PathBuf, Vec<DataModel>> {
    let mut models: HashMap<PathBuf, Vec<DataModel>> = HashMap::new();
    let mut folders: Vec<&Path> = files.iter().filter_map(|file| file.parent()).collect();
    folders.dedup();
    for folder in folders {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.path().extension().is_none_or(|extension| extension != "yml") {
                continue;
            }
            let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
            let model = if text.contains("data_model: LP64") { DataModel::Lp64 } else { DataModel::Ilp32 };
            let inputs = text.lines().filter_map(|line| line.trim().strip_prefix("input_files:"));
            for input in inputs.flat_map(|list| list.split([',', '[', ']'])) {
                let known = models.entry(folder.join(input.trim().trim_matches(['\'', '"']))).or_default();
                if !known.contains(&model) {
                    known.push(model);
                }
            }
        }
    }
    models
}

#[derive(Default)]
struct Census {
    check: bool,
    text: bool,
    accepted: usize,
    rejected: usize,
    ill_formed: usize,
    bytes: u64,
    time: Duration,
    nodes: usize,
    edges: usize,
    slowest: (Duration, PathBuf),
    /// Steps and files for each name.
    unsupported: BTreeMap<String, (usize, usize)>,
    warnings: BTreeMap<String, usize>,
}

impl Census {
    fn file(&mut self, file: &Path, model: DataModel) {
        let name = file.display().to_string();
        let Ok(text) = std::fs::read(file) else { return println!("{name}: cannot be read") };
        let source = if needs_preprocessor(&text) {
            SourceText::preprocessed(&name, preprocess(file, model))
        } else {
            SourceText::plain(&name, text)
        };
        let bytes = source.text().len() as u64;
        let start = cpu_time();
        let built = build(source.clone(), model);
        let time = cpu_time().saturating_sub(start);
        for problem in built.problems.iter().filter(|problem| problem.severity == Severity::Warning) {
            let message: String = problem.message.split('\'').step_by(2).collect::<Vec<_>>().join("_");
            *self.warnings.entry(message).or_default() += 1;
        }
        let Some(program) = built.program else {
            self.rejected += 1;
            if let Some(problem) = built.problems.iter().find(|problem| problem.severity == Severity::Error) {
                println!("rejected {} {model}: {}", source.position(problem.span.lo), problem.message);
            }
            return;
        };
        self.accepted += 1;
        self.bytes += bytes;
        self.time += time;
        if time > self.slowest.0 {
            self.slowest = (time, file.to_path_buf());
        }
        self.look_at(&name, &program);
    }

    fn look_at(&mut self, name: &str, program: &Program) {
        self.nodes += program.nodes.len();
        self.edges += program.edges.len();
        let mut seen = std::collections::HashSet::new();
        for edge in program.edges.iter() {
            if let Op::Unsupported { what } = &edge.op {
                let count = self.unsupported.entry(what.to_string()).or_default();
                count.0 += 1;
                count.1 += usize::from(seen.insert(what));
            }
        }
        if self.text {
            print!("{}", text::write(program));
        }
        if self.check {
            let violations = check::check(program);
            self.ill_formed += usize::from(!violations.is_empty());
            for violation in violations.iter().take(3) {
                println!("ill-formed {name}: {violation}");
            }
        }
    }

    fn report(&self) {
        for (name, (steps, files)) in &self.unsupported {
            println!("unsupported {steps} steps in {files} files: {name}");
        }
        for (name, count) in &self.warnings {
            println!("warning {count} times: {name}");
        }
        println!("accepted {}, rejected {}, ill-formed {}", self.accepted, self.rejected, self.ill_formed);
        println!("{} nodes, {} edges", self.nodes, self.edges);
        let speed = self.bytes as f64 / 1e6 / self.time.as_secs_f64();
        println!("{} bytes in {:?}, {speed:.1} MB/s", self.bytes, self.time);
        println!("slowest {:?} {}", self.slowest.0, self.slowest.1.display());
    }
}

/// Time this process has used on all processors.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: u64 = fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

fn preprocess(file: &Path, model: DataModel) -> Vec<u8> {
    let width = if model == DataModel::Ilp32 { "-m32" } else { "-m64" };
    Command::new("gcc").args(["-E", width]).arg(file).output().map(|output| output.stdout).unwrap_or_default()
}
