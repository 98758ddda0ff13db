//! What queries mean for small programs: goals as text, automata against each other, coverage of runs.

use tandem_artifact::fql::{Goals, Letters, Semantics, minimise, parse};
use tandem_base::{Id, SourceText};
use tandem_cfa::{Callee, DataModel, EdgeId, Op, Program, build};

fn program(text: &str) -> Program {
    let built = build(SourceText::plain("a.c", text.as_bytes().to_vec()), DataModel::Lp64);
    assert!(built.program.is_some(), "{:?}", built.problems);
    built.program.unwrap()
}

fn goals<'p>(program: &'p Program, query: &str, semantics: Semantics) -> Goals<'p> {
    let query = parse(query).unwrap_or_else(|problem| panic!("{query}: {problem:?}"));
    Goals::new(program, &query, semantics).unwrap_or_else(|problem| panic!("{query}: {problem:?}"))
}

/// The goals as text, without what stands for anything.
fn listed(text: &str, query: &str, semantics: Semantics) -> String {
    let program = program(text);
    let goals = goals(&program, query, semantics);
    let all: Vec<String> = (0..goals.count()).map(|index| goals.describe(index).unwrap()).collect();
    all.join("\n").replace("... ", "").replace(" ...", "")
}

/// Lines in an order that does not matter.
fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort();
    lines
}

fn check(query: &str, expected: &[&str]) {
    assert_eq!(listed(SMALL, query, Semantics::Tiger), expected.join("\n"), "{query}");
}

const SMALL: &str = "int g;
int f(int a) {
  if (a > 0 && g) a = 1; else {}
  return a;
}
int main(int c) {
  int x = f(c);
  while (x < 3) { x++; if (x == c) break; }
out: g = x ? 2 : x;
  f(g);
  return 0;
}
";

#[test]
fn each_filter_selects_its_edges() {
    check(
        "cover @LINE(8)",
        &[
            "[8:10 branch true x < 3]",
            "[8:10 branch false x < 3]",
            "[8:19 x++]",
            "[8:28 branch true x == c]",
            "[8:28 branch false x == c]",
        ],
    );
    check("cover @4", &["[4:3 return a;]"]);
    check("cover @COLUMN(19)", &["[3:19 a = 1]", "[8:19 x++]"]);
    check(
        "cover @FUNC(f) & @CONDITIONEDGE",
        &["[3:7 branch true a > 0]", "[3:7 branch false a > 0]", "[3:16 branch true g]", "[3:16 branch false g]"],
    );
    check(
        "cover @FUNC(f) & @DECISIONEDGE",
        &["[3:7 branch false a > 0]", "[3:16 branch true g]", "[3:16 branch false g]"],
    );
    check("cover @LABEL(out)", &["[9:10 branch true x]", "[9:10 branch false x]"]);
    check("cover @CALL(f)", &["[7:11 f(c)]", "[10:3 f(g)]"]);
    check("cover @CALLS", &["[7:11 f(c)]", "[10:3 f(g)]"]);
    check("cover @ENTRY(f)", &["[2:5 f begins]"]);
    check("cover @EXIT(main)", &["[11:3 return 0;]"]);
    check("cover @DEF(g)", &["[9:6 g = x ? 2 : x]", "[9:6 g = x ? 2 : x]"]);
    check("cover @USE(c)", &["[7:11 f(c)]", "[8:28 branch true x == c]", "[8:28 branch false x == c]"]);
    check("cover @STMTTYPE(while)", &["[8:10 branch true x < 3]", "[8:10 branch false x < 3]"]);
    check("cover @STMTTYPE(?:)", &["[9:10 branch true x]", "[9:10 branch false x]"]);
    check("cover @FILE('a.c') & @4", &["[4:3 return a;]"]);
    check("cover @FILE('b.c')", &[""]);
    check("cover SETMINUS(@FUNC(f), @3)", &["[4:3 return a;]"]);
    check("cover COMPOSE(@4, @FUNC(f))", &["[4:3 return a;]"]);
    check("in @FUNC(f) cover @EXIT(f) + @EXIT(main)", &["[4:3 return a;]"]);
    check("cover @4 + @4", &["[4:3 return a;]"]);
    check("cover @4.@EXIT(f)", &["[4:3 return a;] [4:3 return a;]"]);
    check("cover @4.{g > 0}", &["[4:3 return a;] {g > 0}"]);
    check("cover \"@3*.@4\"", &["\"...\""]);
}

#[test]
fn predicates_split_nodes_and_edges() {
    check(
        "cover NODES(PRED(@4, {g})) + EDGES(PRED(@4, {g}))",
        &[
            "{g}[4:3 node]",
            "{!(g)}[4:3 node]",
            "{g}[the end node]",
            "{!(g)}[the end node]",
            "{g}[4:3 return a;]{g}",
            "{g}[4:3 return a;]{!(g)}",
            "{!(g)}[4:3 return a;]{g}",
            "{!(g)}[4:3 return a;]{!(g)}",
        ],
    );
}

#[test]
fn basic_blocks_begin_where_tiger_says() {
    check_blocks(
        SMALL,
        "cover @BASICBLOCKENTRY & @FUNC(f)",
        Semantics::Tiger,
        &["[2:5 f begins]", "[3:19 a = 1]", "[4:3 return a;]", "[3:31 on to 4:3]"],
    );
    // A branch that begins with a call whose body is entered has no entry of its own, what comes behind the call has.
    let calls = "void h(void) { } int main(int a) { if (a) { h(); } else { a = 1; } return 0; }";
    let expected = ["[1:6 h begins]", "[1:22 main begins]", "[1:59 a = 1]", "[1:68 return 0;]", "[1:36 jump to 1:68]"];
    check_blocks(calls, "cover @BASICBLOCKENTRY", Semantics::Tiger, &expected);
    // What nobody calls does not count.
    let unused = "void h(void) { } int main(void) { return 0; }";
    check_blocks(unused, "cover @BASICBLOCKENTRY", Semantics::Tiger, &["[1:22 main begins]"]);
}

#[test]
fn basic_blocks_begin_where_fshell_says() {
    let text = "int main(int a) { a = 1; while (a < 3) { if (a) a = 2; } return a; }";
    let expected = [
        "[1:19 a = 1]",
        "[1:33 branch true a < 3]",
        "[1:33 branch false a < 3]",
        "[1:46 branch true a]",
        "[1:46 branch false a]",
        "[1:26 jump to 1:33]",
    ];
    check_blocks(text, "cover @BASICBLOCKENTRY", Semantics::FShell, &expected);
    let returns = "int main(int a) { if (a) return 1; return 0; }";
    let expected = ["[1:23 branch true a]", "[1:23 branch false a]", "[1:36 return 0;]"];
    check_blocks(returns, "cover @BASICBLOCKENTRY", Semantics::FShell, &expected);
}

fn check_blocks(text: &str, query: &str, semantics: Semantics, expected: &[&str]) {
    let expected = expected.join("\n");
    assert_eq!(sorted(&listed(text, query, semantics)), sorted(&expected), "{text}");
}

#[test]
fn bounded_paths_are_numbered() {
    let text = "int main(int a) { while (a > 0) { if (a == 7) a = 0; else a--; } return a; }";
    let program = program(text);
    for (bound, expected) in [(0, 1), (1, 3), (2, 7), (3, 15), (4, 31)] {
        assert_eq!(goals(&program, &format!("cover PATHS(ID, {bound})"), Semantics::Tiger).count(), expected);
    }
    let goals = goals(&program, "cover PATHS(ID, 3)", Semantics::Tiger);
    let mut all: Vec<String> = (0..goals.count()).map(|index| goals.describe(index).unwrap()).collect();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 15);
    assert!(goals.goal(15).is_none() && goals.describe(15).is_none());
}

#[test]
fn multiple_conditions_are_paths_through_decisions() {
    check(
        "in @FUNC(f) cover PATHS(@CONDITIONGRAPH, 1)",
        &[
            "[3:7 branch true a > 0; 3:16 branch true g]",
            "[3:7 branch true a > 0; 3:16 branch false g]",
            "[3:7 branch false a > 0]",
        ],
    );
}

/// Runs through the automaton, feasible or not, from the beginning of `main` to its end (or as long as patience lasts).
fn walk(program: &Program, mut seed: u64) -> Vec<EdgeId> {
    let mut path = Vec::new();
    let mut stack = Vec::new();
    let main = program.functions[program.entry.unwrap()].body.as_ref().unwrap();
    let mut at = main.entry;
    while path.len() < 60 {
        let out: Vec<EdgeId> = program.out(at).iter().collect();
        if out.is_empty() {
            break;
        }
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let edge = out[(seed >> 33) as usize % out.len()];
        path.push(edge);
        at = program.edges[edge].target;
        match &program.edges[edge].op {
            Op::Call { callee: Callee::Direct(callee), .. } => {
                if let Some(body) = &program.functions[*callee].body {
                    stack.push(at);
                    at = body.entry;
                }
            }
            Op::Return { .. } => match stack.pop() {
                Some(back) => at = back,
                None => break,
            },
            _ => {}
        }
    }
    path
}

/// One pass over a run finds the same goals as every automaton, and as its minimal form.
#[test]
fn coverage_is_what_the_automata_accept() {
    let program = program(SMALL);
    let letters = Letters::of(&program);
    let queries = [
        "cover @BASICBLOCKENTRY",
        "cover @BASICBLOCKENTRY -> @BASICBLOCKENTRY",
        "cover NODES(@BASICBLOCKENTRY) -> NODES(@BASICBLOCKENTRY)",
        "cover NODES(@FUNC(f)) -> @FUNC(main) -> NODES(@FUNC(f))",
        "cover @CONDITIONEDGE + @BASICBLOCKENTRY",
        "cover PATHS(ID, 1)",
        "cover PATHS(@FUNC(f), 1)",
        "cover @BASICBLOCKENTRY.@BASICBLOCKENTRY",
        "cover ^\"NOT(@8)*\".@8.\"NOT(@DEF(x))*\".@EXIT(main)$",
        "cover @CALL(f).\"@FUNC(f)*\".@FUNC(main) passing ^NOT(@COLUMN(19))*$",
        "cover @EXIT(f) passing (@CALL(f) -> @EXIT(f).ID*) >= 2",
    ];
    for query in queries {
        for semantics in [Semantics::Tiger, Semantics::FShell] {
            let goals = goals(&program, query, semantics);
            let automata: Vec<_> = goals.iter().collect();
            assert_eq!(automata.len() as u64, goals.count());
            let smallest: Vec<_> = automata.iter().map(minimise).collect();
            let mut covered_by_some = 0;
            for seed in 0..40 {
                let path = walk(&program, seed);
                let word = letters.word(&program, &path);
                let covered = goals.covered(&path, |_, _| Some(true));
                let passes = goals.passing().is_none_or(|passing| passing.accepts(&word, |_, _| Some(true)).is_some());
                for (index, goal) in automata.iter().enumerate() {
                    let accepted = goal.accepts(&word, |_, _| Some(true)).is_some();
                    assert_eq!(
                        accepted && passes,
                        covered.contains(&(index as u64)),
                        "{query} {index} {semantics:?} {path:?}\n{goal:?}"
                    );
                    assert_eq!(
                        accepted,
                        smallest[index].accepts(&word, |_, _| Some(true)).is_some(),
                        "{query} {index}"
                    );
                }
                covered_by_some += covered.len();
            }
            assert!(covered_by_some > 0, "{query} {semantics:?}");
        }
    }
}

/// The automata of chains are those that the general way gives.
#[test]
fn chains_are_short_cuts() {
    let program = program(SMALL);
    for places in ["@BASICBLOCKENTRY", "NODES(@BASICBLOCKENTRY)", "@CONDITIONEDGE", "NODES(@FUNC(f))"] {
        for semantics in [Semantics::Tiger, Semantics::FShell] {
            let chain = goals(&program, &format!("cover {places} -> {places}"), semantics);
            let general = goals(&program, &format!("cover {places}.{{1}} -> {places}"), semantics);
            assert_eq!(chain.count(), general.count());
            for seed in 0..40 {
                let path = walk(&program, seed);
                let both = [&chain, &general].map(|goals| goals.covered(&path, |_, _| Some(true)));
                assert_eq!(both[0], both[1], "{places} {semantics:?} {path:?}");
            }
        }
    }
}

#[test]
fn tests_decide_where_they_stand() {
    let program = program(SMALL);
    let goals = goals(&program, "cover @8.{x > 0}.@8", Semantics::Tiger);
    assert_eq!((goals.predicates().len(), &*goals.predicates()[0]), (1, "x > 0"));
    let path = walk(&program, 3);
    let first = path.iter().position(|edge| program.source.position(program.edges[*edge].span.lo).line == 8).unwrap();
    let line = |edge: EdgeId| program.source.position(program.edges[edge].span.lo).line;
    assert_eq!(line(path[first + 1]), 8);
    assert!(goals.covered(&path, |_, _| Some(false)).is_empty());
    assert_eq!(goals.covered(&path, |taken, _| Some(taken == first + 1)).len(), 1);
    assert!(goals.covered(&path, |taken, _| Some(taken == first)).is_empty());
}

#[test]
fn minimal_automata_are_small() {
    let program = program(SMALL);
    let goals = goals(&program, "cover @4 -> @4", Semantics::Tiger);
    let goal = minimise(&goals.goal(0).unwrap());
    assert_eq!((goal.states(), goal.is_open_ended(), goal.initial.len()), (3, true, 1));
    let ended = goals_of_end(&program);
    assert!(!ended.is_open_ended());
}

fn goals_of_end(program: &Program) -> tandem_artifact::fql::Goal {
    goals(program, "cover @EXIT(main)$", Semantics::Tiger).goal(0).unwrap()
}

#[test]
fn letters_mark_calls() {
    let program = program("int f(void) { return 1; } int main(void) { int (*p)(void) = f; return f() + p(); }");
    let letters = Letters::of(&program);
    let mut path = walk(&program, 1);
    let word: Vec<String> =
        letters.word(&program, &path).iter().map(|(letter, _)| letters.name(&program, *letter)).collect();
    assert!(word.contains(&"enter f".to_string()), "{word:?}");
    assert!(word.iter().filter(|name| name.starts_with("back from")).count() >= 2, "{word:?}");
    path.clear();
    assert!(letters.word(&program, &path).is_empty());
    assert_eq!(letters.count(), 2 * program.edges.len() + program.functions.len());
    assert_eq!(letters.back(EdgeId(0)).index(), program.edges.len());
}

#[test]
fn queries_that_do_not_fit_the_program_are_refused_in_their_place() {
    let program = program(SMALL);
    let cases = [
        ("cover @FUNC(nothing)", 6, "no function `nothing`"),
        ("cover @4 -> @ENTRY(printf)", 12, "no function"),
        ("cover ID passing (ID >= 100000) >= 100000", 18, "more than"),
        ("cover \"PATHS(ID, 1)\"", 13, "PATHS inside"),
        ("cover PATHS(PRED(ID, {g}), 1)", 12, "PRED"),
        ("cover PRED(ID, {g}) | ID", 6, "different predicates"),
        ("cover ID->ID->ID->ID->ID->ID->ID->ID->ID->ID->ID->ID->ID->ID->ID->ID->ID->ID->ID", 6, "more goals than"),
    ];
    for (text, at, message) in cases {
        let problem = Goals::new(&program, &parse(text).unwrap(), Semantics::Tiger).unwrap_err();
        assert!(problem.message.contains(message) && problem.span.lo == at, "{text}: {problem:?}");
    }
    let goals = goals(&program, "cover @99", Semantics::Tiger);
    assert_eq!((goals.count(), goals.warnings().len()), (0, 1));
}

#[test]
fn goals_can_be_shared_by_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&goals(&program(SMALL), "cover ID", Semantics::Tiger));
}
