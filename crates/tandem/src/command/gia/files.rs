//! The files of `tandem gia`: programs and automata read, results written.

use std::path::Path;

use tandem_artifact::format::gia_yaml;
use tandem_artifact::gia::{Gia, Subject};
use tandem_cfa::Program;

use crate::arguments::{Common, GIA};
use crate::input::{Input, in_file, load, read_text};
use crate::message::Failure;
use crate::{output, program};

pub const ACCEPTED: &str = "an exchange automaton (gia.yml)";

/// A program that automata are about.
pub struct About {
    pub input: Input,
    pub program: Program,
}

impl About {
    pub fn load(common: &Common) -> Result<About, Failure> {
        let input = load(common)?;
        let program = program::build(&input)?;
        Ok(About { input, program })
    }

    pub fn subject(&self) -> Subject {
        self.input.subject()
    }

    /// Reads an automaton about the program.
    pub fn read(&self, path: &Path) -> Result<Gia, Failure> {
        read_gia(path, &self.program, &self.input)
    }
}

/// Reads an automaton about this program.
pub fn read_gia(path: &Path, program: &Program, input: &Input) -> Result<Gia, Failure> {
    let text = read_text(path, ACCEPTED)?;
    gia_yaml::read(&text, program, &input.subject()).map_err(|problem| in_file(path, &text, problem))
}

/// Says what is not believed of an automaton from a file.
pub fn say_doubts(path: Option<&Path>, doubts: &[String]) {
    let path = path.unwrap_or(Path::new(GIA)).display();
    for doubt in doubts {
        eprintln!("tandem: note: {path}: {doubt}; it is not used (--trust {GIA} believes it)");
    }
}

/// Writes a file, whole or not at all.
pub fn write(path: &Path, content: &str) -> Result<(), Failure> {
    let directory = match path.parent() {
        Some(directory) if !directory.as_os_str().is_empty() => directory,
        _ => Path::new("."),
    };
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return Err(Failure::file(
            &path.display().to_string(),
            "this is no name of a file",
            "a file that can be written",
        ));
    };
    output::write_file(directory, name, content)
        .map_err(|failure| Failure { help: Some("accepted is a file that can be written".into()), ..failure })
}
