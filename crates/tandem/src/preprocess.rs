//! The system's C preprocessor: `cc -E` in a child process, and the way back from its output to the user's file.
//!
//! Knows nothing of C beyond what the preprocessor prints.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tandem_base::{Position, SourceText};
use tandem_syntax::DataModel;

use crate::message::Failure;
use crate::token_places;

/// What the user wants the preprocessor to know.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub include_directories: Vec<String>,
    /// `NAME` or `NAME=VALUE`
    pub definitions: Vec<String>,
}

/// Runs the preprocessor on a text of the user's.
pub fn preprocess(file: &str, text: &[u8], model: DataModel, options: &Options) -> Result<SourceText, Failure> {
    let input = without_line_markers(file, text);
    let input = input.as_deref();
    // GCC can say where each token stood; other compilers do not know the option and say so.
    let mut output = run(file, input, model, options, true)?;
    let says_places = output.status.success();
    if !says_places && contains(&output.stderr, b"-fdebug-cpp") {
        output = run(file, input, model, options, false)?;
    }
    if !output.status.success() {
        return Err(explain(file, text, model, &String::from_utf8_lossy(&output.stderr)));
    }
    if says_places {
        let (stripped, places) = token_places::read(file, text, &output.stdout);
        // A note that was not understood must not be taken for C.
        if !contains(&stripped, b",LOC:") {
            return Ok(SourceText::preprocessed(file, stripped).with_places(places));
        }
        output = run(file, input, model, options, false)?;
    }
    Ok(SourceText::preprocessed(file, output.stdout))
}

/// Runs `cc -E` on the file, or on another text that stands for it.
fn run(file: &str, input: Option<&[u8]>, model: DataModel, options: &Options, places: bool) -> Result<Output, Failure> {
    let mut command = Command::new("cc");
    command.args(["-E", "-w", "-std=gnu11"]).env("LC_ALL", "C");
    if places {
        command.args(["-fdebug-cpp", "-ftrack-macro-expansion=0"]);
    }
    command.arg(match model {
        DataModel::Ilp32 => "-m32",
        DataModel::Lp64 => "-m64",
    });
    command.args(options.include_directories.iter().map(|directory| format!("-I{directory}")));
    command.args(options.definitions.iter().map(|definition| format!("-D{definition}")));
    command.args(["-x", "c"]);
    match input {
        None => command.arg(file).stdin(Stdio::null()),
        Some(_) => {
            let directory = Path::new(file).parent().filter(|parent| !parent.as_os_str().is_empty());
            command.arg("-iquote").arg(directory.unwrap_or(Path::new("."))).arg("-").stdin(Stdio::piped())
        }
    };
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => Failure::file(
            file,
            "this file needs the C preprocessor, and there is no `cc` on this machine",
            "install the Debian package gcc (and gcc-multilib for ILP32), or give an already preprocessed file",
        ),
        _ => Failure::file(file, format!("the C preprocessor `cc -E` could not be run: {error}"), "see `cc --version`"),
    };
    let mut child = command.spawn().map_err(failed)?;
    let stdin = child.stdin.take();
    std::thread::scope(|scope| {
        // A child that stops reading early says why on its standard error.
        scope.spawn(move || stdin.zip(input).map(|(mut pipe, input)| pipe.write_all(input)));
        child.wait_with_output()
    })
    .map_err(failed)
}

/// The user's text under the user's name for it with its own line markers blanked, if need be: positions are those of
/// this very file.
fn without_line_markers(file: &str, text: &[u8]) -> Option<Vec<u8>> {
    let lines = || text.split_inclusive(|byte| *byte == b'\n');
    // A name that looks like an option cannot be given to `cc`.
    if !file.starts_with('-') && !lines().any(is_line_marker) {
        return None;
    }
    let name = file.replace('\\', "\\\\").replace('"', "\\\"");
    let mut input = format!("# 1 \"{name}\"\n").into_bytes();
    for line in lines() {
        if is_line_marker(line) { input.push(b'\n') } else { input.extend_from_slice(line) }
    }
    Some(input)
}

fn is_line_marker(line: &[u8]) -> bool {
    let Some(rest) = line.trim_ascii_start().strip_prefix(b"#") else { return false };
    let rest = rest.trim_ascii_start();
    let rest = rest.strip_prefix(b"line").map_or(rest, |rest| rest.trim_ascii_start());
    rest.first().is_some_and(u8::is_ascii_digit)
}

/// Makes a message of the preprocessor's first error.
fn explain(file: &str, text: &[u8], model: DataModel, stderr: &str) -> Failure {
    let error = stderr.lines().find_map(parse_error);
    let Some((position, message)) = error else {
        let said = stderr.lines().next().unwrap_or("it said nothing");
        return Failure::file(file, format!("the C preprocessor failed: {said}"), "`cc -E` must accept the file");
    };
    let is_missing = message.ends_with("No such file or directory");
    let is_own = &*position.file == file;
    let message = match message.strip_suffix(": No such file or directory") {
        Some(name) => format!("the include file `{name}` was not found"),
        None => message.to_string(),
    };
    let help = if is_missing && model == DataModel::Ilp32 && !is_own {
        "the headers for ILP32 are missing: install the Debian package gcc-multilib (or give --data-model LP64)"
    } else if is_missing {
        "an include file that exists beside the file, in the system's directories or in one given with -I DIR"
    } else {
        "a file that `cc -E` accepts; -D NAME=VALUE and -I DIR are passed on to it"
    };
    let mut failure = Failure::file(file, message, help);
    let read;
    let from = if is_own {
        text
    } else {
        read = std::fs::read(&*position.file).unwrap_or_default();
        &read
    };
    failure.place_at(&position, physical_line(from, position.line));
    failure
}

/// The line with this number, counted from one.
pub fn physical_line(text: &[u8], line: u32) -> &[u8] {
    let line = text.split(|byte| *byte == b'\n').nth((line as usize).saturating_sub(1)).unwrap_or(&[]);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// `file:line:column: fatal error: message`
fn parse_error(line: &str) -> Option<(Position, &str)> {
    let (place, message) = line.split_once(": fatal error: ").or_else(|| line.split_once(": error: "))?;
    let mut parts = place.rsplitn(3, ':');
    let column = parts.next()?.parse().ok()?;
    let line = parts.next()?.parse().ok()?;
    Some((Position { file: parts.next()?.into(), line, column }, message))
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preprocessed(text: &str) -> Result<SourceText, Failure> {
        // A marker of no consequence: the text is given on standard input then, and no file is needed.
        let text = format!("{text}\n# 1 \"x.c\"\n");
        preprocess("dir.d/a.c", text.as_bytes(), DataModel::Lp64, &Options::default())
    }

    fn position_of(text: &str, needle: &str) -> String {
        let source = preprocessed(text).unwrap();
        let at = String::from_utf8_lossy(source.text()).find(needle).unwrap();
        source.position(at as u32).to_string()
    }

    #[test]
    fn columns_are_those_before_the_preprocessor() {
        let text = "#define N 10\n#define ADD(a,b) ((a)+(b))\nint main(void) {\n\tint x = N + ADD(1, /* c */ 2)   + N;   int y;\n}\n";
        assert_eq!(position_of(text, "int x"), "dir.d/a.c:4:2");
        assert_eq!(position_of(text, "10"), "dir.d/a.c:4:10");
        assert_eq!(position_of(text, "((1"), "dir.d/a.c:4:14");
        assert_eq!(position_of(text, "1)"), "dir.d/a.c:4:18");
        assert_eq!(position_of(text, "y;"), "dir.d/a.c:4:45");
        assert_eq!(position_of(text, "}"), "dir.d/a.c:5:1");
    }

    #[test]
    fn macros_of_the_compiler_and_of_headers_leave_no_trace() {
        let text = "#include <stddef.h>\n#include <assert.h>\nint main(void) { size_t n = __INT_MAX__;  assert(n); return \"{P:a;F:b\"[0]; }\n";
        let source = preprocessed(text).unwrap();
        let stripped = String::from_utf8_lossy(source.text());
        assert!(stripped.contains("long unsigned int size_t;"), "{stripped}");
        assert_eq!(stripped.matches("{P:").count(), 1);
        let column = text.lines().nth(2).unwrap().find("assert").unwrap() + 1;
        assert_eq!(position_of(text, "((void) sizeof"), format!("dir.d/a.c:3:{column}"));
        assert_eq!(position_of(text, "0x7fffffff"), "dir.d/a.c:3:29");
    }

    #[test]
    fn line_markers_of_the_file_do_not_count() {
        let text = "#define N 1\n# 100 \"other.c\"\nint x = N;\n#line 7\nint y;\n";
        assert_eq!(position_of(text, "int x"), "dir.d/a.c:3:1");
        assert_eq!(position_of(text, "int y"), "dir.d/a.c:5:1");
    }

    #[test]
    fn a_missing_include_is_named_with_its_place() {
        let failure = preprocessed("int x;\n  #include <no/such/file.h>\n").unwrap_err();
        assert_eq!((failure.file.as_str(), failure.place), ("dir.d/a.c", Some((2, 12))));
        assert!(failure.message.contains("`no/such/file.h` was not found"));
        assert_eq!(failure.line, b"  #include <no/such/file.h>");
    }
}
