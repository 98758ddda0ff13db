//! Any text as a query about a small program: it is refused with a place inside the text, or it is printed and read back as the same query, and
//! its first and last goals can be made.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tandem_artifact::fql::{Goals, Semantics, minimise, parse};
use tandem_base::SourceText;
use tandem_cfa::{DataModel, build};

const SOURCE: &str = "int g; int f(int a) { if (a > 0 && g) a = 1; else {} return a; }
int main(int c) { int x = f(c); while (x < 3) { x++; if (x == c) break; } out: g = x ? 2 : x; f(g); return 0; }";

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let query = match parse(text) {
        Ok(query) => query,
        Err(problem) => return assert!(problem.span.hi as usize <= text.len()),
    };
    assert_eq!(parse(&query.to_string()), Ok(query.clone()));
    let built = build(SourceText::plain("fuzz.c", SOURCE.as_bytes().to_vec()), DataModel::Lp64);
    let Some(program) = built.program else { return };
    for semantics in [Semantics::Tiger, Semantics::FShell] {
        match Goals::new(&program, &query, semantics) {
            Ok(goals) if goals.count() > 0 => {
                let first = goals.goal(0).expect("the first of several goals");
                let _ = (minimise(&first), goals.goal(goals.count() - 1).expect("the last goal"), goals.describe(0));
            }
            Ok(_) => {}
            Err(problem) => assert!(problem.span.is_none() || problem.span.hi as usize <= text.len()),
        }
    }
});
