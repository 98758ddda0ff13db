//! The tables against the lists, and the models against the C library of the machine.

use std::process::Command;

use super::contract::contract_names;
use super::list::{BUILTINS, LIBC, header};
use super::*;

/// The list that the script makes on this machine, if the version is the one that is kept.
fn made_here(list: &str, kept: &str) -> Option<String> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/library-list.sh");
    let output = Command::new("sh").args([script, list]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    if text.lines().next() == kept.lines().next() {
        return Some(text);
    }
    eprintln!("skipped: {:?} is installed, the list is of {:?}", text.lines().next(), kept.lines().next());
    None
}

#[test]
fn the_lists_are_those_of_the_pinned_versions() {
    for (list, kept) in [("libc", LIBC), ("builtins", BUILTINS)] {
        if let Some(here) = made_here(list, kept) {
            let missing: Vec<&str> = here.lines().filter(|line| !kept.lines().any(|old| old == *line)).collect();
            let gone: Vec<&str> = kept.lines().filter(|line| !here.lines().any(|new| new == *line)).collect();
            assert!(missing.is_empty() && gone.is_empty(), "missing: {missing:?}; gone: {gone:?}");
        }
    }
}

#[test]
fn every_listed_function_and_builtin_is_classified() {
    for line in LIBC.lines().skip(1) {
        let name = line.split(' ').next().unwrap();
        assert!(lookup(name).is_some(), "{name}");
        assert!(header(name).is_some(), "{line}");
    }
    for name in BUILTINS.lines().skip(1) {
        assert!(lookup(name).is_some(), "{name}");
    }
}

#[test]
fn a_contract_is_about_a_function_of_the_library_that_nothing_else_models() {
    for name in contract_names() {
        let other = ["__tandem_", "_IO_", "pow10"].iter().any(|prefix| name.starts_with(prefix));
        assert!(other || header(name).is_some() || name.ends_with("_chk"), "{name} is not in the list");
        assert!(matches!(lookup(name), Some(Model::Primitive(Primitive::Contract(_)))), "{name} has a model");
    }
}

#[test]
fn what_writes_or_calls_back_has_no_contract() {
    let names = [
        "stat",
        "pipe",
        "pread",
        "mktime",
        "qsort_r",
        "tsearch",
        "at_quick_exit",
        "setenv",
        "getopt",
        "mbstowcs",
        "sincos",
        "lgamma",
        "fesetenv",
        "on_exit",
        "strftime",
        "__builtin_clear_padding",
        "__builtin_unknown",
        "__sprintf_chk",
        "setlocale",
        "pthread_mutex_lock",
        "execv",
        "kill",
        "localtime",
        "sinf128",
        "csqrt",
    ];
    for name in names {
        assert_eq!(lookup(name), Some(Model::Primitive(Primitive::Unmodelled)), "{name}");
    }
}

#[test]
fn contracts_have_their_ranges() {
    let range = |name| match lookup(name) {
        Some(Model::Primitive(Primitive::Contract(contract))) => contract.range,
        other => panic!("{name}: {other:?}"),
    };
    assert_eq!(range("rand"), Some((0, 2147483647)));
    assert_eq!(range("getc"), Some((-1, 255)));
    assert_eq!(range("isatty"), Some((0, 1)));
    assert_eq!(range("getenv"), None);
    let contract = Contract { range: Some((-1, 255)), sets_errno: false };
    assert_eq!([-1, 255, 256, -2].map(|value| contract.nearest(value)), [-1, 255, -1, 255]);
}

#[test]
fn a_count_conversion_is_seen_in_texts_only() {
    for text in [r#"printf("%n", &x);"#, r#"char f[] = "a%-5lln";"#, "\"%\" \"hhn\"", r#""%%%n""#, r#"L"\x25n""#] {
        assert!(writes_counts(text.as_bytes()), "{text}");
    }
    for text in [r#"printf("%d\n", a %n);"#, r#""%%n""#, "'\"' %n '\"'", r#""100%" + n"#, r#"f("%s", "n");"#] {
        assert!(!writes_counts(text.as_bytes()), "{text}");
    }
}

#[test]
fn the_models_are_c() {
    let text: String = model_names().filter_map(source_of).collect();
    for model in ["-m32", "-m64"] {
        let mut compiler = std::process::Command::new("gcc");
        compiler.args([
            "-std=gnu11",
            "-fsyntax-only",
            "-Wall",
            "-Werror",
            "-Wno-unused-parameter",
            model,
            "-x",
            "c",
            "-",
        ]);
        let mut child = compiler.stdin(std::process::Stdio::piped()).spawn().expect("gcc");
        std::io::Write::write_all(child.stdin.as_mut().unwrap(), text.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
    }
}
