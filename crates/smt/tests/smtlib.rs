//! Printing and reading SMT-LIB.

mod random;

use proptest::prelude::*;
use random::{ALL, Builder};
use tandem_smt::smtlib::{Command, ReadError, Script, read_script, script};
use tandem_smt::{Model, Sort, Term, Terms, Value};

fn read(terms: &Terms, text: &str) -> Result<Script, ReadError> {
    read_script(terms, "file.smt2", text.as_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    /// What was printed is read back as the very same terms.
    #[test]
    fn round_trip(seed: u64) {
        let mut builder = Builder::new(seed, ALL);
        for _ in 0..40 {
            builder.step();
        }
        let terms = builder.terms.clone();
        let mut assertions: Vec<Term> = builder.pairs.iter().map(|&(simple, _)| simple).collect();
        assertions.retain(|&term| terms.sort(term) == Sort::Bool);
        let text = script(&terms, &assertions);
        let back = read(&terms, &text);
        prop_assert_eq!(back.as_ref().err(), None, "{}", text);
        prop_assert_eq!(back.map(|script| script.assertions()), Ok(assertions), "{}", text);
    }

    /// In another pool: the same text, or at least the same meaning, and import agrees with reading.
    #[test]
    fn other_pool(seed: u64) {
        let mut builder = Builder::new(seed, ALL);
        for _ in 0..30 {
            builder.step();
        }
        let terms = builder.terms.clone();
        let Some(&(term, _)) = builder.pairs.iter().rev().find(|&&(term, _)| terms.sort(term) == Sort::Bool) else {
            return Ok(());
        };
        let other = Terms::new();
        let read = read(&other, &script(&terms, &[term])).map(|script| script.assertions()[0]);
        let imported = other.import(&terms, term);
        prop_assert!(read.is_ok());
        let read = read.unwrap_or(imported);
        for _ in 0..5 {
            let model = builder.model();
            let mut moved = Model::default();
            for (&symbol, value) in &model.constants {
                if let (Some(id), Some(value)) = (other.find_symbol(&terms.symbol(symbol).name), plain(value)) {
                    moved.constants.insert(id, value);
                }
            }
            // Elements of declared sorts have the pool's number of the sort in them.
            if model.constants.values().all(|value| plain(value).is_some()) {
                prop_assert_eq!(other.eval(read, &moved), other.eval(imported, &moved));
            }
        }
    }
}

fn plain(value: &Value) -> Option<Value> {
    match value {
        Value::Element(..) => None,
        other => Some(other.clone()),
    }
}

fn holds(text: &str) -> bool {
    let terms = Terms::new();
    let script = read(&terms, text).unwrap_or_else(|error| panic!("{error}"));
    script.assertions().into_iter().all(|term| terms.holds(term, &Model::default()))
}

#[test]
fn operators_mean_what_they_say() {
    let facts = "
        (assert (= ((_ rotate_left 4) #x12) #x21))
        (assert (= ((_ rotate_right 5) #b00001) #b00001))
        (assert (= ((_ rotate_right 1) #b00001) #b10000))
        (assert (= ((_ repeat 3) #b10) #b101010))
        (assert (= (bvcomp #x1 #x1) #b1))
        (assert (= (bvnand #b1100 #b1010) #b0111))
        (assert (= (bvsmod #x7 #xd) #xe))
        (assert (bvuaddo #xff #x01))
        (assert (not (bvsaddo #x7e #x01)))
        (assert (bvsaddo #x7f #x01))
        (assert (bvsmulo #x40 #x02))
        (assert (not (bvumulo #x40 #x02)))
        (assert (bvnego #x80))
        (assert (bvsdivo #x80 #xff))
        (assert (bvusubo #x00 #x01))
        (assert (bvssubo #x80 #x01))
        (assert (= (_ bv300 12) #x12c))
        (assert (= ((_ to_fp 8 24) RNE 0.1) (fp #b0 #x7b #b10011001100110011001101)))
        (assert (= ((_ to_fp 8 24) RTZ (/ 1 10)) (fp #b0 #x7b #b10011001100110011001100)))
        (assert (= ((_ to_fp 8 24) RNE (- 2.0)) ((_ to_fp 8 24) RNE #xfe)))
        (assert (= ((_ to_fp_unsigned 11 53) roundTowardZero #xfe) ((_ to_fp 11 53) RNE 254)))
        (assert (= ((_ to_fp 11 53) RNE ((_ to_fp 8 24) RNE 0.5)) ((_ to_fp 11 53) #x3fe0000000000000)))
        (assert (fp.geq (_ +oo 8 24) ((_ to_fp 8 24) RNE 1.0) (_ -zero 8 24) (_ +zero 8 24)))
        (assert (= ((_ fp.to_sbv 8) RTZ ((_ to_fp 8 24) RNE (- 3.7))) #xfd))
        (assert (distinct #b00 #b01 #b10))
        (assert (=> true false true))
        (assert (= (select (store ((as const (Array (_ BitVec 2) Bool)) false) #b10 true) #b10) true))
        (define-fun twice ((x (_ BitVec 8)) (y (_ BitVec 8))) (_ BitVec 8) (bvadd x y x))
        (assert (= (twice #x02 (twice #x01 #x03)) #x09))
        (define-sort Map (A B) (Array A B))
        (declare-const m (Map Bool (_ BitVec 3)))
        (assert (= (select m true) #b000))
        (assert (let ((a #x01) (b #x02)) (let ((a b) (b a)) (= (bvsub a b) #x01))))";
    assert!(holds(facts));
}

#[test]
fn commands() {
    let terms = Terms::new();
    let text = "(set-logic QF_ABV) ; comment\n(set-info :status sat)(set-option :produce-models true)
        (declare-fun |a b| () Bool)(declare-const c Bool)(declare-sort S 0)(declare-fun f (S) S)(declare-const s S)
        (push 1)(assert (! (and |a b| c) :named first))(assert (or first (= (f s) s)))(declare-const x Bool)(check-sat)
        (get-unsat-core)(pop 1)(declare-const x (_ BitVec 3))(check-sat-assuming (c (not |a b|)))
        (get-value (x (bvadd x x)))(get-model)(echo \"a \"\"b\"\"\")(reset)(exit)";
    let script = read(&terms, text).unwrap_or_else(|error| panic!("{error}"));
    let commands: Vec<Command> = script.commands.into_iter().map(|located| located.command).collect();
    let named = |command: &Command| matches!(command, Command::Assert { name: Some(name), .. } if name == "first");
    assert!(commands.iter().any(named));
    assert!(commands.contains(&Command::Echo("a \"b\"".to_owned())));
    assert!(commands.contains(&Command::SetOption("produce-models".to_owned(), "true".to_owned())));
    let Some(Command::GetValue(values)) = commands.iter().find(|command| matches!(command, Command::GetValue(_)))
    else {
        panic!("no get-value")
    };
    assert_eq!(values[1].0, "(bvadd x x)");
    assert_eq!(terms.sort(values[1].1), Sort::Bv(3));
    assert_eq!(commands.last(), Some(&Command::Exit));
}

#[test]
fn errors_say_where_and_what() {
    let check = |text: &str, expected: &str| {
        let error = read(&Terms::new(), text).expect_err(text);
        assert_eq!(error.to_string(), expected, "{text}");
    };
    let logic = "expected `ALL` or a quantifier-free logic of arrays, functions, bit-vectors and floats, such as \
                 `QF_AUFBVFP`";
    check("(set-logic QF_XYZ)", &format!("file.smt2:1:12: found the unknown logic `QF_XYZ`, {logic}"));
    check("\n (set-logic QF_LIA)", &format!("file.smt2:2:13: found the logic `QF_LIA`, which has integers, {logic}"));
    check("(set-logic QF_FPLRA)", &format!("file.smt2:1:12: found the logic `QF_FPLRA`, which has reals, {logic}"));
    check("(set-logic QF_SLIA)", &format!("file.smt2:1:12: found the logic `QF_SLIA`, which has strings, {logic}"));
    check("(set-logic BV)", &format!("file.smt2:1:12: found the logic `BV`, which has quantifiers, {logic}"));
    check(
        "(assert (and true\n  p))",
        "file.smt2:2:3: found the undeclared symbol `p`, expected a declared constant or a bound variable",
    );
    check("(assert true", "file.smt2:1:13: found the end of the file, expected `)` for the `(` at 1:1");
    check("(check-sat))", "file.smt2:1:12: found `)`, expected a command or the end of the file");
    check(
        "(assert (bvadd #x00 #b1))",
        "file.smt2:1:21: found a term of sort (_ BitVec 1), expected a term of sort (_ BitVec 8) in `bvadd`",
    );
    check("(assert #x00)", "file.smt2:1:9: found a term of sort (_ BitVec 8), expected a term of sort Bool");
    check(
        "(declare-const x Int)",
        "file.smt2:1:18: found the sort `Int`, expected a sort of booleans, bit-vectors, floats, arrays or a declared \
         one: integers, reals and strings are not supported",
    );
    check(
        "(assert (forall ((x Bool)) x))",
        "file.smt2:1:9: found `forall`, expected a term without quantifiers, datatypes and qualified names",
    );
    check("(assert (not true false))", "file.smt2:1:9: found 2 arguments, expected 1 argument of `not`");
    check("(pop 1)", "file.smt2:1:1: found a pop of 1 levels, expected at most as many as were pushed");
    check(
        "(assert ((_ extract 8 0) #xff))",
        "file.smt2:1:9: found bits 8 to 0, expected bits of a bit-vector of width 8",
    );
    check(
        "(assert (= (fp.to_real (_ NaN 8 24)) 1.0))",
        "file.smt2:1:12: found the symbol `fp.to_real`, expected an operator without reals",
    );
    check(
        "(frobnicate)",
        "file.smt2:1:1: found the command `frobnicate`, expected a command of SMT-LIB for quantifier-free problems",
    );
}

/// No input may make the reader panic.
#[test]
fn broken_texts() {
    let whole = "(set-logic ALL)(declare-fun f ((_ BitVec 8) Bool) (_ FloatingPoint 3 5))(define-fun g ((x Bool)) Bool \
                 (! (let ((y x)) (ite y x (= ((_ to_fp 3 5) RNE 1.5) (f #xab y)))) :named n))(assert (g true))\
                 (assert (= (_ bv3 8) ((_ zero_extend 4) #b0101)))(check-sat-assuming (n))(get-value (n))(push 1)(pop 1)";
    assert!(read(&Terms::new(), whole).is_ok());
    for cut in 0..whole.len() {
        let _ = read(&Terms::new(), &whole[..cut]);
        let _ = read(&Terms::new(), &format!("{}{}", &whole[..cut], &whole[cut + 1..]));
        let _ = read(&Terms::new(), &format!("{}({}", &whole[..cut], &whole[cut..]));
        let _ = read(&Terms::new(), &format!("{}){}", &whole[..cut], &whole[cut..]));
        let _ = read(&Terms::new(), &format!("{} 0 {}", &whole[..cut], &whole[cut..]));
    }
}

#[test]
fn deep_terms() {
    let depth = 100_000;
    let mut text = String::from("(declare-const x (_ BitVec 8))(declare-const p Bool)(assert ");
    text.push_str(&"(ite p (= x #x01) (= p (and (= x #x02) ".repeat(depth));
    text.push('p');
    text.push_str(&")))".repeat(depth));
    text.push(')');
    let terms = Terms::new();
    let back = read(&terms, &text).unwrap_or_else(|error| panic!("{error}"));
    let term = back.assertions()[0];
    let printed = script(&terms, &[term]);
    assert_eq!(read(&terms, &printed).map(|script| script.assertions()), Ok(vec![term]));
    terms.eval(term, &Model::default());
    assert!(read(&terms, &"(".repeat(depth)).is_err());
    let lets = format!("(assert {}true{})", "(let ((a true)) ".repeat(depth), ")".repeat(depth));
    assert_eq!(read(&terms, &lets).map(|script| script.assertions()), Ok(vec![terms.bool(true)]));
    let sorts = format!("(declare-const y {}Bool{})", "(Array Bool ".repeat(depth), ")".repeat(depth));
    assert!(read(&terms, &sorts).is_err());
}

/// The text grows with the number of different subterms, not with the tree.
#[test]
fn sharing() {
    let terms = Terms::new();
    let mut term = terms.variable("x", Sort::Bv(8));
    for _ in 0..200 {
        term = terms.bv_udiv(term, terms.bv_urem(term, terms.bv_not(term)));
    }
    let text = script(&terms, &[terms.eq(term, terms.bv(8, 3))]);
    assert!(text.len() < 200 * 100, "{}", text.len());
}

/// Names that need quotes, clash with operators or with the names of shared terms.
#[test]
fn odd_names() {
    let terms = Terms::new();
    let names = ["let", "", "a b", "$0", "$$", "0x", "main::x", "x@1"];
    let mut sum = terms.variable("x", Sort::Bv(8));
    for name in names {
        let variable = terms.variable(name, Sort::Bv(8));
        sum = terms.bv_udiv(terms.bv_urem(sum, variable), sum);
    }
    let term = terms.eq(sum, terms.bv(8, 1));
    let text = script(&terms, &[term]);
    assert_eq!(read(&terms, &text).map(|script| script.assertions()), Ok(vec![term]), "{text}");
    let operator = terms.variable("bvadd", Sort::Bool);
    let bar = terms.variable("a|b", Sort::Bool);
    assert!(read(&terms, &script(&terms, &[operator, bar])).is_ok());
}
