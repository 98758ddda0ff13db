//! docs/tutorial.md is true: its commands are run one after the other, and print what the page says they print.

mod common;

use std::path::Path;
use std::process::Command;

use common::Directory;

const PAGE: &str = include_str!("../../../docs/tutorial.md");

/// Commands, each with the lines that the page shows below it.
fn commands() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut commands: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut inside = false;
    for line in PAGE.lines() {
        match (line, inside) {
            ("```console", false) => inside = true,
            ("```", true) => inside = false,
            (line, true) => match (line.strip_prefix("$ "), commands.last_mut()) {
                (Some(command), _) => commands.push((command, Vec::new())),
                (None, Some((_, expected))) => expected.push(line),
                (None, None) => panic!("output before the first command"),
            },
            _ => {}
        }
    }
    commands
}

/// Whether the line is the one that is shown; `...` stands for anything.
fn is_like(line: &str, shown: &str) -> bool {
    match shown.split_once("...") {
        Some((begin, end)) => line.starts_with(begin) && line.ends_with(end),
        None => line.trim_end() == shown,
    }
}

#[test]
fn every_command_prints_what_the_page_says() {
    let directory = Directory::new("tutorial");
    let examples = directory.path().join("examples");
    std::fs::create_dir_all(&examples).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for entry in std::fs::read_dir(source).unwrap().flatten().filter(|entry| entry.path().is_file()) {
        std::fs::copy(entry.path(), examples.join(entry.file_name())).unwrap();
    }
    let binary = Path::new(env!("CARGO_BIN_EXE_tandem")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
    let commands = commands();
    assert!(commands.len() >= 10, "only {} commands", commands.len());
    for (command, expected) in commands {
        let mut shell = Command::new("sh");
        let run = shell.args(["-c", command]).current_dir(directory.path()).env("PATH", &path).output().unwrap();
        let text = String::from_utf8_lossy(&run.stdout) + String::from_utf8_lossy(&run.stderr);
        let mut lines = text.lines();
        for shown in expected {
            assert!(lines.any(|line| is_like(line, shown)), "`{command}` does not print `{shown}`, but\n{text}");
        }
    }
}

#[test]
fn the_page_shows_the_example() {
    let program = include_str!("../../../examples/branches.c");
    let code = PAGE.split("```c\n").nth(1).unwrap().split("```").next().unwrap();
    for line in code.lines() {
        assert!(program.lines().any(|own| own.trim() == line.trim()), "{line}");
    }
}
