//! Any text as a witness of format 1.0: the reader says no, with a place in the text, or what it read is written and read back
//! as the same automaton.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tandem_artifact::format::witness_graphml::{read, write};

fuzz_target!(|data: &[u8]| {
    let Ok(input) = std::str::from_utf8(data) else { return };
    let automaton = match read(input) {
        Ok(automaton) => automaton,
        Err(problem) => {
            let (lo, hi) = (problem.span.lo as usize, problem.span.hi as usize);
            assert!(lo <= hi && lo <= input.len(), "{problem:?}");
            return;
        }
    };
    // What XML cannot hold is replaced when it is written, so the first text may differ; the second may not.
    let written = read(&write(&automaton)).expect("what was written is read").without_spans();
    let again = read(&write(&written)).expect("what was written is read").without_spans();
    assert_eq!(written, again, "another automaton comes back");
    assert_eq!((automaton.nodes.len(), automaton.edges.len()), (again.nodes.len(), again.edges.len()));
});
