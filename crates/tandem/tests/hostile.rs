//! Inputs that are no programs: each gets one message with its place, exit status 2, in seconds.

mod common;

use std::time::Duration;

use common::{Directory, Run, tandem};

/// The tests run a build without all optimisations, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn cfa(name: &str, content: impl AsRef<[u8]>) -> (String, Run) {
    let directory = Directory::new(name);
    let file = directory.file(&format!("{name}.c"), content);
    let run = tandem(&["cfa", &file]);
    (file, run)
}

/// One message: the first line names the place and says what is wrong, then comes the line, last what is accepted.
fn assert_message(file: &str, run: &Run, place: &str, message: &str, shown: &str) {
    assert_eq!(run.status, Some(2), "{run:?}");
    assert_eq!(run.stdout, "");
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert!(lines[0].starts_with(&format!("{file}:{place}")), "{place}: {}", run.stderr);
    assert_eq!(run.stderr.matches("error: ").count(), 1, "{}", run.stderr);
    assert!(lines[0].contains(message), "{message}: {}", run.stderr);
    assert!(lines[1].contains(shown), "{shown}: {}", run.stderr);
    assert!(lines.last().unwrap().starts_with("help: "), "{}", run.stderr);
    assert!(run.stderr.len() < 2000, "{} bytes", run.stderr.len());
    assert!(run.time < PATIENCE, "{:?}", run.time);
}

#[test]
fn binary_junk() {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let with_zeros: Vec<u8> = (0..20_000).map(|_| next()).collect();
    let (file, run) = cfa("zeros", &with_zeros);
    assert_message(&file, &run, "", "not a text", "");
    let without: Vec<u8> = with_zeros.iter().map(|byte| (*byte).max(1)).filter(|byte| *byte != b'#').collect();
    let (file, run) = cfa("junk", &without);
    assert_message(&file, &run, "1:", "", "");
}

#[test]
fn a_cut_off_file() {
    let (file, run) = cfa("cut", "int main(void) {\n  int x = 1;\n  if (x) {\n    x =");
    assert_message(&file, &run, "4:8: ", "expected an expression, found end of file", "    x =");
    let (file, run) = cfa("cut-comment", "int main(void) { return 0; }\nint x; /* never ends\n\n");
    assert_message(&file, &run, "2:", "comment", "int x;");
    let (file, run) = cfa("cut-string", "int main(void) {\n  char *s = \"abc\n");
    assert_message(&file, &run, "2:13: ", "", "char *s");
}

#[test]
fn a_line_of_ten_megabytes() {
    let text = format!("int main(void) {{ int x = 0; {}return y; }}", "x = x + 1; ".repeat(1_000_000));
    let (file, run) = cfa("line", &text);
    assert_message(&file, &run, "1:11000036: ", "undeclared", "return y;");
    let (file, run) = cfa("sum", format!("int main(void) {{ return {}1; }}", "1+".repeat(5_000_000)));
    assert_message(&file, &run, "1:", "", "1+1+1");
}

#[test]
fn deep_nesting() {
    let text = format!("int main(void) {{\n  return {}1{};\n}}\n", "(".repeat(100_000), ")".repeat(100_000));
    let (file, run) = cfa("parentheses", &text);
    assert_message(&file, &run, "2:", "nested", "((((");
    let value = |prefix: &str| format!("int main(void) {{ return {}1; }}", prefix.repeat(100_000));
    // Accepted or refused, but never a crash.
    for (name, text) in [
        ("unary", value("- ")),
        ("conditional", value("1 ? 1 : ")),
        ("cast", value("(int)")),
        ("comma", value("1, ")),
        ("and", value("1 && ")),
        ("blocks", format!("int main(void) {{ {}", "{".repeat(100_000))),
        ("stars", format!("int {}x; int main(void) {{ return 0; }}", "*".repeat(100_000))),
        ("ifs", format!("int main(void) {{ {} ; }}", "if (1) ".repeat(100_000))),
        ("elses", format!("int main(void) {{ {} ; }}", "if (1) ; else ".repeat(100_000))),
        ("structs", format!("{} int main(void) {{ return 0; }}", "struct { ".repeat(100_000))),
        ("initializers", format!("int x = {}; int main(void) {{ return 0; }}", "{".repeat(100_000))),
    ] {
        let (_, run) = cfa(name, &text);
        assert!(matches!(run.status, Some(0 | 2)), "{name}: {run:?}");
        assert!(run.time < PATIENCE, "{name}: {:?}", run.time);
    }
}

#[test]
fn many_case_labels() {
    let cases: String = (0..131_072).map(|number| format!("case {number}:\n")).collect();
    let text = format!("int main(void) {{\n  int x = 0;\n  switch (x) {{\n{cases}    return 1; }}\n  return 0; }}\n");
    let (file, run) = cfa("cases", &text);
    if run.status != Some(0) {
        assert_message(&file, &run, "", "", "case ");
    }
    assert!(run.time < PATIENCE, "{:?}", run.time);
}

#[test]
fn a_missing_include() {
    let (file, run) = cfa("include", "#include <stdio.h>\nint main(void) { return 0; }\n  #include \"not/there.h\"\n");
    assert_message(&file, &run, "3:12: ", "`not/there.h` was not found", "#include \"not/there.h\"");
    assert!(run.stderr.contains("-I DIR"));
}

#[test]
fn not_a_file() {
    let directory = Directory::new("not-a-file");
    for (path, message) in [
        (directory.path().display().to_string(), "this is a directory"),
        (directory.path().join("none.c").display().to_string(), "there is no such file"),
        ("/dev/null".to_string(), "this is not a regular file"),
    ] {
        let run = tandem(&["cfa", &path]);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{run:?}");
        assert!(run.stderr.starts_with(&format!("{path}: error: {message}\nhelp: ")), "{}", run.stderr);
    }
}

#[test]
fn no_main_function() {
    for (name, text) in [("empty", ""), ("blank", "\n\n"), ("nothing", "int f(void) { return 0; }\n")] {
        let (file, run) = cfa(name, text);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{run:?}");
        assert!(run.stderr.starts_with(&format!("{file}: error: no main function\nhelp: ")), "{}", run.stderr);
    }
}

#[test]
fn contradictory_declarations() {
    let main = "int main(void) { return 0; }\n";
    let (file, run) = cfa("types", format!("int x;\nchar *x;\n{main}"));
    assert_message(&file, &run, "2:7: ", "conflicting types for 'x'", "char *x;");
    let (file, run) = cfa("functions", format!("int f(int);\ndouble f(char *p) {{ return 0; }}\n{main}"));
    assert_message(&file, &run, "2:8: ", "conflicting types for 'f'", "double f");
    let (file, run) = cfa("twice", format!("int f(void) {{ return 0; }}\nint f(void) {{ return 1; }}\n{main}"));
    assert_message(&file, &run, "2:5: ", "f", "return 1");
    let (file, run) = cfa("records", format!("struct s {{ int a; }};\nstruct s {{ int b; }};\n{main}"));
    assert_message(&file, &run, "2:", "s", "int b");
}

#[test]
fn positions_are_those_of_the_file_given() {
    let (file, run) =
        cfa("markers", "# 100 \"other.h\"\nint x;\n# 7 \"zzz.c\"\n#line 9\nint main(void) { return y; }\n");
    assert_message(&file, &run, "5:25: ", "undeclared", "return y;");
    // The same behind a macro and a comment, which the preprocessor replaces.
    let text = "# 100 \"other.h\"\n#define ZERO 0000\nint main(void) { int /* a comment */ x = ZERO;\treturn y; }\n";
    let (file, run) = cfa("macros", text);
    let column = text.lines().nth(2).unwrap().find("y;").unwrap() + 1;
    assert_message(&file, &run, &format!("3:{column}: "), "undeclared", "x = ZERO; return y;");
}

#[test]
fn errors_in_headers_stand_in_the_header() {
    let directory = Directory::new("headers");
    let header = directory.file("bad.h", "int a;\nint b c;\n");
    let file = directory.file("main.c", "#include \"bad.h\"\nint main(void) { return 0; }\n");
    let run = tandem(&["cfa", &file]);
    assert_message(&header, &run, "2:", "", "int b c;");
}

#[test]
fn latin_1_is_fine_in_comments_and_strings() {
    let (_, run) = cfa("latin", b"/* gr\xfc\xdfe */ char *s = \"\xe4\"; // \xff\nint main(void) { return 0; }\n");
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
}

#[test]
fn bad_tasks_and_properties() {
    let directory = Directory::new("tasks");
    directory.file("a.c", "int main(void) { return 0; }\n");
    let task = |model: &str, input: &str| {
        format!("format_version: '2.0'\ninput_files: '{input}'\nproperties: []\noptions:\n  data_model: {model}\n")
    };
    let file = directory.file("model.yml", task("ILP16", "a.c"));
    assert_message(&file, &tandem(&["cfa", &file]), "5:15: ", "unknown data model: `ILP16`", "ILP16");
    let file = directory.file("input.yml", task("LP64", "b.c"));
    assert_message(&file, &tandem(&["cfa", &file]), "2:15: ", "there is no file `b.c`", "b.c");
    let file = directory.file("yaml.yml", "input_files: [a.c\n");
    assert_message(&file, &tandem(&["cfa", &file]), "1:", "not a task definition", "input_files");
    let good = directory.file("good.yml", task("ILP32", "*.c"));
    let property = directory.file("end.prp", "CHECK( init(main()), LTL(F end) )\n");
    let run = tandem(&["exec", &good, "--property", &property]);
    assert_message(&property, &run, "1:26: ", "only the unreachability", "F end");
    let run = tandem(&["exec", &good, "--property", "termination"]);
    assert_eq!(run.status, Some(2));
    assert!(run.stderr.contains("coverage-branches"), "{}", run.stderr);
}

#[test]
fn bad_usage() {
    for arguments in [
        &["cfa"] as &[&str],
        &["frobnicate", "a.c"],
        &["cfa", "a.c", "--format", "png"],
        &["cfa", "a.c", "--time-limit", "soon"],
        &["exec", "a.c", "--inputs", "a.xml", "--suite", "b"],
    ] {
        let run = tandem(arguments);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{arguments:?}: {run:?}");
    }
}
