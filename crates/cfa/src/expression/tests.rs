//! What is read equals what lowering makes of the same text; what is wrong is refused, and nothing panics.

use tandem_base::SourceText;
use tandem_syntax::DataModel;

use super::*;
use crate::build;
use crate::model::Op;

const DECLARATIONS: &str = "
typedef unsigned long size_t; typedef unsigned int word; typedef word *words; typedef struct pair { int a; unsigned char b; } pair_t;
struct pair; struct nest { struct pair p; struct pair *q; int bits : 5; unsigned few : 3; unsigned full : 32;
  union { int inner; float other; }; int array[4]; _Bool flag; };
enum color { RED, GREEN = 5, BLUE, NEGATIVE = -3 };
int g; unsigned int u; long l; unsigned long ul; long long ll; unsigned long long ull;
char c; unsigned char uc; signed char sc; short s; unsigned short us; _Bool t; float f; double d; long double e;
int *p; unsigned *pu; void *v; char *text; int **pp; struct nest n; struct nest *m; int a[10]; int aa[3][4];
struct link { struct link *next; int value; } *k; struct pair ps[2]; word w; words ws; pair_t pt; int callee(int x); int (*fp)(int);
";

const EXPRESSIONS: &[&str] = &[
    "g",
    "u",
    "g + 1",
    "g + u",
    "u - g",
    "l + u",
    "ul + l",
    "ll * u",
    "ull + ll",
    "c + sc",
    "uc + us",
    "s * s",
    "t + t",
    "-g",
    "-u",
    "-c",
    "+s",
    "~uc",
    "~ul",
    "!g",
    "!p",
    "!f",
    "!!g",
    "-5",
    "-2147483647 - 1",
    "0x80000000",
    "4294967295",
    "0xffffffffffffffff",
    "017",
    "1u",
    "1l",
    "1ull",
    "'a'",
    "'\\n'",
    "'\\xff'",
    "1.5",
    "1.5f",
    "2.5e-3",
    "0x1.8p3",
    "1.0L",
    "g == 3",
    "g != u",
    "c < uc",
    "u >= 0",
    "l <= u",
    "g > -1",
    "f < d",
    "f + 1",
    "d * g",
    "e / f",
    "f == 0",
    "1.0f + 2",
    "g << 3",
    "uc << u",
    "l >> g",
    "ul >> ll",
    "g & 7",
    "u | 1",
    "us ^ uc",
    "g / 3",
    "u % 5",
    "l % g",
    "ull / g",
    "(unsigned int)g",
    "(char)g",
    "(long long)u * g",
    "(unsigned char)(g + 1)",
    "(_Bool)g",
    "(float)g",
    "(int)f",
    "(int)d",
    "(unsigned)-1",
    "(word)g + 1",
    "(size_t)g",
    "(unsigned long int)u",
    "(short)l",
    "(__int128)g + u",
    "(int)(char)g",
    "p == 0",
    "0 == p",
    "p != q",
    "p == v",
    "v == p",
    "p < q",
    "p + 1",
    "1 + p",
    "p - 2",
    "p - q",
    "p + g",
    "p + c",
    "*p",
    "**pp",
    "*(p + 1)",
    "p[2]",
    "p[g]",
    "2[p]",
    "a[3]",
    "a[g]",
    "*a",
    "*(a + 1)",
    "a == p",
    "aa[1][2]",
    "aa[g][u]",
    "*aa[1]",
    "**aa",
    "&g == p",
    "&a[2]",
    "&a[0]",
    "&*p",
    "*&g",
    "&n.p.a",
    "&m->q->b",
    "n.p.a",
    "n.q->b",
    "m->p.b",
    "(*m).p.a",
    "m->array[1]",
    "n.inner",
    "m->other",
    "n.bits + 1",
    "n.few - 1",
    "n.few < g",
    "n.full - 1",
    "m->flag == 1",
    "-n.few",
    "~m->few",
    "(unsigned)n.few - 1",
    "n.few << 2",
    "ps[1].a",
    "ps[g].b + 1",
    "(*ps).a",
    "ps->a",
    "sizeof(int)",
    "sizeof g",
    "sizeof(struct nest)",
    "sizeof a",
    "sizeof(a[0])",
    "sizeof(long)",
    "sizeof(char *)",
    "sizeof aa[0]",
    "sizeof(g + l)",
    "u + sizeof(int)",
    "RED",
    "GREEN + g",
    "BLUE == g",
    "NEGATIVE < g",
    "(int *)v",
    "*(int *)v",
    "*(unsigned char *)p",
    "((struct pair *)v)->b",
    "(unsigned long)p",
    "(char *)p + 1",
    "*(words)v",
    "((pair_t *)v)->a",
    "pt.a",
    "fp == callee",
    "fp == &callee",
    "fp != 0",
    "text[0] == 'x'",
    "*text",
    "(g == 1) + (u == 2)",
    "(g < 3) == (u < 3)",
    "local + shadow",
    "shadow == 1",
    "parameter * 2",
    "statics - 1",
    "g - (g - 1)",
    "g - 1 - 2",
    "g * (u + 1) % 7",
    "(g)",
    "((g + 1))",
    "!(g < 1)",
    "(p)[1]",
    "g ^ ~u",
    "!t",
    "t == 1",
    "c == 'c'",
    "(void *)0 == p",
    "p == (void *)0",
    "((g))+1",
    "(double)u / 2",
];

fn program(expression: &str, model: DataModel) -> Option<(Program, u32)> {
    let source = format!(
        "{DECLARATIONS} int shadow; int probe(int parameter) {{ static int statics; int local; int *q; \
         {{ long shadow; (void)0; sink((void)0, {expression}); }} {{ char shadow; shadow = 0; }} return local; }}"
    );
    let at = source.find("sink(").expect("the place") as u32;
    // The probe is an argument of a function without a prototype: nothing converts it but the promotions.
    let source = source.replacen("sink((void)0, ", "sink(0, ", 1).replacen("int shadow;", "int sink(); int shadow;", 1);
    let at = at + "int sink(); ".len() as u32;
    let built = build(SourceText::plain("probe.c", source.into_bytes()), model);
    built.program.map(|program| (program, at))
}

fn probe(program: &Program) -> Option<ExprId> {
    let sink = program.function_named("sink")?;
    let mut calls = program.edges.iter().filter_map(|edge| match &edge.op {
        Op::Call { callee: crate::model::Callee::Direct(callee), arguments, .. } if *callee == sink => arguments.get(1),
        _ => None,
    });
    calls.next().copied()
}

/// The argument without the conversion that passing it makes.
fn unpromoted(program: &Program, id: ExprId, parsed: ExprId) -> ExprId {
    match program.expr(id).kind {
        crate::model::ExprKind::Convert(inner) if program.expr(inner).ty == program.expr(parsed).ty => inner,
        _ => id,
    }
}

#[test]
fn equals_lowering() {
    for model in [DataModel::Lp64, DataModel::Ilp32] {
        let mut different = Vec::new();
        for text in EXPRESSIONS {
            let Some((mut program, at)) = program(text, model) else {
                assert!(model == DataModel::Ilp32 && text.contains("__int128"), "{text} is no C for {model}");
                continue;
            };
            let names = Names::of(&program);
            let function = program.function_named("probe").expect("the function");
            let context = Context { names: &names, function, at, result: None };
            let parsed = parse_expression(&mut program, context, text);
            let lowered = probe(&program).expect("the argument");
            match parsed {
                Ok(parsed) if unpromoted(&program, lowered, parsed) == parsed => {}
                Ok(parsed) => different.push(format!(
                    "{text}: {} but lowering has {} ({:?} {:?})",
                    crate::c_print::expr(&program, parsed),
                    crate::c_print::expr(&program, lowered),
                    program.expr(parsed),
                    program.expr(lowered),
                )),
                Err(problem) => different.push(format!("{text}: {}", problem.message)),
            }
        }
        assert!(different.is_empty(), "{model}\n{}", different.join("\n"));
    }
}

fn with_program<T>(work: impl FnOnce(&mut Program, Context<'_>) -> T) -> T {
    let (mut program, at) = program("g", DataModel::Lp64).expect("a program");
    let names = Names::of(&program);
    let function = program.function_named("probe").expect("the function");
    let context = Context { names: &names, function, at, result: None };
    work(&mut program, context)
}

fn shape(program: &Program, formula: &Formula) -> String {
    let join = |parts: &[Formula], sign: &str| {
        let parts: Vec<String> = parts.iter().map(|part| shape(program, part)).collect();
        format!("({})", parts.join(sign))
    };
    match formula {
        Formula::Atom(expr) => crate::c_print::expr(program, *expr),
        Formula::Not(inner) => format!("not {}", shape(program, inner)),
        Formula::And(parts) => join(parts, " and "),
        Formula::Or(parts) => join(parts, " or "),
    }
}

#[test]
fn formulas_keep_short_circuits() {
    with_program(|program, context| {
        for (text, expected) in [
            ("p != 0 && *p == 3", "(p != 0 and *p == 3)"),
            ("!(g && u) || t", "(not (g and u) or t)"),
            ("g < 1 || g > 2 && u", "(g < 1 or (g > 2 and u))"),
            ("g ? u : l", "((g and u) or (not g and l))"),
            ("(g && u) == 0", "not (g and u)"),
            ("(int)(g || u) != 0", "(g or u)"),
            ("!g", "!g"),
            ("true", "1"),
            ("(g && u) + 1", "(!!g & !!u) + 1"),
            ("(g || l > 2) == t", "(!!g | l > 2L) == t"),
        ] {
            let formula = parse_formula(program, context, text).unwrap_or_else(|problem| panic!("{text}: {problem:?}"));
            assert_eq!(shape(program, &formula), expected, "of {text}");
        }
    });
}

#[test]
fn result_is_a_place() {
    let (mut program, at) = program("g", DataModel::Lp64).expect("a program");
    let names = Names::of(&program);
    let function = program.function_named("probe").expect("the function");
    let (g, variable) = program.variables.enumerate().find(|(_, v)| &*v.name == "g").expect("a variable");
    let ty = variable.ty;
    let place = program.arena.add_place(crate::model::PlaceKind::Variable(g), ty);
    let context = Context { names: &names, function, at, result: Some(place) };
    let with_result = parse_expression(&mut program, context, "\\result + 1 == 4");
    assert_eq!(with_result, parse_expression(&mut program, context, "g + 1 == 4"));
    let without = Context { result: None, ..context };
    assert!(parse_expression(&mut program, without, "\\result").is_err());
}

#[test]
fn what_is_wrong_is_refused_where_it_stands() {
    with_program(|program, context| {
        for (text, message, at) in [
            ("", "an expression is missing", 0),
            ("g +", "ends too early", 3),
            ("g = 1", "has a side effect", 2),
            ("g++", "has a side effect", 1),
            ("callee(1)", "calls are not accepted", 6),
            ("nothing + 1", "is not declared", 0),
            ("1 + q2", "is not declared", 4),
            ("n + 1", "is not a number", 0),
            ("n.wrong", "no member 'wrong'", 0),
            ("*g", "no pointer", 0),
            ("*v", "pointer to no object", 0),
            ("g[u]", "no array or pointer", 0),
            ("f % 2", "does not apply", 0),
            ("~f", "does not apply", 0),
            ("p * 2", "does not apply", 0),
            ("(struct unknown)g", "not known to the program", 0),
            ("(unknown)g", "is not expected here", 9),
            ("99999999999999999999", "no literal that fits", 0),
            ("1uu", "no literal that fits", 0),
            ("08", "no literal that fits", 0),
            ("g ? 1 : 2) ", "is not expected here", 9),
            ("(g", "')' expected", 2),
            ("g @ 1", "does not belong", 2),
            ("(g ? 1 : 2) + 1", "as a condition", 1),
            ("1 + (g && 1 / u)", "divide by nothing unknown", 10),
            ("1 + (p && *p)", "divide by nothing unknown", 10),
            ("&n.few", "bit-field", 0),
            ("sizeof n.few", "bit-field", 7),
            ("g, u", "comma", 1),
        ] {
            let problem = parse_formula(program, context, text).expect_err(text);
            assert!(problem.message.contains(message), "{text}: {}", problem.message);
            assert_eq!(problem.span.lo, at, "{text}: {}", problem.message);
        }
    });
}

#[test]
fn deep_nesting_is_no_danger() {
    with_program(|program, context| {
        let deep = |open: &str, close: &str, n: usize| format!("{}g{}", open.repeat(n), close.repeat(n));
        assert!(parse_formula(program, context, &deep("(", ")", 1000)).is_ok());
        assert!(parse_formula(program, context, &deep("(g || ", ")", 1000)).is_ok());
        assert!(parse_formula(program, context, &deep("!", "", 1000)).is_ok());
        for open in ["(", "!", "-", "*", "sizeof ", "(int)", "a[", "g?", "(g&&", "1-("] {
            assert!(parse_formula(program, context, &open.repeat(100_000)).is_err());
        }
        assert!(parse_formula(program, context, &format!("k{}->value", "->next".repeat(1000))).is_ok());
        assert!(parse_formula(program, context, &deep("*&", "", 1000)).is_ok());
        assert!(parse_formula(program, context, &deep("a[", "]", 1000)).is_ok());
        assert!(parse_formula(program, context, &deep("(", "?1:2)", 100)).is_err(), "too large");
        let wide = vec!["g == 1"; 50_000].join(" || ");
        assert_eq!(parse_formula(program, context, &wide).map(|formula| formula.atoms().len()), Ok(50_000));
        let long = vec!["g"; 100_000].join(" + ");
        assert!(parse_formula(program, context, &long).is_err(), "nested too deeply");
    });
}

#[test]
fn hostile_texts_never_panic() {
    let pieces = [
        "g", "p", "n", "m", "a", "aa", "ps", "f", "t", ".", "->", "[", "]", "(", ")", "*", "&", "&&", "||", "!", "?",
        ":", "1", "0x", "'", "'a'", "1.5", "sizeof", "int", "struct", "pair", "word", "few", "array", "inner",
        "\\result", "+", "-", "<<", "/", "0", "%", "==", "(int)", "(char *)", "\u{e9}", "\u{0}", "$", "\"", "-1",
        "RED", "callee", "unsigned", "==", "true",
    ];
    with_program(|program, context| {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let mut accepted = 0;
        for _ in 0..30_000 {
            let mut text = String::new();
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            for _ in 0..1 + (state >> 60) {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                text.push_str(pieces[(state >> 33) as usize % pieces.len()]);
                text.push_str(if state >> 32 & 1 == 0 { " " } else { "" });
            }
            match parse_formula(program, context, &text) {
                Ok(_) => accepted += 1,
                Err(problem) => assert!(problem.span.is_none() || problem.span.hi as usize <= text.len(), "{text}"),
            }
        }
        assert!(accepted > 100, "{accepted}");
        assert_eq!(crate::check::check(program), []);
    });
}
