//! AFL++ (Debian package `afl++`).

use tandem_base::Budget;
use tandem_coop::cooperation::Declaration;
use tandem_coop::outside::{Order, Report, Tool};

use super::{FLAGS, Lookout, RUNS, compile, declaration, dictionary, found, plant, text, time};
use crate::sandbox::{self, Limits};
use crate::tools::process::{Job, find};
use crate::tools::scratch::Scratch;

pub struct Afl;

/// It runs on machines that are not made for it, without a terminal.
const ENVIRONMENT: [(&str, &str); 8] = [
    ("AFL_NO_AFFINITY", "1"),
    ("AFL_SKIP_CPUFREQ", "1"),
    ("AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES", "1"),
    ("AFL_NO_UI", "1"),
    ("AFL_NO_COLOR", "1"),
    ("AFL_QUIET", "1"),
    ("AFL_DONT_OPTIMIZE", "1"),
    ("AFL_FAST_CAL", "1"),
];
const COMPILER: &str = "afl-clang-fast";

impl Tool for Afl {
    fn declaration(&self) -> Declaration {
        declaration("afl", "the fuzzer AFL++, on what is not settled; a crash counts if its replay reaches the error")
    }

    fn work(&self, order: &Order<'_>, budget: &Budget) -> Report {
        fuzz(order, budget).unwrap_or_else(Report::failed)
    }
}

fn fuzz(order: &Order<'_>, budget: &Budget) -> Result<Report, String> {
    for program in [COMPILER, "afl-fuzz", "clang"] {
        find(program).ok_or_else(|| {
            format!("not installed: there is no program `{program}` (Debian packages afl++ and clang)")
        })?;
    }
    let scratch = Scratch::new()?;
    build(order, &scratch, budget)?;
    scratch.file("seeds/zeros", [0; 32])?;
    scratch.file("seeds/mixed", (0..48u8).map(|byte| byte.wrapping_mul(37)).collect::<Vec<u8>>())?;
    plant(order, &scratch, "seeds")?;
    let limit = time(budget);
    let seconds = limit.as_secs().max(1).to_string();
    let mut command: Vec<String> =
        ["afl-fuzz", "-i", "seeds", "-o", "out", "-m", "none", "-t", "2000", "-V", &seconds].map(String::from).into();
    let words = dictionary(order.program);
    if !words.is_empty() {
        scratch.file("words", words)?;
        command.extend(["-x", "words"].map(String::from));
    }
    command.extend(["-c", "./compared", "--", "./program"].map(String::from));
    let mut lookout = Lookout::new(order);
    let job = Job { command: &command, directory: scratch.path(), environment: &ENVIRONMENT, limit };
    let ended =
        sandbox::run(&job, Limits::of_tool(budget), budget, &mut || lookout.has_error(&scratch, CRASHES, is_input))?;
    let (streams, note) = found(&scratch, (CRASHES, is_input), (QUEUE, is_input));
    let problem = match ended.problem().filter(|_| !ended.timed_out) {
        Some(problem) => Some(problem),
        None if streams.is_empty() && !ended.timed_out => {
            let abort = ended.output.lines().find(|line| line.contains("PROGRAM ABORT"));
            Some(format!("found nothing: {}", abort.map_or_else(|| ended.last_line(), |line| line.trim().to_string())))
        }
        None => None,
    };
    Ok(Report { streams, problem, note, ..Report::default() })
}

const CRASHES: &str = "out/default/crashes";
const QUEUE: &str = "out/default/queue";

fn is_input(name: &str) -> bool {
    name.starts_with("id:")
}

/// The program twice: once as it is run, once so that it tells what it compares.
fn build(order: &Order<'_>, scratch: &Scratch, budget: &Budget) -> Result<(), String> {
    scratch.file("runs.c", RUNS)?;
    scratch.file("program.c", text(order))?;
    compile(scratch, &["clang", "-O1", "-w", "-c", "runs.c", "-o", "runs.o"], &[], budget)?;
    let compared: Vec<(&str, &str)> = ENVIRONMENT.into_iter().chain([("AFL_LLVM_CMPLOG", "1")]).collect();
    for (output, environment) in [("program", &ENVIRONMENT[..]), ("compared", &compared)] {
        let mut command = vec![COMPILER];
        command.extend(FLAGS);
        command.extend(["-fsanitize=fuzzer", "program.c", "runs.o", "-o", output, "-lm"]);
        compile(scratch, &command, environment, budget)?;
    }
    Ok(())
}
