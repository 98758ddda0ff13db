//! `tandem smt` on scripts: answers, and messages with a place for what is wrong.

use std::process::{Command, Output};

fn tandem(name: &str, script: &str, options: &[&str]) -> Output {
    let file = std::env::temp_dir().join(format!("tandem-smt-{}-{name}.smt2", std::process::id()));
    std::fs::write(&file, script).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_tandem")).arg("smt").arg(&file).args(options).output().unwrap();
    std::fs::remove_file(&file).unwrap();
    output
}

#[test]
fn answers() {
    let script = "(set-logic QF_BV)(declare-const x (_ BitVec 8))(assert (bvult x #x02))(check-sat)\n\
                  (assert (= x #x01))(check-sat)(get-value (x))(assert (= x #x03))(check-sat)";
    let output = tandem("answers", script, &[]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "sat\nsat\n((x #x01))\nunsat\n");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_limit_ends_a_check() {
    let script = "(set-logic QF_BV)(declare-const x (_ BitVec 128))(declare-const y (_ BitVec 128))\n\
                  (assert (= (bvmul x y) (_ bv1329227995784915866437746230000000 128)))\n\
                  (assert (bvult x (_ bv4611686018427387904 128)))(assert (bvult y (_ bv4611686018427387904 128)))\n\
                  (assert (= ((_ extract 0 0) x) #b1))(assert (bvult (_ bv2305843009213693953 128) x))(check-sat)";
    let start = std::time::Instant::now();
    let output = tandem("limit", script, &["--time-limit", "500ms"]);
    assert!(start.elapsed().as_secs() < 3, "{:?}", start.elapsed());
    let answer = String::from_utf8_lossy(&output.stdout).into_owned();
    // The check may be lucky; what counts is that it ends in time and that the status says how.
    assert!(matches!((answer.as_str(), output.status.code()), ("unknown\n", Some(3)) | ("sat\n" | "unsat\n", Some(0))));
}

#[test]
fn mistakes_have_a_place() {
    for (name, script, place) in [
        ("logic", "(set-logic QF_NONSENSE)\n(check-sat)", ":1:"),
        ("syntax", "(set-logic QF_BV)\n(assert (= #b1 #b1)\n(check-sat)", ":"),
        ("missing", "(set-logic QF_BV)\n(assert (= y #b1))", ":2:12"),
    ] {
        let output = tandem(name, script, &[]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(&format!(".smt2{place}")), "{message}");
        assert!(message.contains("expected"), "{message}");
    }
}
