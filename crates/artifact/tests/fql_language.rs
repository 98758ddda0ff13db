//! Queries as text: what is printed is read as the same query; what is no query is refused with its place.

use proptest::prelude::*;
use tandem_artifact::fql::*;
use tandem_base::Span;

fn filter(kind: FilterKind) -> Filter {
    Filter { kind, span: Span::NONE }
}

fn pattern(kind: PatternKind) -> Pattern {
    Pattern { kind, span: Span::NONE }
}

fn names() -> impl Strategy<Value = Box<str>> {
    "[a-z_][a-z0-9_]{0,6}|[a-z]+[.-][a-z]".prop_map(Into::into)
}

fn filters() -> impl Strategy<Value = Filter> {
    let leaf = prop_oneof![
        Just(FilterKind::Identity),
        Just(FilterKind::BasicBlockEntry),
        Just(FilterKind::ConditionEdge),
        Just(FilterKind::DecisionEdge),
        Just(FilterKind::ConditionGraph),
        Just(FilterKind::Calls),
        any::<u32>().prop_map(FilterKind::Line),
        any::<u32>().prop_map(FilterKind::Column),
        names().prop_map(FilterKind::File),
        names().prop_map(FilterKind::Function),
        names().prop_map(FilterKind::Label),
        names().prop_map(FilterKind::Call),
        names().prop_map(FilterKind::Entry),
        names().prop_map(FilterKind::Exit),
        names().prop_map(FilterKind::Definition),
        names().prop_map(FilterKind::Use),
        proptest::sample::subsequence(StatementType::ALL.to_vec(), 1..6).prop_map(FilterKind::StatementType),
    ];
    leaf.prop_map(filter).prop_recursive(4, 16, 3, |inner| {
        let several = proptest::collection::vec(inner.clone(), 2..4);
        prop_oneof![
            several.clone().prop_map(|parts| filter(FilterKind::Union(parts))),
            several.prop_map(|parts| filter(FilterKind::Intersection(parts))),
            inner.clone().prop_map(|one| filter(FilterKind::Not(Box::new(one)))),
            inner.clone().prop_map(|one| filter(FilterKind::Split(Box::new(one), "x > 0".into()))),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| filter(FilterKind::Minus(Box::new(a), Box::new(b)))),
            (inner.clone(), inner).prop_map(|(a, b)| filter(FilterKind::Compose(Box::new(a), Box::new(b)))),
        ]
    })
}

fn atoms() -> impl Strategy<Value = Pattern> {
    prop_oneof![
        filters().prop_map(|f| pattern(PatternKind::Filter(f))),
        filters().prop_map(|f| pattern(PatternKind::Nodes(f))),
        filters().prop_map(|f| pattern(PatternKind::Edges(f))),
        (filters(), any::<u32>()).prop_map(|(f, n)| pattern(PatternKind::Paths(f, n))),
        Just(pattern(PatternKind::Predicate("a[i] == 'x' && f(1)".into()))),
    ]
}

fn joined(inner: BoxedStrategy<Pattern>) -> BoxedStrategy<Pattern> {
    let joint = prop_oneof![Just(Joint::Next), Just(Joint::Later)];
    let rest = proptest::collection::vec((joint, inner.clone()), 1..3);
    prop_oneof![
        proptest::collection::vec(inner.clone(), 2..4).prop_map(|parts| pattern(PatternKind::Alternatives(parts))),
        (inner, rest).prop_map(|(first, rest)| pattern(PatternKind::Sequence(Box::new(first), rest))),
    ]
    .boxed()
}

fn path_patterns() -> impl Strategy<Value = Pattern> {
    atoms().prop_recursive(3, 12, 3, |inner| {
        let repetition = prop_oneof![
            Just(Repetition::Any),
            any::<u32>().prop_map(Repetition::AtLeast),
            any::<u32>().prop_map(Repetition::Exactly),
            any::<u32>().prop_map(Repetition::AtMost),
        ];
        let repeated =
            (inner.clone(), repetition).prop_map(|(inner, n)| pattern(PatternKind::Repeat(Box::new(inner), n)));
        prop_oneof![joined(inner.boxed()), repeated]
    })
}

fn coverage_patterns() -> impl Strategy<Value = Pattern> {
    let quoted = path_patterns().prop_map(|inner| pattern(PatternKind::Quote(Box::new(inner))));
    prop_oneof![atoms(), quoted].prop_recursive(3, 12, 3, |inner| joined(inner.boxed()))
}

fn anchored(patterns: impl Strategy<Value = Pattern>) -> impl Strategy<Value = Anchored> {
    (any::<bool>(), patterns, any::<bool>()).prop_map(|(from_start, pattern, to_end)| Anchored {
        from_start,
        to_end,
        pattern,
    })
}

proptest! {
    #[test]
    fn what_is_printed_is_read_as_the_same_query(
        scope in proptest::option::of(filters()),
        cover in anchored(coverage_patterns()),
        passing in proptest::option::of(anchored(path_patterns())),
    ) {
        let query = Query { scope, cover, passing };
        let text = query.to_string();
        let read = parse(&text);
        prop_assert_eq!(read.as_ref(), Ok(&query), "{}", text);
    }

    #[test]
    fn any_text_is_a_query_or_a_problem_inside_it(text in "(cover|in|passing|@[A-Z]{2,8}|ID|NOT|\\(|\\)|\\.|->|\\+|\\*|\"|\\{|\\}|[0-9]+|>=| |\\^|\\$|é){0,30}") {
        if let Err(problem) = parse(&text) {
            prop_assert!(problem.span.hi as usize <= text.len(), "{:?}", problem);
            prop_assert!(problem.help.is_some(), "{:?}", problem);
        }
    }
}

#[test]
fn both_dialects_are_read() {
    let same = [
        (
            "COVER \"EDGES(ID)*\".EDGES(@BASICBLOCKENTRY).\"EDGES(ID)*\"",
            "cover \"edges(id)*\".edges(@basicblockentry).\"edges(id)*\"",
        ),
        ("cover NODES(UNION(@FUNC(f), @LINE(3)))", "cover NODES(@FUNC(f) | @3)"),
        ("cover COMPLEMENT(INTERSECT(ID, @CALLS))", "cover NOT(ID & @CALLS) // a comment"),
        ("IN @FUNC(f) COVER EDGES(ID) PASSING EDGES(ID)*", "in @FUNC(f) cover EDGES(ID) passing EDGES(ID)*;"),
    ];
    for (one, other) in same {
        assert_eq!(parse(one).unwrap(), parse(other).unwrap(), "{one}");
    }
}

#[test]
fn problems_point_at_what_is_wrong() {
    let cases = [
        ("", 0, "a query begins with `cover`"),
        ("find ID", 0, "a query begins with `cover`"),
        ("cover", 5, "a pattern is missing here"),
        ("cover ID*", 8, "cannot be repeated"),
        ("cover (ID", 6, "not closed"),
        ("cover \"ID", 6, "the quote is not closed"),
        ("cover {x", 6, "not closed"),
        ("cover {}", 6, "empty"),
        ("cover @FOO", 6, "no filter `@FOO`"),
        ("cover @", 6, "without the name"),
        ("cover @LINE(x)", 12, "a number is missing"),
        ("cover @LINE(99999999999)", 12, "too large"),
        ("cover @99999999999", 6, "no such line"),
        ("cover EDGES(ID) | ID", 6, "a filter is needed"),
        ("cover @STMTTYPE(do)", 16, "kind of statement"),
        ("cover PATHS(ID)", 14, "a second argument"),
        ("cover ID passing \"ID\"", 17, "a quote inside"),
        ("cover ID ID", 9, "goes on behind its end"),
        ("cover ID # ID", 9, "means nothing"),
        ("cover ID -> \u{e9}", 12, "means nothing"),
    ];
    for (text, at, message) in cases {
        let problem = parse(text).unwrap_err();
        assert_eq!(problem.span.lo, at, "{text}: {problem:?}");
        assert!(problem.message.contains(message) && problem.help.is_some(), "{text}: {problem:?}");
    }
}

#[test]
fn hostile_texts_end_in_problems() {
    let deep = format!("cover {}ID{}", "(".repeat(100_000), ")".repeat(100_000));
    let stars = format!("cover ID passing ID{}", "*".repeat(100_000));
    let nots = format!("cover {}ID", "NOT(".repeat(100_000));
    for text in [deep, stars, nots, "(".repeat(1_000_000), "{".repeat(1000), "@".into(), "cover \"".repeat(1000)] {
        assert!(parse(&text).is_err());
    }
    let long = format!("cover {}", vec!["ID"; 50_000].join(" + "));
    assert_eq!(parse(&parse(&long).unwrap().to_string()), parse(&long));
}

/// The queries in the manual are queries.
#[test]
fn the_manual_shows_queries_that_are_read() {
    let manual = include_str!("../../../docs/fql.md");
    let examples = manual.split("```fql\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    assert!(examples.lines().count() > 8);
    for line in examples.lines() {
        let query = parse(line).unwrap_or_else(|problem| panic!("{line}: {problem:?}"));
        assert_eq!(parse(&query.to_string()), Ok(query));
    }
}
