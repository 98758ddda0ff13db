//! Round trips of hand-written programs, and what the reader says about texts that are none.

use super::{read, same_program, write};

/// Every kind of type, variable, expression, place, step and annotation.
const EVERYTHING: &str = r#"
tandem cfa 1
file "odd \"name\".c"
model LP64
entry main
record struct pair#0 size 24 align 8 {
  a: int at 0;
  b: unsigned int at 4 bits 0 width 3;
  unnamed: unsigned int at 4 bits 3 width 5;
  next: struct pair#0* at 8;
  inner: union pair at 16;
}
record union pair#1 size 8 align 8 { i: int at 0; d: double at 0; }
record struct #2 size 0 align 1 incomplete {}
record struct pair#3 size 1 align 1 variable { c: char at 0; }
type#0 = int
type#1 = char
type#2 = char*
type#3 = int(char*, ...)
type#4 = struct pair#0
type#5 = int[3]
type#6 = int[3]*
type#7 = int[vla#2]
type#8 = unsupported "float _Complex"
type#9 = void
type#10 = void(?)
type#11 = type#3*
global x#0: int @ 1:5 [4-5] scope [0-900] memory = { 0: 5; }
global s#1: struct pair#0 @ "h.h":1:5 [4-5] memory = { 0: -7; 4 bits 0 width 3: 5u; 8: &s; 16: 2.5; }
string '"lit"'#2: char[4] @ none memory = { 0: bytes "a\x00\"\n"; }
static x#3: long @ none memory
external e#4: double @ none
global fp#14: int(char*, ...)* @ none memory = { 0: fn printf; }
global q#15: int* @ none memory = { 0: <int*>&a#16 + 2l; }
global a#16: int[3] @ none memory
function printf#0: int(char*, ...) @ 3:1 [20-30] {}
function main#1: int(int, char**) @ 4:5 [40-44] {
  parameter argc#5: int @ 4:10 [45-49] scope [40-800]
  parameter argv#6: char** @ none
  local i#7: int @ none
  local i#8: unsigned long @ none
  local 'while'#9: _Bool @ none
  local f#10: float @ none
  local d#17: long double @ none
  local p#11: struct pair#0* @ none memory
  temporary $1#12: __int128 @ none
  temporary $2#18: int @ none
  static i#13: int @ none memory = { 0: <int>0xffffffff; }
  local m#19: int[3][4] @ none memory
  local uc#20: unsigned char @ none
  parameters argc, argv
  locals i#7, i#8, 'while', f, d, p, $1, $2, m, uc
  nodes n0 to n29 entry n0 exit n1
  edges e0 to e29
  loop n3 @ 5:3 [50-60]
  label again n3
  label 'odd label' n4
  decision 0: if outcomes 2 @ 5:4 [51-53] statement [50-60]
  decision 1: switch outcomes 5 @ 5:4 [51-53] statement none
  condition 0: decision 0 @ 5:4 [51-53]
  statement 0: n2 @ none
  statement 1: n3 @ 5:3 [50-60]
  e0: n0 -> n2 declare i#7 @ none
  e1: n2 -> n3 skip @ none
  e2: n3 -> n4 assume i#7 < 5 @ none condition 0 decision 0 = 1
  e3: n3 -> n5 assume not i#7 < 5 @ none condition 0 decision 0 = 0
  e4: n4 -> n6 i#7 = i#7 + 1 + (x#0 * 2) @ none
  e5: n5 -> n6 x#0 = -x#0 @ none
  e6: n6 -> n7 x#3 = (long)x#0 << 3 @ none
  e7: n7 -> n8 p->a = ~p->next->a @ none
  e8: n8 -> n9 (*p).b = (p->b & 7u) ^ 1u @ none
  e9: n9 -> n10 a[p->a] = -(5) - -5 @ none
  e10: n10 -> n11 i#8 = (unsigned long)(p - &s) @ none
  e11: n11 -> n12 'while' = <_Bool>1 @ none
  e12: n12 -> n13 f = 1.5f * -0.0f @ none
  e13: n13 -> n14 d = <long double>0x3fff8000000000000000 @ none
  e14: n14 -> n15 $1 = <__int128>0xffffffffffffffffffffffffffffffff @ none
  e15: n15 -> n16 s = <struct pair#0>zero @ none
  e16: n16 -> n17 s = *p @ none
  e17: n17 -> n18 $2 = call printf(<char*>&'"lit"', i#7, 1e300, <double>0x7ff8000000000000) @ none
  e18: n18 -> n19 call *(fp)(*argv) @ none
  e19: n19 -> n20 p = call builtin alloca(24ul) @ none
  e20: n20 -> n21 s.inner.d = square_root(copy_sign(e, s.inner.d)) @ none
  e21: n21 -> n22 i#7 = pop_count(7u) @ none
  e22: n22 -> n23 m[1][i#7 + 2] = !p @ none
  e23: n23 -> n24 unsupported "asm \"nop\"" @ none
  e24: n24 -> n25 *(q + (long)i#13) = (int)<unsigned char>255 @ none
  e25: n25 -> n26 uc = <unsigned char>200 @ none
  e26: n26 -> n27 $2 = (int)(uc) / (int)(*argv == <char*>0) @ none
  e27: n27 -> n28 skip @ none decision 1 = 4
  e28: n28 -> n1 return i#7 - $2 - x#0 @ none
}
function stop#2: void(void) @ none noreturn library {}
"#;

fn program() -> crate::model::Program {
    read(EVERYTHING).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_construct_survives() {
    let first = program();
    let text = write(&first);
    let second = read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert!(same_program(&first, &second));
    assert_eq!(write(&second), text);
    assert!(text.contains("@ 4:10 [45-49] scope"));
    for line in ["e7: n7 -> n8  p->a = ~p->next->a ", "m[1][i#7 + 2] = !p ", "condition 0 decision 0 = 1"] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[track_caller]
fn refused(change: impl Fn(&str) -> String, line: &str, message: &str) {
    let text = change(EVERYTHING);
    let error = read(&text).expect_err("a text that is no program");
    assert!(error.message.contains(message), "{error}");
    let found = text.lines().nth(error.line as usize - 1).unwrap_or("");
    assert!(found.contains(line), "{error}\nin the line: {found}");
}

#[test]
fn errors_name_the_place_and_what_was_expected() {
    refused(|text| text.replace("e1: n2 -> n3 skip", "e1: n2 -> n3 skipp"), "skipp", "expected a declared variable");
    refused(|text| text.replace("p->a = ~", "p->z = ~"), "e7:", "expected a member of the record");
    refused(|text| text.replace("i#7 < 5 @", "i#7 < 5000000000 @"), "e2:", "expected a number that fits");
    refused(|text| text.replace("e28: n28 -> n1", "e27: n28 -> n1"), "e2", "each number once");
    refused(|text| text.replace("model LP64", "model LP65"), "LP65", "expected `ILP32` or `LP64`");
    refused(|text| text.replace("nodes n0 to n29", "nodes n0 to n4000000000"), "nodes", "a run of nodes");
    refused(|text| text.replace("skip @ none", "skip @ none {"), "function main", "expected a `}`");
    refused(|text| text.replace("i#7 = pop_count(7u)", "i#7 = pop_count(7u) + 1 * 2"), "e21", "expected `@`");
    refused(|text| text.replace("e28: n28 -> n1 return", "e28: n28 -> n2 return"), "", "(invariant 8)");
    refused(|text| text.replace("$2 = call printf(", "$1 = call printf("), "", "(invariant 19)");
}

#[test]
fn nesting_is_limited_and_chains_are_not() {
    let deep = format!("{}i#7{}", "(-".repeat(100_000), ")".repeat(100_000));
    refused(|text| text.replace("~p->next->a", &deep), "e7:", "nests at most");
    let stars = "*".repeat(100_000);
    refused(
        |text| text.replace("local d#17: long double", &format!("local d#17: int{stars}")),
        "local d",
        "nests at most",
    );
    let chain = vec!["i#7"; 100_000].join(" + ");
    let program = read(&EVERYTHING.replace("~p->next->a", &chain)).unwrap();
    assert!(same_program(&program, &read(&write(&program)).unwrap()));
    let label = program.edges.ids().map(|id| crate::c_print::edge(&program, id)).find(|label| label.len() > 100_000);
    assert!(label.unwrap().starts_with("p->a = i + i + i"));
}

#[test]
fn a_difference_is_noticed() {
    let first = program();
    for (from, to) in [
        ("i#7 < 5", "i#7 < 6"),
        ("[50-60]", "[50-61]"),
        ("f = 1.5f * -0.0f", "f = 1.5f * 0.0f"),
        ("s.inner.d = square_root", "s.inner.d = floor"),
        ("0xffffffffffffffffffffffffffffffff", "0xfffffffffffffffffffffffffffffffe"),
        ("bytes \"a", "bytes \"b"),
        ("label again", "label once"),
        ("noreturn library", "noreturn"),
        ("4 bits 0 width 3: 5u", "4 bits 0 width 3: 6u"),
    ] {
        let other = read(&EVERYTHING.replace(from, to)).unwrap_or_else(|error| panic!("{from}: {error}"));
        assert!(!same_program(&first, &other), "{from} and {to}");
    }
}

/// Cuts, copies and swaps pieces of a valid text: the reader may say no, but never panics.
#[test]
fn mutated_texts_never_panic() {
    let mut state = 1u64;
    let mut below = |limit: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % limit.max(1)
    };
    let words: Vec<&str> = EVERYTHING.split_inclusive([' ', '\n']).collect();
    let mut accepted = 0;
    for _ in 0..4000 {
        let mut text = words.clone();
        for _ in 0..1 + below(3) {
            let at = below(text.len());
            if text.is_empty() {
                break;
            }
            match below(4) {
                0 => drop(text.remove(at)),
                1 => text.insert(at, words[below(words.len())]),
                2 => text[at] = words[below(words.len())],
                _ => text.truncate(at),
            }
        }
        let text = text.concat();
        if let Ok(program) = read(&text) {
            accepted += 1;
            assert!(same_program(&program, &read(&write(&program)).unwrap()), "{text}");
        }
    }
    assert!(accepted > 10, "{accepted} texts were read");
}
