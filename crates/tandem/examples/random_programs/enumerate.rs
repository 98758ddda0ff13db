//! What a program does, by the C compiler and by trying all inputs; and what Tandem says about it.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::generate::Generated;

/// What is true of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truth {
    Reached,
    NotReached,
    /// Its behaviour is not defined, or differs from compiler option to compiler option.
    Excluded,
}

const ENUMERATE: &str = include_str!("enumerate.c");
const SANITIZED: &[&str] = &["-O0", "-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all"];
const OPTIMISED: &[&str] = &["-O2"];

/// A verdict of Tandem's that is wrong.
#[derive(Clone, Debug)]
pub struct Wrong {
    pub analysis: String,
    pub verdict: String,
}

/// What came of one program.
pub struct Examined {
    pub truth: Truth,
    /// How many verdicts were TRUE or FALSE, and how many were asked for.
    pub decided: usize,
    pub asked: usize,
    pub wrong: Vec<Wrong>,
}

/// Compiles and enumerates a program, and asks Tandem about it: by the default plan, and by each analysis.
pub fn examine(
    program: &Generated,
    model: &str,
    tandem: &Path,
    limit: &str,
    directory: &Path,
) -> Result<Examined, String> {
    std::fs::create_dir_all(directory).map_err(|error| format!("no place for files: {error}"))?;
    let write = |name: &str, text: &str| {
        std::fs::write(directory.join(name), text).map_err(|error| format!("{name} could not be written: {error}"))
    };
    write("enumerated.c", &program.for_enumeration)?;
    write("enumerate.c", ENUMERATE)?;
    write("program.c", &program.for_verifier)?;
    let truth = match (enumerate(model, SANITIZED, directory)?, enumerate(model, OPTIMISED, directory)?) {
        (one, other) if one == other => one,
        _ => Truth::Excluded,
    };
    let mut examined = Examined { truth, decided: 0, asked: 0, wrong: Vec::new() };
    if truth == Truth::Excluded {
        return Ok(examined);
    }
    let mut answers = vec![("default".to_string(), verdict(&ask(tandem, model, limit, &[], directory)?, "verdict"))];
    let all = ask(tandem, model, limit, &["--all"], directory)?;
    answers.push(("all".to_string(), verdict(&all, "verdict")));
    for answer in all["answers"].as_array().into_iter().flatten() {
        answers.push((answer["analysis"].as_str().unwrap_or("").to_string(), verdict(answer, "verdict")));
    }
    for (analysis, verdict) in answers {
        let is_wrong = match (truth, verdict.as_str()) {
            (Truth::Reached, "TRUE") | (Truth::NotReached, "FALSE") => true,
            // A contradiction, a crash or a refused program is wrong, too.
            (_, text) => text.contains("internal error") || text.contains("ERROR"),
        };
        examined.asked += 1;
        examined.decided += usize::from(verdict == "TRUE" || verdict == "FALSE");
        if is_wrong {
            examined.wrong.push(Wrong { analysis, verdict });
        }
    }
    Ok(examined)
}

fn verdict(answer: &serde_json::Value, key: &str) -> String {
    let reason = answer["reason"].as_str().unwrap_or("");
    match answer[key].as_str() {
        Some(word @ ("TRUE" | "FALSE")) => word.to_string(),
        Some(word) => format!("{word} ({reason})"),
        None => "ERROR (no answer)".to_string(),
    }
}

fn ask(tandem: &Path, model: &str, limit: &str, more: &[&str], directory: &Path) -> Result<serde_json::Value, String> {
    let mut command = Command::new(tandem);
    command.args(["verify", "program.c", "--json", "--quiet", "--threads", "1", "--data-model", model]);
    command.args(["--property", "unreach-call", "--memory-limit", "3GB", "--time-limit", limit]).args(more);
    let output = command.current_dir(directory).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{}: {error}", tandem.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).map_err(|error| format!("what tandem printed is no JSON ({error}): {text}"))
}

fn enumerate(model: &str, options: &[&str], directory: &Path) -> Result<Truth, String> {
    let machine: &[&str] = if model == "ILP32" { &["-m32", "-msse2", "-mfpmath=sse"] } else { &[] };
    let mut command = Command::new("gcc");
    command.args(machine).args(["-std=gnu11", "-w", "-fwrapv", "-fno-strict-aliasing"]).args(options);
    command.args(["enumerated.c", "enumerate.c", "-o", "enumerated"]).current_dir(directory);
    let output = command.output().map_err(|error| format!("gcc: {error}"))?;
    if !output.status.success() {
        return Err(format!("gcc refuses the program: {}", String::from_utf8_lossy(&output.stderr)));
    }
    // All processes of the enumeration set themselves a timer.
    let mut command = Command::new("./enumerated");
    command.current_dir(directory).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let status = command.env("ASAN_OPTIONS", "detect_leaks=0").status();
    match status.map_err(|error| format!("the program could not be run: {error}"))?.code() {
        Some(0) => Ok(Truth::NotReached),
        Some(1) => Ok(Truth::Reached),
        Some(_) | None => Ok(Truth::Excluded),
    }
}
