//! KLEE: symbolic execution of the compiled program. What it leaves are tests: the bytes of each input, in order.

use std::time::{Duration, Instant};

use tandem_base::Budget;
use tandem_cfa::Scalar;
use tandem_coop::cooperation::{Approximation, Declaration, Kind};
use tandem_coop::outside::{Order, Report, Tool};

use super::outside_functions::{Dialect, definitions, exact, returned};
use super::process::{Job, find, run};
use super::scratch::Scratch;
use crate::sandbox::{self, Limits};

pub struct Klee;

const USUAL: Duration = Duration::from_secs(60);
const HEAD: &str = "extern void klee_make_symbolic(void *, unsigned long, const char *);\n\
                    extern void klee_silent_exit(int) __attribute__((noreturn));\n\
                    extern void klee_abort(void) __attribute__((noreturn));\n";
const DIALECT: Dialect = Dialect { error: "klee_abort();", leave: "klee_silent_exit(0);", input: Some(input) };

fn input(scalar: Scalar, size: usize) -> String {
    format!("{} value = 0; klee_make_symbolic(&value, {size}, \"input\"); {}", exact(scalar), returned(scalar))
}

impl Tool for Klee {
    fn declaration(&self) -> Declaration {
        Declaration {
            name: "klee".into(),
            about: "the symbolic executor KLEE, on what is not settled; a test counts if its replay reaches the error"
                .into(),
            needs: vec![Kind::Program, Kind::Property],
            gives: vec![Kind::Gia, Kind::Tests],
            approximates: Approximation::Under,
            // What it finds is replayed.
            trusted: true,
        }
    }

    fn work(&self, order: &Order<'_>, budget: &Budget) -> Report {
        work(order, budget).unwrap_or_else(Report::failed)
    }
}

fn work(order: &Order<'_>, budget: &Budget) -> Result<Report, String> {
    for program in ["klee", "clang"] {
        find(program).ok_or_else(|| {
            format!(
                "not installed: there is no program `{program}` (https://klee-se.org, Debian packages klee and clang)"
            )
        })?;
    }
    let scratch = Scratch::new()?;
    scratch.file("program.c", format!("{HEAD}{}{}", order.text, definitions(order, &DIALECT)))?;
    let left = budget.deadline.map_or(USUAL, |deadline| deadline.saturating_duration_since(Instant::now()));
    let limit = left.saturating_sub((left / 10).min(Duration::from_secs(1)));
    let words = |words: &[&str]| words.iter().map(|word| word.to_string()).collect::<Vec<String>>();
    let compile = words(&["clang", "-w", "-O0", "-g", "-emit-llvm", "-fwrapv", "-c", "program.c", "-o", "program.bc"]);
    let job = Job { command: &compile, directory: scratch.path(), environment: &[], limit };
    let compiled = run(&job, budget, &mut || false)?;
    if !compiled.succeeded() {
        return Err(format!("the program could not be compiled for it: {}", compiled.last_line()));
    }
    let time = format!("--max-time={}s", limit.as_secs().max(1));
    let command = words(&[
        "klee",
        "--output-dir=out",
        "--only-output-states-covering-new",
        &time,
        "--exit-on-error-type=Abort",
        "program.bc",
    ]);
    let job = Job { command: &command, directory: scratch.path(), environment: &[], limit };
    // It calls functions of the C library for the program.
    let ended = sandbox::run(&job, Limits::of_tool(budget), budget, &mut || false)?;
    let tests = scratch.contents("out", |name| name.ends_with(".ktest"));
    let streams: Vec<Vec<u8>> = tests.iter().filter_map(|(_, bytes)| inputs(bytes)).collect();
    let problem = ended.problem().filter(|_| !ended.timed_out);
    Ok(Report { note: format!("{} tests", streams.len()), streams, problem, ..Report::default() })
}

/// The bytes of the inputs of a test, in order; nothing for a file of another kind.
fn inputs(file: &[u8]) -> Option<Vec<u8>> {
    let mut reader = Reader(file.strip_prefix(b"KTEST")?);
    let version = reader.number()?;
    for _ in 0..reader.number()? {
        reader.block()?;
    }
    if version >= 2 {
        // The number and the length of symbolic arguments.
        reader.number()?;
        reader.number()?;
    }
    let mut stream = Vec::new();
    for _ in 0..reader.number()? {
        let name = reader.block()?;
        let bytes = reader.block()?;
        if name.starts_with(b"input") {
            stream.extend_from_slice(bytes);
        }
    }
    Some(stream)
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn number(&mut self) -> Option<u32> {
        let (number, rest) = self.0.split_first_chunk::<4>()?;
        self.0 = rest;
        Some(u32::from_be_bytes(*number))
    }

    fn block(&mut self) -> Option<&'a [u8]> {
        let size = self.number()? as usize;
        let (block, rest) = self.0.split_at_checked(size)?;
        self.0 = rest;
        Some(block)
    }
}

#[cfg(test)]
mod tests {
    use super::inputs;

    #[test]
    fn the_bytes_of_a_test() {
        let mut file = b"KTEST".to_vec();
        let block = |file: &mut Vec<u8>, bytes: &[u8]| {
            file.extend((bytes.len() as u32).to_be_bytes());
            file.extend(bytes);
        };
        file.extend(3u32.to_be_bytes());
        file.extend(1u32.to_be_bytes());
        block(&mut file, b"program.bc");
        file.extend([0; 8]);
        file.extend(3u32.to_be_bytes());
        for (name, bytes) in [("input", &[1u8, 2, 3, 4][..]), ("model_version", &[9]), ("input_1", &[5])] {
            block(&mut file, name.as_bytes());
            block(&mut file, bytes);
        }
        assert_eq!(inputs(&file), Some(vec![1, 2, 3, 4, 5]));
        assert_eq!(inputs(&file[..file.len() - 1]), None);
        assert_eq!(inputs(b"<testcase/>"), None);
    }
}
