//! The program, the property and the data model that a command works on, from a C file or a task definition.
//!
//! The same for every command. Reads files; decides nothing about what is in them.

use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use tandem_analyses::LibraryValues;
use tandem_artifact::format::{property_file, task_definition};
use tandem_artifact::gia::Subject;
use tandem_artifact::{ProgramIdentity, Property, Task, sha256_hex};
use tandem_base::{Problem, SourceText, Span};
use tandem_syntax::{DataModel, needs_preprocessor};

use crate::arguments::Common;
use crate::message::Failure;
use crate::preprocess::{self, physical_line, preprocess};

const ACCEPTED: &str = "a C source file (.c, .i) or a task definition (.yml)";
/// Offsets into a text have 32 bits, and library models may be appended to it.
const LARGEST_FILE: u64 = 2_000_000_000;

/// A program as the front end takes it.
#[derive(Debug)]
pub struct Input {
    pub source: SourceText,
    /// The user's file as it is, before any preprocessing.
    pub original: Vec<u8>,
    pub model: DataModel,
    pub identity: ProgramIdentity,
    task: Option<(PathBuf, Vec<u8>, Task)>,
}

impl Input {
    fn new(source: SourceText, original: Vec<u8>, model: DataModel, task: Option<(PathBuf, Vec<u8>, Task)>) -> Input {
        let identity = ProgramIdentity::of(&source, model);
        Input { source, original, model, identity, task }
    }

    /// What artifacts about the program say that they are about.
    pub fn subject(&self) -> Subject {
        let file = self.source.file().to_string();
        Subject { file, file_hash: sha256_hex(&self.original), identity: self.identity.clone() }
    }

    /// A text that came from elsewhere, ready for the front end.
    pub fn sent(source: SourceText, model: DataModel) -> Input {
        let original = source.text().to_vec();
        Input::new(source, original, model, None)
    }

    /// What is taken for a value of the library: with a task definition, the rule of the competitions holds.
    pub fn library_values(&self) -> LibraryValues {
        if self.task.is_some() { LibraryValues::Any } else { LibraryValues::Contract }
    }
}

/// Reads the program.
pub fn load(common: &Common) -> Result<Input, Failure> {
    let path = &common.file;
    let is_task = path.extension().is_some_and(|extension| extension == "yml" || extension == "yaml");
    let option = common.data_model.map(DataModel::from);
    if !is_task {
        return load_source(path, option.unwrap_or(DataModel::Lp64), common, None);
    }
    let text = read_text(path, ACCEPTED)?;
    let task = task_definition::read(&text).map_err(|problem| in_file(path, &text, problem))?;
    let source = source_of_task(path, &text, &task)?;
    let model = option.or(task.data_model).unwrap_or(DataModel::Lp64);
    load_source(&source, model, common, Some((path.clone(), text.into_bytes(), task)))
}

fn load_source(
    path: &Path,
    model: DataModel,
    common: &Common,
    task: Option<(PathBuf, Vec<u8>, Task)>,
) -> Result<Input, Failure> {
    let name = path.display().to_string();
    let original = read_bytes(path, ACCEPTED)?;
    if let Some(at) = original.iter().position(|byte| *byte == 0) {
        let span = Span::new(at as u32, at as u32 + 1);
        let problem = Problem::error(span, "this is not a text: it has a byte that is zero").help(ACCEPTED);
        return Err(Failure::in_text(&name, &original, problem));
    }
    let options = preprocess::Options {
        include_directories: common.include_directories.clone(),
        definitions: common.definitions.clone(),
    };
    let source = if !options.definitions.is_empty() || needs_preprocessor(&original) {
        preprocess(&name, &original, model, &options)?
    } else {
        SourceText::plain(&name, original.as_slice())
    };
    Ok(Input::new(source, original, model, task))
}

/// The one source file of a task.
pub fn source_of_task(path: &Path, text: &str, task: &Task) -> Result<PathBuf, Failure> {
    let mut files = Vec::new();
    for (pattern, span) in &task.input_files {
        let complain = |message: String| {
            let help = "input_files names one C file, relative to the task definition";
            in_file(path, text, Problem::error(*span, message).help(help))
        };
        let found = expand(&beside(path, pattern)).map_err(complain)?;
        if found.is_empty() {
            return Err(complain(format!("there is no file `{pattern}`")));
        }
        files.extend(found);
        if files.len() > 1 {
            return Err(complain("a task with more than one source file is not supported".into()));
        }
    }
    files.pop().ok_or_else(|| {
        in_file(path, text, Problem::error(Span::new(0, 1), "the task names no input file").help(ACCEPTED))
    })
}

/// The files that match a pattern; a name that exists is taken as it is.
pub fn expand(path: &Path) -> Result<Vec<PathBuf>, String> {
    if path.exists() {
        return Ok(vec![path.to_path_buf()]);
    }
    let paths = glob::glob(&path.display().to_string()).map_err(|error| format!("not a file pattern: {error}"))?;
    Ok(paths.filter_map(Result::ok).collect())
}

impl Input {
    /// The property asked about: the option's, the task's (one about errors first), or that no usual error is reached.
    pub fn property(&self, common: &Common) -> Result<Property, Failure> {
        if let Some(given) = &common.property {
            return Property::named(given).map_or_else(|| read_property(Path::new(given)), Ok);
        }
        let Some((path, text, task)) = &self.task else { return Ok(Property::default()) };
        let (mut other, mut first_failure) = (None, None);
        for entry in &task.properties {
            let file = beside(path, &entry.property_file);
            if !file.exists() {
                let problem = Problem::error(entry.span, format!("there is no file `{}`", entry.property_file));
                let problem = problem.help("property_file names a file relative to the task definition");
                return Err(Failure::in_text(&path.display().to_string(), text, problem));
            }
            match read_property(&file) {
                Ok(property @ Property::Unreachable(_)) => return Ok(property),
                Ok(property) => other = other.or(Some(property)),
                // A task may list properties of other kinds; any that is understood will do.
                Err(failure) => first_failure = first_failure.or(Some(failure)),
            }
        }
        match (other, first_failure) {
            (Some(property), _) => Ok(property),
            (None, Some(failure)) => Err(failure),
            (None, None) => Ok(Property::default()),
        }
    }

    /// A message about a place of the program, with the line as the user wrote it.
    pub fn failure(&self, problem: Problem) -> Failure {
        let mut failure = Failure::in_source(&self.source, problem);
        if let (true, Some((line, _))) = (self.source.is_preprocessed(), failure.place) {
            let header;
            let text = if failure.file == self.source.file() {
                &self.original
            } else {
                header = std::fs::read(&failure.file).unwrap_or_default();
                &header
            };
            failure.line = physical_line(text, line).to_vec();
        }
        failure
    }
}

pub fn read_property(path: &Path) -> Result<Property, Failure> {
    let names = Property::NAMES.join(", ");
    let text = read_text(path, &format!("a property file (.prp) or one of the names {names}"))?;
    property_file::read(&text).map_err(|problem| in_file(path, &text, problem))
}

/// A file named relative to another.
pub fn beside(file: &Path, name: &str) -> PathBuf {
    file.parent().unwrap_or(Path::new("")).join(name)
}

pub fn in_file(path: &Path, text: &str, problem: Problem) -> Failure {
    Failure::in_text(&path.display().to_string(), text.as_bytes(), problem)
}

/// Reads a file that must be UTF-8.
pub fn read_text(path: &Path, accepted: &str) -> Result<String, Failure> {
    let bytes = read_bytes(path, accepted)?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to() as u32;
        let problem = Problem::error(Span::new(at, at + 1), "this is not a text in UTF-8").help(accepted);
        Failure::in_text(&path.display().to_string(), error.as_bytes(), problem)
    })
}

pub fn read_bytes(path: &Path, accepted: &str) -> Result<Vec<u8>, Failure> {
    let complain =
        |message: &str| Failure::file(&path.display().to_string(), message, format!("accepted is {accepted}"));
    let metadata = std::fs::metadata(path).map_err(|error| complain(&describe(&error)))?;
    if metadata.is_dir() {
        return Err(complain("this is a directory"));
    }
    if !metadata.is_file() && !metadata.file_type().is_fifo() {
        return Err(complain("this is not a regular file"));
    }
    if metadata.len() > LARGEST_FILE {
        return Err(complain("the file is larger than 2 GB"));
    }
    std::fs::read(path).map_err(|error| complain(&describe(&error)))
}

fn describe(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".into(),
        std::io::ErrorKind::PermissionDenied => "the file may not be read".into(),
        _ => format!("the file cannot be read: {error}"),
    }
}
