//! Compiles a program together with C text of ours. Knows how the compiler is told about the data model and about functions whose
//! calls are to be seen.

use std::time::Duration;

use tandem_artifact::format::native_runs::machine_options;
use tandem_base::Budget;
use tandem_syntax::DataModel;

use crate::tools::process::{Ended, Job, run};
use crate::tools::scratch::Scratch;

/// How long the compiler may take for one file.
const LIMIT: Duration = Duration::from_secs(60);
/// Signed overflow wraps around and memory has no types, as everywhere in this program.
const DIALECT: [&str; 7] =
    ["-std=gnu11", "-fgnu89-inline", "-w", "-O0", "-fwrapv", "-fno-strict-aliasing", "-fno-delete-null-pointer-checks"];
const SANITIZERS: [&str; 3] =
    ["-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all", "-fno-sanitize=leak"];

/// What is compiled, and how.
pub struct Compilation<'a> {
    /// The text of the program, preprocessed.
    pub program: &'a [u8],
    /// The text that comes with it.
    pub companion: &'a str,
    pub model: DataModel,
    /// Functions of the program whose calls the companion is to see.
    pub watched: &'a [String],
    /// Whether calls to allocate memory go through the companion.
    pub wraps_allocation: bool,
    pub is_sanitized: bool,
}

impl Compilation<'_> {
    /// The name of the program that was made; else why there is none.
    pub fn make(&self, scratch: &Scratch, name: &str, budget: &Budget) -> Result<String, String> {
        scratch.file("program.c", self.program)?;
        scratch.file("companion.c", self.companion)?;
        let mut options: Vec<&str> = machine_options(self.model).to_vec();
        options.extend(DIALECT);
        let mut of_program = options.clone();
        if self.is_sanitized {
            of_program.extend(SANITIZERS);
        }
        if !self.watched.is_empty() {
            of_program.push("-finstrument-functions");
        }
        compile(&[&["cc"], &of_program[..], &["-c", "program.c", "-o", "program.o"]].concat(), scratch, budget)?;
        if !self.watched.is_empty() {
            // A function with internal linkage could not be named by the companion.
            let named: Vec<String> = self.watched.iter().map(|name| format!("--globalize-symbol={name}")).collect();
            let named: Vec<&str> = named.iter().map(String::as_str).collect();
            compile(&[&["objcopy"], &named[..], &["program.o"]].concat(), scratch, budget)?;
        }
        compile(&[&["cc"], &options[..], &["-c", "companion.c", "-o", "companion.o"]].concat(), scratch, budget)?;
        let mut link = vec!["cc"];
        link.extend(machine_options(self.model));
        if self.is_sanitized {
            link.extend(SANITIZERS);
        }
        if self.wraps_allocation {
            link.extend(["-Wl,--wrap=malloc", "-Wl,--wrap=calloc", "-Wl,--wrap=realloc"]);
        }
        link.extend(["program.o", "companion.o", "-lm", "-o", name]);
        compile(&link, scratch, budget)?;
        Ok(scratch.name(name))
    }
}

/// Whether the compiler takes this text for a program.
pub fn is_accepted(text: &[u8], model: DataModel, budget: &Budget) -> bool {
    let Ok(scratch) = Scratch::new() else { return false };
    let written = scratch.file("program.c", text);
    let options = [machine_options(model), &DIALECT[..]].concat();
    let command = [&["cc"], &options[..], &["-fsyntax-only", "program.c"]].concat();
    written.and_then(|_| compile(&command, &scratch, budget)).is_ok()
}

fn compile(command: &[&str], scratch: &Scratch, budget: &Budget) -> Result<(), String> {
    let command: Vec<String> = command.iter().map(|word| word.to_string()).collect();
    let environment = [("LC_ALL", "C")];
    let job = Job { command: &command, directory: scratch.path(), environment: &environment, limit: LIMIT };
    // Compilers need more address space than a small limit leaves them.
    let budget = Budget { memory: None, ..budget.clone() };
    let ended = run(&job, &budget, &mut || false)?;
    if ended.succeeded() { Ok(()) } else { Err(why(&ended)) }
}

fn why(ended: &Ended) -> String {
    let says = |word: &str| ended.output.lines().find(|line| line.contains(word)).map(str::to_string);
    let error = says("undefined reference").or_else(|| says("error:"));
    let why = ended.problem().or(error).unwrap_or_else(|| ended.last_line());
    format!("the program could not be compiled: {}", why.chars().take(200).collect::<String>())
}
