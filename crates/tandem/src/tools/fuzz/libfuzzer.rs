//! libFuzzer (Debian packages `clang` and `libclang-rt-dev`).

use tandem_base::Budget;
use tandem_coop::cooperation::Declaration;
use tandem_coop::outside::{Order, Report, Tool};

use super::{FLAGS, Lookout, RUNS, compile, declaration, dictionary, found, plant, text, time};
use crate::sandbox::{self, Limits};
use crate::tools::process::{Job, find};
use crate::tools::scratch::Scratch;

pub struct LibFuzzer;

impl Tool for LibFuzzer {
    fn declaration(&self) -> Declaration {
        declaration(
            "libfuzzer",
            "the fuzzer libFuzzer, on what is not settled; a crash counts if its replay reaches the error",
        )
    }

    fn work(&self, order: &Order<'_>, budget: &Budget) -> Report {
        fuzz(order, budget).unwrap_or_else(Report::failed)
    }
}

fn fuzz(order: &Order<'_>, budget: &Budget) -> Result<Report, String> {
    find("clang").ok_or("not installed: there is no program `clang` (Debian packages clang and libclang-rt-dev)")?;
    let scratch = Scratch::new()?;
    build(order, &scratch, budget)?;
    scratch.file("queue/zeros", [0; 8])?;
    plant(order, &scratch, "queue")?;
    scratch.file("crashes/.keep", "")?;
    let limit = time(budget);
    let mut command: Vec<String> = [
        "./program",
        "queue",
        "-artifact_prefix=crashes/",
        "-handle_segv=0",
        "-handle_bus=0",
        "-handle_fpe=0",
        "-handle_ill=0",
        "-timeout=5",
        "-max_len=4096",
        "-use_value_profile=1",
        "-verbosity=0",
    ]
    .map(String::from)
    .into();
    command[0] = scratch.name("program");
    command.push(format!("-max_total_time={}", limit.as_secs().max(1)));
    let words = dictionary(order.program);
    if !words.is_empty() {
        scratch.file("words", words)?;
        command.push("-dict=words".into());
    }
    let mut lookout = Lookout::new(order);
    let job = Job { command: &command, directory: scratch.path(), environment: &[], limit };
    let ended =
        sandbox::run(&job, Limits::of_tool(budget), budget, &mut || lookout.has_error(&scratch, "crashes", is_crash))?;
    let (streams, note) = found(&scratch, ("crashes", is_crash), ("queue", |_| true));
    // It ends with the status 77 when it found a crash.
    let problem = ended.problem().filter(|_| !ended.timed_out);
    Ok(Report { streams, problem, note, ..Report::default() })
}

fn is_crash(name: &str) -> bool {
    name.starts_with("crash-")
}

fn build(order: &Order<'_>, scratch: &Scratch, budget: &Budget) -> Result<(), String> {
    scratch.file("runs.c", RUNS)?;
    scratch.file("program.c", text(order))?;
    compile(scratch, &["clang", "-O1", "-w", "-c", "runs.c", "-o", "runs.o"], &[], budget)?;
    let mut command = vec!["clang"];
    command.extend(FLAGS);
    command.extend(["-fsanitize=fuzzer", "program.c", "runs.o", "-o", "program", "-lm"]);
    compile(scratch, &command, &[], budget).map_err(|why| match why.contains("libclang_rt") {
        true => "not installed: the library of libFuzzer (Debian package libclang-rt-dev)".into(),
        false => why,
    })
}
