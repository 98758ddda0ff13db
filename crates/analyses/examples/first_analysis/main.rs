//! The analysis of docs/first-analysis.md, asked about a file.
//!
//!     cargo run -p tandem-analyses --example first_analysis -- FILE.c

// The analysis is written as a file of the crate itself: its paths begin with `crate::`.
use tandem_analyses::{Outcome, Task, blocks, bmc, export, registry};

mod location;

use tandem_artifact::ErrorCall;
use tandem_base::{Budget, SourceText};
use tandem_cfa::DataModel;

fn main() {
    let Some(file) = std::env::args().nth(1) else { return eprintln!("usage: first_analysis FILE.c") };
    let text = match std::fs::read(&file) {
        Ok(text) => text,
        Err(error) => return eprintln!("{file}: {error}"),
    };
    let built = tandem_cfa::build(SourceText::plain(&file, text), DataModel::Lp64);
    let Some(program) = built.program else { return eprintln!("{file}: this is no C program") };
    let error = ErrorCall::Usual;
    let outcome = location::ENTRY.verify(Task::new(&program, &error, 1), None, &Budget::unlimited());
    println!("Verdict: {}", outcome.verdict);
}
