//! Which tasks are run: from task sets and task definitions. Runs nothing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tandem_artifact::Property;
use tandem_artifact::format::{task_definition, task_set};
use tandem_base::Problem;
use tandem_syntax::DataModel;

use crate::input::{beside, expand, in_file, read_property, read_text, source_of_task};
use crate::message::Failure;

const ACCEPTED: &str =
    "accepted is a task set (.set), which has a pattern of task definitions a line, or a task definition (.yml)";

/// A task, and what its definition says about it.
#[derive(Clone, PartialEq, Debug)]
pub struct BenchTask {
    /// The set it belongs to.
    pub set: String,
    pub file: PathBuf,
    /// Folder and name, different from those of all other tasks.
    pub name: String,
    pub facts: Facts,
}

/// What a task definition says. A broken one says nothing; `verify` will say why.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Facts {
    /// Whether the property about errors holds.
    pub expected: Option<bool>,
    /// Wherever the results are looked at later.
    pub program: Option<PathBuf>,
    pub model: Option<DataModel>,
}

/// Sets keep the order in which they are given. Of each set, every `every`-th line is taken, beginning with the first.
pub fn collect(sets: &[PathBuf], every: u32) -> Result<Vec<BenchTask>, Failure> {
    let mut tasks = Vec::new();
    let mut names = BTreeSet::new();
    for path in &expanded(sets)? {
        let is_task = path.extension().is_some_and(|extension| extension == "yml" || extension == "yaml");
        let (set, files) = if is_task {
            ("single tasks".to_string(), vec![path.clone()])
        } else {
            (stem(path), tasks_of_set(path, every)?)
        };
        for file in files {
            let name = unused(name_of(&file), &mut names);
            tasks.push(BenchTask { set: set.clone(), name, facts: facts(&file).unwrap_or_default(), file });
        }
    }
    Ok(tasks)
}

/// The files that are meant; a name of no file may be a pattern.
fn expanded(sets: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in sets {
        let complain = |message: String| Failure::file(&path.display().to_string(), message, ACCEPTED);
        let found = expand(path).map_err(complain)?;
        if found.is_empty() {
            return Err(complain("there is no such file".into()));
        }
        files.extend(found);
    }
    Ok(files)
}

fn tasks_of_set(path: &Path, every: u32) -> Result<Vec<PathBuf>, Failure> {
    let text = read_text(path, ACCEPTED)?;
    let mut files = Vec::new();
    for (pattern, span) in task_set::read(&text).into_iter().step_by(every as usize) {
        let complain = |message: String| {
            let help = "each line names task definitions, relative to the set";
            in_file(path, &text, Problem::error(span, message).help(help))
        };
        let found = expand(&beside(path, &pattern)).map_err(complain)?;
        if found.is_empty() {
            return Err(complain(format!("there is no file `{pattern}`")));
        }
        files.extend(found);
    }
    Ok(files)
}

fn facts(file: &Path) -> Result<Facts, Failure> {
    let text = read_text(file, "a task definition (.yml)")?;
    let task = task_definition::read(&text).map_err(|problem| in_file(file, &text, problem))?;
    let is_about_errors = |name: &str| matches!(read_property(&beside(file, name)), Ok(Property::Unreachable(_)));
    let property = task.properties.iter().find(|property| is_about_errors(&property.property_file));
    Ok(Facts {
        expected: property.and_then(|property| property.expected_verdict),
        program: source_of_task(file, &text, &task).ok().map(|path| std::path::absolute(&path).unwrap_or(path)),
        model: task.data_model,
    })
}

/// The folder and the name without its ending.
fn name_of(file: &Path) -> String {
    let folder = file.parent().and_then(Path::file_name).unwrap_or_default();
    Path::new(folder).join(stem(file)).display().to_string()
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The name, with a number behind it if another task has it already.
fn unused(name: String, names: &mut BTreeSet<String>) -> String {
    let numbered = (2u32..).map(|number| format!("{name}-{number}"));
    let free = std::iter::once(name.clone()).chain(numbered).find(|candidate| !names.contains(candidate));
    let free = free.unwrap_or(name);
    names.insert(free.clone());
    free
}
