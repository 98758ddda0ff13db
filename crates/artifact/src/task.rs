//! A task: a program, what is asked about it, and the answer if it is known.
//!
//! Knows no file format; file names are as written, relative to the task's own file.

use tandem_base::Span;
use tandem_cfa::DataModel;

#[derive(Clone, PartialEq, Debug)]
pub struct Task {
    /// Patterns of the program's files, and where each is written.
    pub input_files: Vec<(String, Span)>,
    pub properties: Vec<TaskProperty>,
    pub data_model: Option<DataModel>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct TaskProperty {
    pub property_file: String,
    /// Where the name of the property file is written.
    pub span: Span,
    pub expected_verdict: Option<bool>,
    pub subproperty: Option<String>,
}
