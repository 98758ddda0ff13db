//! Any text as a C expression about a small program: it is refused with a place inside the text, or the program with the
//! expressions in it is still well-formed.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tandem_base::SourceText;
use tandem_cfa::check::check;
use tandem_cfa::expression::{Context, Names, parse_expression, parse_formula};
use tandem_cfa::{DataModel, build, c_print};

const SOURCE: &str = "typedef unsigned word; struct s { int a; unsigned few : 3; struct s *next; union { int i; float f; }; };
enum { RED, GREEN = 4 }; int g; unsigned u; long l; char c; _Bool t; float f; double d; int *p; void *v; struct s n, *m;
int a[4], aa[2][3]; word w; int callee(int x); int main(void) { int local; local = g; return local; }";

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let built = build(SourceText::plain("fuzz.c", SOURCE.as_bytes().to_vec()), DataModel::Lp64);
    let Some(mut program) = built.program else { return };
    let names = Names::of(&program);
    let (Some(function), Some(at)) = (program.entry, SOURCE.find("return")) else { return };
    let context = Context { names: &names, function, at: at as u32, result: None };
    match parse_formula(&mut program, context, text) {
        Ok(formula) => formula.atoms().into_iter().for_each(|atom| drop(c_print::expr(&program, atom))),
        Err(problem) => assert!(problem.span.is_none() || problem.span.hi as usize <= text.len()),
    }
    let _ = parse_expression(&mut program, context, text);
    assert_eq!(check(&program), []);
});
