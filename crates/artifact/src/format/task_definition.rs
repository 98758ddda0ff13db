//! Task definitions (`.yml`), format 2.0: the program's files, the properties with the verdicts expected, the data model.

use serde::Deserialize;
use serde_saphyr::{Location, Spanned};
use tandem_base::{Problem, Span};
use tandem_cfa::DataModel;

use crate::{Task, TaskProperty};

const ACCEPTED: &str = "a task definition of format 2.0 has `format_version: '2.0'`, `input_files` (a name or a list), `properties` \
     (a list of `property_file` with an optional `expected_verdict`) and `options` (`language: C`, `data_model: ILP32` or `LP64`)";

/// Keys that are not known here are reserved by the format and left alone.
#[derive(Deserialize)]
struct Definition {
    format_version: Spanned<String>,
    input_files: Names,
    #[serde(default)]
    properties: Vec<PropertyEntry>,
    #[serde(default)]
    options: Options,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Names {
    One(Spanned<String>),
    Many(Vec<Spanned<String>>),
}

#[derive(Deserialize)]
struct PropertyEntry {
    property_file: Spanned<String>,
    expected_verdict: Option<bool>,
    subproperty: Option<String>,
}

#[derive(Deserialize, Default)]
struct Options {
    language: Option<Spanned<String>>,
    data_model: Option<Spanned<String>>,
}

/// Reads a task definition.
pub fn read(text: &str) -> Result<Task, Problem> {
    let definition: Definition = serde_saphyr::from_str(text).map_err(|error| {
        let span = error.location().map_or(Span::new(0, 1), |location| span_of(text, location, 1));
        Problem::error(span, first_line(&error)).help(ACCEPTED)
    })?;
    let complain = |value: &Spanned<String>, message: &str| {
        Err(Problem::error(place(text, value), format!("{message}: `{}`", value.value)).help(ACCEPTED))
    };
    if !definition.format_version.value.starts_with('2') {
        return complain(&definition.format_version, "unknown format version of a task definition");
    }
    if let Some(language) = definition.options.language.as_ref().filter(|language| language.value != "C") {
        return complain(language, "unknown language");
    }
    let data_model = match &definition.options.data_model {
        None => None,
        Some(model) => match model.value.as_str() {
            "ILP32" => Some(DataModel::Ilp32),
            "LP64" => Some(DataModel::Lp64),
            _ => return complain(model, "unknown data model"),
        },
    };
    let names = match definition.input_files {
        Names::One(name) => vec![name],
        Names::Many(names) => names,
    };
    let input_files = names.into_iter().map(|name| (name.value.clone(), place(text, &name))).collect();
    let properties = definition.properties.into_iter().map(|entry| property(text, entry)).collect();
    Ok(Task { input_files, properties, data_model })
}

fn property(text: &str, entry: PropertyEntry) -> TaskProperty {
    let span = place(text, &entry.property_file);
    let PropertyEntry { property_file, expected_verdict, subproperty } = entry;
    TaskProperty { property_file: property_file.value, span, expected_verdict, subproperty }
}

fn place(text: &str, value: &Spanned<String>) -> Span {
    // The place is lost where one of several forms is accepted; the value itself is not hard to find.
    if value.referenced.line() == 0 {
        let at = text.find(&value.value).unwrap_or(0);
        return Span::new(at as u32, (at + value.value.len()) as u32);
    }
    span_of(text, value.referenced, value.value.len())
}

/// Lines and columns of the YAML reader count characters.
fn span_of(text: &str, location: Location, length: usize) -> Span {
    let line_index = (location.line() as usize).saturating_sub(1);
    let before: usize = text.split_inclusive('\n').take(line_index).map(str::len).sum();
    let line = text.split_inclusive('\n').nth(line_index).unwrap_or("");
    let column_index = (location.column() as usize).saturating_sub(1);
    let within = line.char_indices().nth(column_index).map_or(line.len(), |(at, _)| at);
    let lo = before + within;
    Span::new(lo as u32, (lo + length) as u32)
}

fn first_line(error: &serde_saphyr::Error) -> String {
    let message = error.without_snippet().to_string();
    let message = message.lines().next().unwrap_or("not a YAML text");
    // The reader repeats the place in its message; ours names it already.
    let message = message.split(" at line ").next().unwrap_or(message);
    let message = message.strip_prefix("error: ").unwrap_or(message);
    format!("not a task definition: {message}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TASK: &str = "format_version: '2.0'\ninput_files: 'a.i'\nproperties:\n  - property_file: ../unreach-call.prp\n    \
                        expected_verdict: false\noptions:\n  language: C\n  data_model: ILP32\n";

    #[test]
    fn reads_a_task() {
        let task = read(TASK).unwrap();
        assert_eq!(task.input_files[0].0, "a.i");
        assert_eq!(task.input_files[0].1.lo as usize, TASK.find("a.i").unwrap());
        assert_eq!(task.data_model, Some(DataModel::Ilp32));
        assert_eq!(task.properties[0].property_file, "../unreach-call.prp");
        assert_eq!(task.properties[0].expected_verdict, Some(false));
        let span = task.properties[0].span;
        assert_eq!(&TASK[span.lo as usize..span.hi as usize], "../unreach-call.prp");
    }

    #[test]
    fn lists_and_missing_parts() {
        let task = read("format_version: \"2.0\"\ninput_files:\n  - a.c\n  - b.c\nfuture_key: [1, 2]\n").unwrap();
        let names: Vec<&str> = task.input_files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a.c", "b.c"]);
        assert_eq!((task.properties.len(), task.data_model), (0, None));
    }

    #[test]
    fn problems_have_a_place() {
        for (text, at, message) in [
            (TASK.replace("ILP32", "ILP33"), TASK.find("ILP32").unwrap(), "unknown data model: `ILP33`"),
            (TASK.replace("'2.0'", "'3.0'"), TASK.find("'2.0'").unwrap(), "unknown format version"),
            (TASK.replace(": C", ": Java"), TASK.find("C\n").unwrap(), "unknown language"),
            (TASK.replace("false", "perhaps"), TASK.find("false").unwrap(), "not a task definition"),
            ("format_version: '2.0'\n".into(), 0, "input_files"),
            ("a: [1\nb".into(), 3, "not a task definition"),
        ] {
            let problem = read(&text).unwrap_err();
            assert!(problem.message.contains(message), "{text}: {}", problem.message);
            assert_eq!(problem.span.lo as usize, at, "{text}: {}", problem.message);
            assert!(problem.help.unwrap().contains("format 2.0"));
        }
    }
}
