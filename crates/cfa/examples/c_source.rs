//! Writes C programs as C and looks at the result: `c_source [--print] [--run SEEDS] [--ilp32|--lp64] DIRECTORY-or-FILE...`
//!
//! Each program is built, written as it is, and checked by `gcc -fsyntax-only`. With `--run`, the text is read back and both
//! programs run on the same random inputs: they must ask for the same, print the same and end the same, on the same line. The data
//! model of a file is read from a `.yml` beside it; a file that needs the preprocessor goes through `gcc -E` first.

use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use tandem_base::{Budget, SourceText};
use tandem_cfa::exec::{End, InputSource, Machine, Options, Random, Run, Sink};
use tandem_cfa::{EdgeId, Program, build, c_source};
use tandem_syntax::{DataModel, needs_preprocessor};

fn main() -> ExitCode {
    let (mut files, mut model, mut seeds, mut print) = (Vec::new(), None, 0, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--print" => print = true,
            "--ilp32" => model = Some(DataModel::Ilp32),
            "--lp64" => model = Some(DataModel::Lp64),
            "--run" => seeds = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(1),
            path => collect(Path::new(path), &mut files),
        }
    }
    files.sort();
    let models = models_of(&files);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut jumps, mut size) = (0, (0, 0));
    for file in &files {
        let known = models.get(file).cloned().unwrap_or_else(|| vec![DataModel::Lp64]);
        for model in model.map_or(known, |model| vec![model]) {
            let (outcome, text) = look_at(file, model, seeds);
            if print {
                println!("{text}");
            } else if outcome != "good" {
                println!("{} {model}: {outcome}: {text}", file.display());
            } else {
                jumps += text.matches("goto block_").count();
                size = (size.0 + text.len(), size.1 + 1);
            }
            *counts.entry(outcome).or_default() += 1;
        }
    }
    counts.iter().for_each(|(outcome, count)| eprintln!("{count:7} {outcome}"));
    eprintln!("{jumps} jumps, {} bytes in {} texts", size.0, size.1);
    if counts.keys().all(|outcome| *outcome == "good") { ExitCode::SUCCESS } else { ExitCode::FAILURE }
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

/// What became of a file, and the text or what is wrong with it.
fn look_at(file: &Path, model: DataModel, seeds: u64) -> (&'static str, String) {
    let name = file.display().to_string();
    let Ok(text) = std::fs::read(file) else { return ("not read", String::new()) };
    let width = if model == DataModel::Ilp32 { "-m32" } else { "-m64" };
    let source = if needs_preprocessor(&text) {
        let output = Command::new("gcc").args(["-E", width]).arg(file).output();
        SourceText::preprocessed(&name, output.map(|output| output.stdout).unwrap_or_default())
    } else {
        SourceText::plain(&name, text)
    };
    let built = build(source, model);
    let Some(program) = built.program else { return ("not built", format!("{:?}", built.problems.first())) };
    let text = match c_source::write(&program, &c_source::identity(&program), &name) {
        Ok(text) => text,
        Err(problem) => {
            return ("not written", format!("{}: {}", program.source.position(problem.span.lo), problem.message));
        }
    };
    if let Some(message) = complaint(&text, width) {
        return ("not compiled", message);
    }
    if seeds > 0 {
        let again = build(SourceText::preprocessed(&name, text.clone().into_bytes()), model);
        let Some(again) = again.program else { return ("not read back", format!("{:?}", again.problems)) };
        if let Some(difference) = (1..=seeds).find_map(|seed| difference(&program, &again, seed)) {
            return ("different", difference);
        }
    }
    ("good", text)
}

/// What gcc says against a text.
fn complaint(text: &str, width: &str) -> Option<String> {
    let mut gcc = Command::new("gcc");
    gcc.args(["-std=gnu11", "-w", "-fsyntax-only", "-x", "c", width, "-"]);
    let mut child = gcc.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().ok()?;
    let mut input = child.stdin.take()?;
    let text = text.to_string();
    let writer = std::thread::spawn(move || drop(input.write_all(text.as_bytes())));
    let output = child.wait_with_output().ok()?;
    drop(writer.join());
    let lines: Vec<String> = String::from_utf8_lossy(&output.stderr).lines().take(4).map(str::to_string).collect();
    (!output.status.success()).then(|| lines.join("\n    "))
}

fn difference(program: &Program, again: &Program, seed: u64) -> Option<String> {
    let run = |program: &Program, steps| {
        let options = Options { output: Sink::Collect, steps, memory: 1 << 26, depth: 2000, ..Options::default() };
        Machine::new(program, options).run(&mut Random::new(seed), &Budget::unlimited())
    };
    let expected = run(program, 200_000);
    // The text has other steps: temporaries and jumps.
    let actual = run(again, 2_000_000);
    if matches!(expected.end, End::Stopped(_)) {
        let asked = (asked(program, &expected), asked(again, &actual));
        return (!asked.1.starts_with(&asked.0)).then(|| format!("seed {seed}: asks for something else"));
    }
    let ends = (end(program, &expected.end), end(again, &actual.end));
    if ends.0 != ends.1 {
        return Some(format!("seed {seed}: ends as {} and {}", ends.0, ends.1));
    }
    if asked(program, &expected) != asked(again, &actual) {
        return Some(format!("seed {seed}: asks for something else"));
    }
    (expected.output != actual.output).then(|| format!("seed {seed}: prints something else"))
}

/// The names and values of the inputs.
fn asked(program: &Program, run: &Run) -> Vec<(String, u128)> {
    let name = |source| match source {
        InputSource::Function(id) => program.functions[id].name.to_string(),
        InputSource::Variable(_) | InputSource::Memory => "memory".to_string(),
        InputSource::NoResult => "nothing".to_string(),
    };
    run.inputs.iter().map(|input| (name(input.source), input.bits)).collect()
}

/// How and on which line a run ended.
fn end(program: &Program, end: &End) -> String {
    let line = |edge: &EdgeId| program.source.position(program.edges[*edge].span.lo).line;
    match end {
        End::ErrorReached { edge, .. } => format!("error in line {}", line(edge)),
        End::AssertFailed { edge } => format!("failed assertion in line {}", line(edge)),
        End::Aborted { edge } => format!("abort in line {}", line(edge)),
        End::AssumeViolated { edge } => format!("violated assumption in line {}", line(edge)),
        End::Undefined { edge, .. } => format!("undefined behaviour in line {}", line(edge)),
        End::Unsupported { edge, .. } => format!("unsupported step in line {}", line(edge)),
        End::StackOverflow { .. } => "stack overflow".to_string(),
        End::OutOfMemory { .. } => "out of memory".to_string(),
        other => format!("{other:?}"),
    }
}
