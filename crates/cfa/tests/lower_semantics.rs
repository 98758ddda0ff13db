//! Programs that use every construct lowering knows, run by the interpreter and by what gcc makes of them. Needs gcc.

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use tandem_base::{Budget, SourceText};
use tandem_cfa::exec::{Machine, Options, Sink, Zeros};
use tandem_cfa::{build, check};
use tandem_syntax::{DataModel, on_large_stack};

/// What the interpreter prints.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("one writer").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn interpreted(source: Vec<u8>, model: DataModel) -> String {
    let output = Output::default();
    let sink = Sink::Write(Box::new(output.clone()));
    on_large_stack(move || {
        let built = build(SourceText::plain("test.c", source), model);
        let program = built.program.unwrap_or_else(|| panic!("{:?}", built.problems));
        assert_eq!(check::check(&program), []);
        let options = Options { output: sink, ..Options::default() };
        Machine::new(&program, options).run(&mut Zeros, &Budget::unlimited());
    })
    .expect("a thread");
    let bytes = output.0.lock().expect("one writer").clone();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn compiled(file: &Path, model: DataModel) -> String {
    let name = file.file_stem().expect("a name").to_string_lossy();
    let binary = std::env::temp_dir().join(format!("tandem-{name}-{model}-{}", std::process::id()));
    let width = if model == DataModel::Ilp32 { "-m32" } else { "-m64" };
    let done = Command::new("gcc").args([width, "-O0", "-w", "-o"]).arg(&binary).arg(file).status();
    assert!(done.expect("gcc").success());
    let output = Command::new(&binary).output().expect("its program");
    let _ = std::fs::remove_file(&binary);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn agree(name: &str, models: &[DataModel]) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name);
    for &model in models {
        let source = std::fs::read(&file).expect("the program");
        let expected = compiled(&file, model);
        assert!(!expected.is_empty());
        assert_eq!(interpreted(source, model), expected, "{name} {model}");
    }
}

const BOTH: [DataModel; 2] = [DataModel::Lp64, DataModel::Ilp32];

#[test]
fn objects_and_operators() {
    agree("objects.c", &BOTH);
}

#[test]
fn control_flow_and_types() {
    agree("control.c", &BOTH);
}

#[test]
fn old_style_definitions() {
    agree("old_style.c", &BOTH);
}

#[test]
fn integers_of_128_bits() {
    agree("wide.c", &[DataModel::Lp64]);
}
