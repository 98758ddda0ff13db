//! Any text as a program: the reader says no, or what it read is written and read back as the same program.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tandem_cfa::{c_print, dot, json, text};

fuzz_target!(|data: &[u8]| {
    let Ok(input) = std::str::from_utf8(data) else { return };
    let Ok(program) = text::read(input) else { return };
    let again = text::read(&text::write(&program)).expect("what was written is read");
    assert!(text::same_program(&program, &again), "another program comes back");
    for edge in program.edges.ids() {
        c_print::edge(&program, edge);
    }
    dot::write(&program, dot::Options::default());
    json::write(&program);
});
