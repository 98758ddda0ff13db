//! `tandem completions` and `tandem man`: what the command line says about itself, for shells and for `man`.

use clap::CommandFactory;
use clap_mangen::Man;

use crate::arguments::{Arguments, Completions, Man as Pages};
use crate::message::{Exit, Failure};
use crate::output::{show, write_file};

pub fn completions(arguments: &Completions) -> Result<Exit, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "tandem", &mut text);
    show(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Success)
}

/// The page of `tandem`, or with a directory a page for it and for each command, named as `man` looks for them.
pub fn pages(arguments: &Pages) -> Result<Exit, Failure> {
    let mut command = Arguments::command();
    command.build();
    let Some(directory) = &arguments.output else {
        show(&page(&command, "tandem")?)?;
        return Ok(Exit::Success);
    };
    write_file(directory, "tandem.1", &page(&command, "tandem")?)?;
    for command in command.get_subcommands().filter(|command| command.get_name() != "help") {
        let name = format!("tandem-{}", command.get_name());
        write_file(directory, &format!("{name}.1"), &page(command, &name)?)?;
    }
    Ok(Exit::Success)
}

fn page(command: &clap::Command, name: &str) -> Result<String, Failure> {
    // The long version has lines of its own, which a title has no room for.
    let command = command.clone().name(name.to_string()).long_version(None).version(env!("CARGO_PKG_VERSION"));
    let mut text = Vec::new();
    let rendered = Man::new(command).render(&mut text);
    let complain = |error: std::io::Error| Failure::file("man", format!("cannot write: {error}"), "");
    rendered.map_err(complain)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
