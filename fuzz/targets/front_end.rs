//! Any bytes as C: the front end and the lowering end, in time, and what they build is well-formed and survives its text
//! form. The first byte chooses the data model.

#![no_main]

use std::time::{Duration, Instant};

use libfuzzer_sys::fuzz_target;
use tandem_base::SourceText;
use tandem_cfa::check::check;
use tandem_cfa::{build, c_print, text};
use tandem_syntax::DataModel;

/// Inputs are a few kilobytes; what takes longer than this is a defect of its own.
const LONGEST: Duration = Duration::from_secs(10);

fuzz_target!(|data: &[u8]| {
    let Some((first, bytes)) = data.split_first() else { return };
    let model = if first % 2 == 0 { DataModel::Lp64 } else { DataModel::Ilp32 };
    let start = Instant::now();
    let built = build(SourceText::plain("fuzz.c", bytes.to_vec()), model);
    assert!(start.elapsed() < LONGEST, "took {:?}", start.elapsed());
    let Some(program) = built.program else { return };
    let violations = check(&program);
    assert!(violations.is_empty(), "{}", violations[0]);
    for edge in program.edges.ids() {
        c_print::edge(&program, edge);
    }
    if let Ok(again) = text::read(&text::write(&program)) {
        assert!(text::same_program(&program, &again), "another program comes back from the text");
    }
});
