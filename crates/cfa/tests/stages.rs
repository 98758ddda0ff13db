//! Stage files: each `stages/NAME.c` names in its first lines what is to be shown of it, and the expected text stands beside it.
//!
//! ```c
//! // stage: cfa          the text form, in NAME.cfa
//! // stage: labels       functions, nodes and C labels, in NAME.labels
//! // stage: dot          the drawing, in NAME.dot
//! // stage: check        nothing beside the checks that every file gets
//! // model: ILP32        LP64 without this line
//! ```
//!
//! Every program must be well-formed and come back from its text form, whatever its stage. `BLESS=1 cargo test` writes the
//! expected texts anew.

use std::fmt::Write;
use std::path::Path;

use tandem_base::SourceText;
use tandem_cfa::check::check;
use tandem_cfa::{Program, build, c_print, dot, text};
use tandem_syntax::DataModel;

#[test]
fn every_stage_file() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stages");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "c"));
    files.sort();
    assert!(files.len() > 10, "only {} stage files", files.len());
    let wrong: Vec<String> = files.iter().filter_map(|file| one(file).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn one(file: &Path) -> Result<(), String> {
    let name = file.file_name().unwrap().to_string_lossy().into_owned();
    let source = std::fs::read_to_string(file).map_err(|error| format!("{name}: {error}"))?;
    let header = |key: &str| {
        let lines = source.lines().take_while(|line| line.starts_with("//"));
        lines.filter_map(|line| line.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(": ")).next()
    };
    let model = header("model").and_then(DataModel::from_name).unwrap_or(DataModel::Lp64);
    let built = build(SourceText::plain(&name, source.clone().into_bytes()), model);
    let Some(program) = built.program else { return Err(format!("{name}: {:?}", built.problems)) };
    if let Some(violation) = check(&program).first() {
        return Err(format!("{name}: {violation}"));
    }
    let written = text::write(&program);
    let again = text::read(&written).map_err(|error| format!("{name}: not read back: {error}\n{written}"))?;
    if !text::same_program(&program, &again) {
        return Err(format!("{name}: another program comes back from its text"));
    }
    match header("stage") {
        Some("cfa") => compare(file, "cfa", &written),
        Some("labels") => compare(file, "labels", &labels(&program)),
        Some("dot") => compare(file, "dot", &dot::write(&program, dot::Options::default())),
        Some("check") => Ok(()),
        _ => Err(format!("{name}: its first lines name no stage")),
    }
}

/// The user's functions, an edge a line.
fn labels(program: &Program) -> String {
    let mut out = String::new();
    for function in program.functions.iter().filter(|function| !function.is_library) {
        let Some(body) = &function.body else { continue };
        let _ = writeln!(out, "{}: from {} to {}", function.name, body.entry, body.exit);
        for id in body.edges.iter() {
            let edge = &program.edges[id];
            let _ = write!(out, "  {} -> {}  {}", edge.source, edge.target, c_print::edge(program, id));
            if let Some((decision, outcome)) = edge.outcome {
                let _ = write!(out, "  # {decision} = {outcome}");
            }
            out.push('\n');
        }
    }
    out
}

fn compare(file: &Path, extension: &str, found: &str) -> Result<(), String> {
    let beside = file.with_extension(extension);
    if std::env::var_os("BLESS").is_some() {
        return std::fs::write(&beside, found).map_err(|error| format!("{}: {error}", beside.display()));
    }
    let expected = std::fs::read_to_string(&beside).unwrap_or_default();
    if expected == found {
        return Ok(());
    }
    let line = expected.lines().zip(found.lines()).position(|(e, f)| e != f);
    let line = line.unwrap_or_else(|| expected.lines().count().min(found.lines().count()));
    let at = |text: &str| text.lines().nth(line).unwrap_or("(end)").to_string();
    let name = beside.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Err(format!("{name}:{}: expected {}\n  found {}", line + 1, at(&expected), at(found)))
}
