//! The command `tandem`: the command line, files, processes and messages.
//!
//! This crate never decides anything about a program; it asks the crates below and prints what they say.

mod arguments;
mod arguments_bench;
mod arguments_fql;
mod arguments_gia;
mod arguments_net;
mod artifacts;
mod command;
mod describe;
mod farewell;
mod goal_store;
mod input;
mod message;
mod native;
mod output;
mod page;
mod preprocess;
mod program;
mod progress;
mod quantity;
mod ranges_in_files;
mod run_directory;
mod run_page;
mod sandbox;
mod sarif;
mod tests_in_files;
mod token_places;
mod tools;
mod version;
mod watch;

use std::process::ExitCode;

use clap::Parser;

use arguments::Arguments;
use farewell::Farewell;
use message::{Exit, Failure};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let json = arguments.command.json();
    let farewell = Farewell::new(command::last_words(&arguments.command), json);
    install_panic_hook(farewell.clone());
    // Lowering and printing recurse with the nesting of the program, as parsing does.
    let outcome =
        tandem_syntax::on_large_stack(|| command::run(&arguments.command, &farewell)).unwrap_or_else(|error| {
            let help = "a machine on which a thread with a stack of one gigabyte of address space can be started";
            Err(Failure::file("tandem", format!("cannot start a thread: {error}"), help))
        });
    match outcome {
        Ok(exit) => exit.into(),
        Err(failure) => {
            farewell.attach(None);
            eprint!("{}", failure.render());
            if json && output::print_json(&failure.to_json()).is_err() {
                return Exit::Unknown.into();
            }
            failure.exit.into()
        }
    }
}

/// A bug of ours is no answer: one line, and the verdict is unknown.
fn install_panic_hook(farewell: Farewell) {
    std::panic::set_hook(Box::new(move |info| {
        let place = info.location().map(|place| format!(" at {}:{}", place.file(), place.line())).unwrap_or_default();
        let what = info.payload().downcast_ref::<String>().map(String::as_str);
        let what = what.or(info.payload().downcast_ref::<&str>().copied()).unwrap_or("no message");
        let what = what.lines().next().unwrap_or_default();
        eprintln!("tandem: internal error{place}: {what}; UNKNOWN (internal error)");
        farewell.end("internal error")
    }));
}
