//! Fuzzers: what they have in common. The program is compiled together with `runs.c`, which gives it its inputs from bytes; what the
//! fuzzer finds are streams of bytes, which others replay.

mod afl;
mod libfuzzer;

pub use afl::Afl;
pub use libfuzzer::LibFuzzer;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::{Duration, Instant};

use tandem_base::Budget;
use tandem_cfa::library::{self, Model, Output, Primitive};
use tandem_cfa::{ExprKind, Program};
use tandem_coop::cooperation::{Approximation, Declaration, Kind};
use tandem_coop::outside::Order;

use super::outside_functions::{self, Dialect, Role, declared, exact, returned};
use super::process::{Job, run};
use super::scratch::Scratch;

const RUNS: &str = include_str!("runs.c");

/// How long fuzzers work when nobody sets a limit.
const USUAL: Duration = Duration::from_secs(60);
/// Numbers of the program that the fuzzer is told.
const MOST_WORDS: usize = 500;
/// Inputs that are kept of what a fuzzer found interesting.
const MOST_INPUTS: usize = 2000;
/// How often what was found is looked at.
const INTERVAL: Duration = Duration::from_millis(200);

/// Branches stay branches: fuzzers learn from each.
const FLAGS: [&str; 6] = ["-w", "-O0", "-std=gnu11", "-fwrapv", "-fno-strict-aliasing", "-fgnu89-inline"];

const DIALECT: Dialect = Dialect { error: "tandem_error();", leave: "tandem_leave();", input: Some(input) };

fn input(scalar: tandem_cfa::Scalar, size: usize) -> String {
    format!("{} value = 0; tandem_take(&value, {size}); {}", exact(scalar), returned(scalar))
}

fn declaration(name: &str, about: &str) -> Declaration {
    Declaration {
        name: name.to_string(),
        about: about.to_string(),
        needs: vec![Kind::Program, Kind::Property],
        gives: vec![Kind::Gia, Kind::Tests],
        approximates: Approximation::Under,
        // What it finds is replayed.
        trusted: true,
    }
}

/// The program with its inputs from bytes. Names of its own are kept apart from those of the fuzzer and the C library.
fn text(order: &Order<'_>) -> String {
    let mut text = String::from("#pragma clang section bss=\"tandem_bss\" data=\"tandem_data\"\n");
    for name in own_names(order) {
        match name {
            "main" => text.push_str("#define main tandem_main\n"),
            _ => drop(writeln!(text, "#define {name} tandem_own_{name}")),
        }
    }
    for (function, _) in declared(order) {
        if let Some(other) = replaced(&function.name) {
            let _ = writeln!(text, "#define {} {other}", function.name);
        }
    }
    text.push_str("extern void tandem_take(void *, unsigned long);\nextern void tandem_leave(void);\n");
    text.push_str("extern void tandem_error(void);\n");
    text.push_str(order.text);
    text.push_str(&outside_functions::definitions(order, &DIALECT));
    text.push_str(&outside_functions::objects(order.program));
    text
}

/// What the text defines.
fn own_names<'a>(order: &Order<'a>) -> BTreeSet<&'a str> {
    let program: &'a Program = order.program;
    let functions = program.functions.iter().filter(|function| function.body.is_some() && !function.is_library);
    let made = declared(order).into_iter().filter(|(_, role)| *role != Role::Library);
    let variables = program.variables.iter().filter(|variable| {
        use tandem_cfa::VariableKind::{External, Global, Local, Parameter, Static, StringLiteral, Temporary};
        match variable.kind {
            Global => true,
            External | Static | StringLiteral | Parameter | Local | Temporary => false,
        }
    });
    let names = functions.map(|function| &*function.name);
    let names = names.chain(made.map(|(function, _)| &*function.name));
    let is_name = |name: &&str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    names.chain(variables.map(|variable| &*variable.name)).filter(is_name).collect()
}

/// What stands for a function of the C library, so that runs can be left at any moment and begun again.
fn replaced(name: &str) -> Option<&'static str> {
    match library::lookup(name)? {
        Model::Primitive(Primitive::Malloc) => Some("tandem_malloc"),
        Model::Primitive(Primitive::Calloc) => Some("tandem_calloc"),
        Model::Primitive(Primitive::Realloc) => Some("tandem_realloc"),
        Model::Primitive(Primitive::Free) => Some("tandem_free"),
        Model::Primitive(Primitive::Printf(Output::Stdout | Output::Stream)) => Some("tandem_print"),
        Model::Primitive(Primitive::PrintfList(Output::Stdout | Output::Stream)) => Some("tandem_print"),
        Model::Primitive(_) | Model::Intrinsic(_) | Model::Source(_) => None,
    }
}

/// The numbers of the program as bytes, in the format that fuzzers share.
fn dictionary(program: &Program) -> String {
    let mut words: BTreeSet<Vec<u8>> = BTreeSet::new();
    for expr in program.arena.exprs().iter() {
        let ExprKind::Bits(bits) = expr.kind else { continue };
        let Some(scalar) = program.types.scalar(expr.ty) else { continue };
        if bits > 1 && words.len() < MOST_WORDS {
            words.insert(bits.to_le_bytes()[..scalar.bits().div_ceil(8).min(8) as usize].to_vec());
        }
    }
    let escaped = |word: &Vec<u8>| word.iter().map(|byte| format!("\\x{byte:02x}")).collect::<String>();
    words.iter().enumerate().map(|(number, word)| format!("w{number}=\"{}\"\n", escaped(word))).collect()
}

/// The inputs that are known already, as seeds.
fn plant(order: &Order<'_>, scratch: &Scratch, directory: &str) -> Result<(), String> {
    for (number, seed) in order.seeds.iter().filter(|seed| !seed.is_empty()).enumerate() {
        scratch.file(&format!("{directory}/known{number}"), seed)?;
    }
    Ok(())
}

/// How long the fuzzer may work: what it found must be replayed in time.
fn time(budget: &Budget) -> Duration {
    let left = budget.deadline.map_or(USUAL, |deadline| deadline.saturating_duration_since(Instant::now()));
    left.saturating_sub((left / 10).clamp(Duration::from_millis(200), Duration::from_secs(2)))
}

/// Compiles something.
fn compile(scratch: &Scratch, command: &[&str], environment: &[(&str, &str)], budget: &Budget) -> Result<(), String> {
    let command: Vec<String> = command.iter().map(|word| word.to_string()).collect();
    let job = Job { command: &command, directory: scratch.path(), environment, limit: time(budget) };
    let ended = run(&job, budget, &mut || false)?;
    if ended.succeeded() {
        return Ok(());
    }
    let says = |word: &str| ended.output.lines().find(|line| line.contains(word)).map(str::to_string);
    let error = says("undefined reference").or_else(|| says("error:"));
    let why = ended.problem().or(error).unwrap_or_else(|| ended.last_line());
    Err(format!("the program could not be compiled for it: {why}"))
}

/// Looks now and then whether one of the crashes is the error.
struct Lookout<'a> {
    order: &'a Order<'a>,
    seen: BTreeSet<String>,
    next: Instant,
}

impl<'a> Lookout<'a> {
    fn new(order: &'a Order<'a>) -> Lookout<'a> {
        Lookout { order, seen: BTreeSet::new(), next: Instant::now() + INTERVAL }
    }

    fn has_error(&mut self, scratch: &Scratch, directory: &str, is_crash: fn(&str) -> bool) -> bool {
        if Instant::now() < self.next {
            return false;
        }
        self.next = Instant::now() + INTERVAL;
        let mut crashes = scratch.contents(directory, is_crash);
        crashes.retain(|(name, _)| self.seen.insert(name.clone()));
        crashes.iter().any(|(_, bytes)| (self.order.reaches_error)(bytes))
    }
}

/// Inputs that were found, the crashes first.
fn found(
    scratch: &Scratch,
    crashes: (&str, fn(&str) -> bool),
    others: (&str, fn(&str) -> bool),
) -> (Vec<Vec<u8>>, String) {
    let bytes = |files: Vec<(String, Vec<u8>)>| files.into_iter().map(|(_, bytes)| bytes).collect::<Vec<_>>();
    let mut all = bytes(scratch.contents(crashes.0, crashes.1));
    let count = all.len();
    let mut more = bytes(scratch.contents(others.0, others.1));
    // The last ones are those that go farthest.
    more.drain(..more.len().saturating_sub(MOST_INPUTS));
    let note = format!("{count} crashes, {} other inputs", more.len());
    all.extend(more);
    (all, note)
}
