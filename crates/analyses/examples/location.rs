//! The smallest analysis: it knows nothing but where control can be, and proves what the graph alone shows.
//! docs/first-analysis.md explains it.
//!
//!     cargo run -p tandem-analyses --example location -- FILE.c

use std::time::Duration;

use tandem_analyses::blocks::unmodelled;
use tandem_analyses::bmc::no_entry;
use tandem_analyses::catalog::finished;
use tandem_analyses::{Outcome, Task};
use tandem_artifact::{Caveat, ErrorCall};
use tandem_base::{Budget, SourceText};
use tandem_cfa::DataModel;
use tandem_cpa::{Analysis, Flow, Found, Search, Step, begin, explore};

struct Location;

impl Analysis for Location {
    type State = ();

    fn start(&mut self, _: &Flow<'_>) {}

    fn step(&mut self, _: &Flow<'_>, _: &(), _: &Step, out: &mut Vec<()>) {
        out.push(());
    }

    fn covers(&mut self, _: &(), _: &()) -> bool {
        true
    }
}

pub fn location(task: Task<'_>, budget: &Budget) -> Outcome {
    let functions = task.error.functions();
    let Some(mut flow) = Flow::new(task.program, &functions, task.error.includes_assert()) else {
        return Outcome::new("location", None, None, vec![no_entry()]);
    };
    let mut reached = begin(&mut Location, &flow, Search::DepthFirst);
    let (mut caveats, mut stopped) = (Vec::new(), None);
    match explore(&mut Location, &mut flow, &mut reached, budget) {
        Found::Everything => {}
        Found::Target(_) => caveats.push(Caveat::Imprecise("the graph has a way to the error".into())),
        Found::Unsupported(_, step) => {
            let (what, at) = unmodelled(&flow, &step);
            caveats.push(Caveat::Unsupported { what, at });
        }
        Found::Stopped(reason) => stopped = Some(reason),
    }
    Outcome::new("location", None, stopped, caveats)
}

#[allow(dead_code)]
fn main() {
    let Some(file) = std::env::args().nth(1) else { return eprintln!("usage: location FILE.c") };
    let text = match std::fs::read(&file) {
        Ok(text) => text,
        Err(error) => return eprintln!("{file}: {error}"),
    };
    let built = tandem_cfa::build(SourceText::plain(&file, text), DataModel::Lp64);
    let Some(program) = built.program else { return eprintln!("{file}: this is no C program") };
    let error = ErrorCall::Usual;
    let task = Task::new(&program, &error, 1);
    let budget = Budget::unlimited();
    println!("Verdict: {}", finished(task, location(task, &budget), Duration::ZERO, &budget).verdict);
}
