//! Any text as a witness of format 2.x: the reader says no, with a place in the text, or what it read is written and read back
//! as the same witness.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tandem_artifact::Witness;
use tandem_artifact::format::witness_yaml::{read, write};

fuzz_target!(|data: &[u8]| {
    let Ok(input) = std::str::from_utf8(data) else { return };
    let witnesses = match read(input) {
        Ok(witnesses) => witnesses,
        Err(problem) => {
            let (lo, hi) = (problem.span.lo as usize, problem.span.hi as usize);
            assert!(lo <= hi && lo <= input.len(), "{problem:?}");
            return;
        }
    };
    let bare = |witness: Witness| Witness { skipped: Vec::new(), ..witness.without_spans() };
    let again = read(&write(&witnesses)).expect("what was written is read");
    let again: Vec<Witness> = again.into_iter().map(bare).collect();
    let witnesses: Vec<Witness> = witnesses.into_iter().map(bare).collect();
    assert_eq!(witnesses, again, "another witness comes back");
});
