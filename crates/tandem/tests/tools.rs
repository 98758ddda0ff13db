//! Other programs as actors of plans: real ones where they are installed, and scripts that lie, crash, hang or say nothing.

mod common;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{Directory, Run, tandem};
use serde_json::Value;

const DECLARATIONS: &str = "extern int __VERIFIER_nondet_int(void);\nextern unsigned char __VERIFIER_nondet_uchar(void);\n\
    extern void __VERIFIER_assume(int);\nextern void abort(void);\nvoid reach_error() {}\n";
/// Two numbers that must be met; the state of one run must not reach the next.
const BUG: &str = "int runs = 0;\nint main(void) {\n  runs++;\n  int x = __VERIFIER_nondet_int();\n  \
    unsigned char c = __VERIFIER_nondet_uchar();\n  if (runs > 1) reach_error();\n  if (x == 12345) {\n    \
    if (c == 'q')\n      reach_error();\n  }\n  if (c == 3) { int *p = 0; *p = x / (c - 3); }\n  return 0;\n}\n";
const SAFE: &str = "int main(void) {\n  int x = __VERIFIER_nondet_int();\n  if (x < 0 || x > 100)\n    abort();\n  \
    int i = 0;\n  while (i < 10)\n    i++;\n  if (x + i > 1000)\n    reach_error();\n  return 0;\n}\n";
/// What is reached only behind an alarm.
const ALARM: &str = "int main(void) {\n  int x = __VERIFIER_nondet_int();\n  int a[4];\n  a[0] = 1;\n  \
    if (a[x & 3] == 7)\n    reach_error();\n  return 0;\n}\n";

fn is_installed(programs: &[&str]) -> bool {
    let there =
        |name: &&str| Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    let all = programs.iter().all(there);
    if !all {
        eprintln!("skipped: {} not installed (scripts/setup.sh --tools)", programs.join(", "));
    }
    all
}

struct Place {
    directory: Directory,
    file: String,
    output: String,
}

fn place(name: &str, program: &str) -> Place {
    let directory = Directory::new(&format!("tools-{name}"));
    let file = directory.file("a.c", format!("{DECLARATIONS}{program}"));
    let output = directory.path().join("out").display().to_string();
    Place { directory, file, output }
}

impl Place {
    fn run(&self, plan: &str, options: &[&str]) -> Run {
        let run = tandem(&[&["run", plan, &self.file, "--output", &self.output], options].concat());
        let left = leftovers();
        assert!(left.is_empty(), "{left:?}");
        run
    }

    fn written(&self, name: &str) -> String {
        std::fs::read_to_string(format!("{}/{name}", self.output)).unwrap_or_default()
    }

    fn journal(&self) -> Value {
        serde_json::from_str(&self.written("journal.json")).unwrap()
    }
}

/// Processes that still work in the directory of a run that has ended. One that was just killed may need a moment.
fn leftovers() -> Vec<String> {
    let patience = Instant::now() + Duration::from_secs(3);
    loop {
        let left = working_for_ended_runs();
        if left.is_empty() || Instant::now() > patience {
            return left;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn working_for_ended_runs() -> Vec<String> {
    let mine = std::env::temp_dir().join("tandem-").display().to_string();
    let entries = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let of = |entry: std::fs::DirEntry| {
        let directory = std::fs::read_link(entry.path().join("cwd")).ok()?.display().to_string();
        let run: u32 = directory.strip_prefix(&mine)?.split('-').next()?.parse().ok()?;
        // Other tests run at the same time: what works for a run that is still there is no leftover.
        let ended = !std::path::Path::new(&format!("/proc/{run}")).exists();
        ended.then(|| format!("{} in {directory}", entry.file_name().to_string_lossy()))
    };
    entries.filter_map(of).collect()
}

fn verdict(run: &Run) -> &str {
    run.stdout.lines().last().unwrap_or_default()
}

fn assert_false(place: &Place, run: &Run) {
    assert_eq!((run.status, verdict(run)), (Some(1), "Verdict: FALSE"), "{run:?} {}", place.written("journal.json"));
    let (gia, test) = (place.written("gia.yml"), format!("{}/test-suite/testcase-1.xml", place.output));
    assert!(gia.contains("mark: reached") && gia.contains("\\\\result == 12345"), "{gia}");
    assert_eq!(tandem(&["exec", &place.file, "--inputs", &test]).status, Some(1));
    let path = format!("{}/gia.yml", place.output);
    assert_eq!(tandem(&["gia", "check", &path, &place.file]).status, Some(0));
}

/// Fuzzers make tests, alone and together with the others.
#[test]
fn fuzzers_make_tests() {
    if !is_installed(&["afl-fuzz", "afl-clang-fast", "clang"]) {
        return;
    }
    let place = place("test", SAFE);
    let coverage = |plan: &str, limit: &str| {
        let run = tandem(&["test", &place.file, "--plan", plan, "--time-limit", limit, "--output", &place.output]);
        let left = leftovers();
        assert!(left.is_empty(), "{left:?}");
        run
    };
    for tool in ["afl", "libfuzzer"] {
        let alone = coverage(tool, "15s");
        // Nobody proves that the error is not reached.
        assert_eq!(alone.status, Some(3), "{tool} {alone:?}");
        assert!(
            verdict(&alone).starts_with("Coverage: 5 covered, 0 unreachable, 1 open of 6 goals"),
            "{tool} {alone:?}"
        );
        let again = tandem(&["exec", &place.file, "--suite", &format!("{}/test-suite", place.output)]);
        assert!(again.stdout.contains("5 of 6 branches"), "{again:?}");
    }
    let both = coverage("cotest,libfuzzer", "30s");
    assert!(both.status == Some(0) && verdict(&both).starts_with("Coverage: 5 covered, 1 unreachable"), "{both:?}");
    let same = tandem(&["run", "cotest", &place.file]);
    assert!(same.status == Some(0) && verdict(&same).starts_with("Coverage: 5 covered, 1 unreachable"), "{same:?}");
    let explained = tandem(&["run", "cotest,afl", &place.file, "--explain"]);
    assert!(explained.stdout.contains("verifier") && explained.stdout.contains("afl"), "{explained:?}");
    for wrong in [["test", &place.file, "--plan", "eva"], ["run", "cotest,nobody", &place.file, "--quiet"]] {
        let refused = tandem(&wrong);
        assert!(refused.status == Some(2) && refused.stderr.contains("--plan accepts cotest"), "{refused:?}");
    }
}

#[test]
fn afl_finds_an_error() {
    if !is_installed(&["afl-fuzz", "afl-clang-fast", "clang"]) {
        return;
    }
    let place = place("afl", BUG);
    let run = place.run("afl", &["--time-limit", "30s"]);
    assert_false(&place, &run);
}

#[test]
fn libfuzzer_finds_an_error() {
    if !is_installed(&["clang"]) {
        return;
    }
    let place = place("libfuzzer", BUG);
    let run = place.run("libfuzzer", &["--time-limit", "30s", "--data-model", "ILP32"]);
    if run.stdout.contains("libclang-rt-dev") {
        eprintln!("skipped: the library of libFuzzer is not installed");
        return;
    }
    assert_eq!(verdict(&run), "Verdict: FALSE", "{run:?} {}", place.written("journal.json"));
}

/// A fuzzer that finds nothing, is stopped, and what is known besides is not lost.
#[test]
fn a_fuzzer_that_is_stopped_leaves_what_is_known() {
    if !is_installed(&["afl-fuzz", "afl-clang-fast", "clang"]) {
        return;
    }
    let hard = "int main(void) {\n  int mode = 0;\n  if (__VERIFIER_nondet_int()) {\n    if (mode == 1)\n      reach_error();\n  } \
                else {\n    unsigned y = __VERIFIER_nondet_int();\n    if (y * y == 12345679u)\n      reach_error();\n  }\n  \
                return 0;\n}\n";
    let place = place("stopped", hard);
    let plan = place.directory.file("plan.yml", "plan: two\nsteps:\n  - run: value\n    time: 1s\n  - run: afl\n");
    let run = place.run(&plan, &["--time-limit", "6s"]);
    assert_eq!(run.status, Some(3), "{run:?}");
    assert!(run.time < Duration::from_secs(8), "{:?}", run.time);
    assert!(place.written("gia.yml").contains("mark: unreachable"), "{}", place.written("gia.yml"));
    let journal = place.journal();
    let work = journal.as_array().unwrap().iter().find(|entry| entry["actor"] == "afl").unwrap();
    assert!(work["tests"].as_u64().unwrap() > 0, "{work}");
}

#[test]
fn a_signal_ends_a_fuzzer_and_what_it_found_counts() {
    if !is_installed(&["afl-fuzz", "afl-clang-fast", "clang"]) {
        return;
    }
    let place = place("signal", SAFE);
    let mut child = Command::new(env!("CARGO_BIN_EXE_tandem"))
        .args(["run", "afl", &place.file, "--output", &place.output])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_secs(4));
    let start = Instant::now();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(3));
    assert!(start.elapsed() < Duration::from_millis(1500), "{:?}", start.elapsed());
    assert!(place.journal()[0]["tests"].as_u64().unwrap() > 0, "{}", place.journal());
    assert!(leftovers().is_empty(), "{:?}", leftovers());
}

#[test]
fn eva_counts_only_if_it_is_trusted() {
    if !is_installed(&["frama-c"]) {
        return;
    }
    let place = place("eva", SAFE);
    let run = place.run("eva", &["--time-limit", "20s"]);
    assert_eq!(run.status, Some(3), "{run:?}");
    assert!(
        verdict(&run).contains("eva: says TRUE without a witness") && verdict(&run).contains("--trust eva"),
        "{run:?}"
    );
    for model in ["LP64", "ILP32"] {
        let run = place.run("eva", &["--time-limit", "20s", "--trust", "eva", "--data-model", model]);
        assert_eq!(
            (run.status, verdict(&run)),
            (Some(0), "Verdict: TRUE"),
            "{run:?} {}",
            place.written("journal.json")
        );
    }
}

/// Behind an alarm Eva goes on with some states only: what it does not reach there says nothing.
#[test]
fn eva_says_nothing_behind_an_alarm() {
    if !is_installed(&["frama-c"]) {
        return;
    }
    for (name, program) in [("alarm", ALARM), ("wrong", BUG)] {
        let place = place(&format!("eva-{name}"), program);
        let run = place.run("eva", &["--time-limit", "20s", "--trust", "eva"]);
        assert_eq!(run.status, Some(3), "{run:?}");
        assert!(verdict(&run).contains("eva: "), "{run:?}");
    }
}

/// Eva on what the fuzzer leaves, in one plan.
#[test]
fn eva_and_a_fuzzer_in_one_plan() {
    if !is_installed(&["frama-c", "afl-fuzz", "afl-clang-fast", "clang"]) {
        return;
    }
    let plan = "plan: both\nsteps:\n  - run: eva\n    time: 30%\n  - run: afl\n";
    for (name, program, status) in [("bug", BUG, 1), ("safe", SAFE, 0)] {
        let place = place(&format!("both-{name}"), program);
        let plan = place.directory.file("plan.yml", plan);
        let run = place.run(&plan, &["--time-limit", "30s", "--trust", "eva"]);
        assert_eq!(run.status, Some(status), "{run:?} {}", place.written("journal.json"));
    }
}

/// A plan with one tool that is a script.
fn script(place: &Place, text: &str, more: &str) -> String {
    let script = place.directory.file("tool.sh", text);
    let plan = format!(
        "plan: script\ntools:\n  liar:\n    command: [sh, \"{script}\", \"{{program}}\", \"{{directory}}\"]\n    \
         true: THE PROPERTY HOLDS\n    false: THE PROPERTY IS VIOLATED\n{more}steps:\n  - run: liar\n"
    );
    place.directory.file("plan.yml", plan)
}

/// Whatever a tool says, the verdict is never wrong, and the message names the tool.
fn assert_doubted(name: &str, text: &str, more: &str, expected: &str) {
    for (index, program) in [BUG, SAFE].into_iter().enumerate() {
        let place = place(&format!("{name}-{index}"), program);
        let plan = script(&place, text, more);
        let run = place.run(&plan, &["--time-limit", "4s"]);
        assert_eq!(run.status, Some(3), "{run:?}");
        assert!(run.time < Duration::from_secs(6), "{:?}", run.time);
        let caveats = place.journal()[0]["caveats"].to_string();
        assert!(caveats.contains("liar: ") && caveats.contains(expected), "{caveats}");
    }
}

#[test]
fn tools_that_lie_or_fail() {
    assert_doubted("true", "echo THE PROPERTY HOLDS\n", "", "says TRUE without a witness");
    assert_doubted("false", "echo THE PROPERTY IS VIOLATED\n", "", "says FALSE, but no run");
    let both = "echo THE PROPERTY HOLDS; echo THE PROPERTY IS VIOLATED\n";
    assert_doubted("both", both, "", "says TRUE and FALSE at once");
    assert_doubted("junk", "head -c 3000000 /dev/urandom\n", "", "gave no answer");
    assert_doubted("silent", "exit 7\n", "", "gave no answer (exit status: 7)");
    assert_doubted("crash", "echo THE PROPERTY HOLDS; kill -SEGV $$\n", "", "crashed (signal 11)");
    assert_doubted("hang", "trap '' TERM; echo THE PROPERTY HOLDS; sleep 100\n", "", "time limit");
}

/// The program is there, unless somebody takes it away.
#[test]
fn a_program_that_is_missing() {
    let place = place("missing", SAFE);
    let text = "plan: gone\ntools:\n  gone:\n    command: no-such-program-anywhere\n    true: yes\nsteps:\n  - run: gone\n  - run: bmc\n";
    let plan = place.directory.file("plan.yml", text);
    let run = place.run(&plan, &["--time-limit", "20s"]);
    assert_eq!(verdict(&run), "Verdict: TRUE", "the plan goes on: {run:?}");
    let caveats = place.journal()[0]["caveats"].to_string();
    assert!(caveats.contains("gone: not installed: there is no program `no-such-program-anywhere`"), "{caveats}");
    for name in ["cbmc", "klee", "cpachecker", "esbmc"] {
        let run = place.run(name, &["--time-limit", "5s"]);
        assert_eq!(run.status, Some(3), "{run:?}");
        assert!(verdict(&run).contains(&format!("{name}: ")), "{run:?}");
    }
}

/// A witness that says nothing, or something wrong, makes no proof; one that is confirmed does.
#[test]
fn witnesses_of_tools_are_checked() {
    let witness = |invariant: &str| {
        let content = match invariant {
            "" => "[]".to_string(),
            value => format!(
                "\n  - invariant:\n      type: loop_invariant\n      location:\n        file_name: program.c\n        line: LINE\n        \
                 column: COLUMN\n        function: main\n      value: {value}\n      format: c_expression"
            ),
        };
        let entry = format!(
            "- entry_type: invariant_set\n  metadata:\n    format_version: \"2.0\"\n    uuid: 5a1c2a4a-7b8f-4b6e-8b4e-2f7f3a1d9c01\n    \
             creation_time: 2024-01-01T00:00:00Z\n    producer:\n      name: liar\n      version: \"1\"\n    task:\n      \
             input_files: [program.c]\n      input_file_hashes:\n        program.c: {}\n      \
             specification: CHECK( init(main()), LTL(G ! call(reach_error())) )\n      data_model: LP64\n      language: C\n  \
             content: {content}\n",
            "0".repeat(64)
        );
        // The places are those of the program that the tool was given.
        format!(
            "line=$(grep -n while $1 | head -1 | cut -d: -f1); column=$(awk -v l=$line 'NR==l{{print index($0,\"while\")}}' $1)\n\
             sed \"s/LINE/$line/;s/COLUMN/$column/\" > $2/witness.yml <<'END'\n{entry}END\necho THE PROPERTY HOLDS\n"
        )
    };
    let more = "    witness: witness.yml\n";
    let place = place("witness", SAFE);
    for (invariant, status, expected) in
        [("0 <= i && i <= 10", 0, "its witness is confirmed"), ("i <= 5", 3, "liar: says TRUE with a wrong witness")]
    {
        let plan = script(&place, &witness(invariant), more);
        let run = place.run(&plan, &["--time-limit", "20s"]);
        assert_eq!(run.status, Some(status), "{run:?} {}", place.written("journal.json"));
        assert!(place.written("journal.json").contains(expected), "{}", place.written("journal.json"));
    }
    let wrong = self::place("false-witness", &BUG.replace("return 0", "for (;;) ; return 0"));
    let plan = script(&wrong, &witness(""), more);
    let run = wrong.run(&plan, &["--time-limit", "10s"]);
    assert_ne!(run.status, Some(0), "{run:?}");
}

/// A violation counts when it was replayed, whether it came as a test or as a witness.
#[test]
fn violations_of_tools_are_replayed() {
    let test = |value: &str| {
        format!(
            "mkdir $2/tests; cat > $2/tests/t1.xml <<'END'\n<?xml version=\"1.0\"?>\n<testcase><input>{value}</input><input>113</input>\
             </testcase>\nEND\necho THE PROPERTY IS VIOLATED\n"
        )
    };
    let place = place("tests", BUG);
    let more = "    tests: tests\n";
    let plan = script(&place, &test("12345"), more);
    let run = place.run(&plan, &["--time-limit", "20s"]);
    assert_false(&place, &run);
    let plan = script(&place, &test("12346"), more);
    let run = place.run(&plan, &["--time-limit", "20s"]);
    assert_eq!(run.status, Some(3), "{run:?}");
    // Killed in mid-run, what it left counts.
    let plan = script(&place, &format!("{}sleep 100\n", test("12345")), more);
    let run = place.run(&plan, &["--time-limit", "3s"]);
    assert_false(&place, &run);
}

#[test]
fn plans_that_make_no_sense_are_refused() {
    let place = place("senseless", SAFE);
    let refused = |plan: &str, options: &[&str], expected: &[&str]| {
        let run = place.run(plan, options);
        assert_eq!(run.status, Some(2), "{run:?}");
        assert!(run.stdout.is_empty(), "{run:?}");
        assert!(expected.iter().all(|text| run.stderr.contains(text)), "{run:?}");
        assert_eq!(run.stderr.matches(": error:").count(), 1, "one message: {run:?}");
    };
    let plan = |text: &str| place.directory.file("plan.yml", text);
    refused("nobody", &[], &["there is no plan or actor `nobody`", "cc-gia", "afl"]);
    refused("afl", &["--trust", "nobody"], &["there is no plan or actor `nobody`"]);
    let unknown = plan("plan: a\nsteps:\n  - run: value\n  - run: nobody\n");
    refused(&unknown, &[], &["plan.yml:4:10", "there is no actor `nobody`", "the actors are afl"]);
    let missing = plan("plan: a\nsteps:\n  - run: refiner\n");
    refused(&missing, &[], &["plan.yml:3:10", "`refiner` needs candidates, which nobody before it gives"]);
    let idle = plan("plan: a\ntools:\n  t:\n    command: t\n    true: x\nsteps:\n  - repeat: []\n");
    refused(&idle, &[], &["there is no step in this list"]);
    let unreadable = plan("plan: [a\nsteps:");
    refused(&unreadable, &[], &["plan.yml:"]);
    refused(&place.directory.path().join("absent.yml").display().to_string(), &[], &["absent.yml"]);
    let taken = plan("plan: a\ntools:\n  bmc:\n    command: t\n    true: x\nsteps:\n  - run: bmc\n");
    refused(&taken, &[], &["plan.yml:3:3", "there is an actor `bmc` already"]);
    // What is said about other targets is nothing about errors.
    let first = place.run("explorer", &["--time-limit", "10s"]);
    assert_eq!(first.status, Some(3), "{first:?}");
    let gia = place.written("gia.yml");
    let targets = gia.lines().find(|line| line.starts_with("- {name: reach_error")).unwrap();
    let others = gia.replace(&format!("targets:\n{targets}"), "targets: []");
    assert_ne!(gia, others);
    let others = place.directory.file("others.yml", others);
    refused("explorer", &["--given", &others], &["others.yml", "the automaton is about other targets"]);
    let broken = place.directory.file("gia.yml", "states: 7\n");
    refused("explorer", &["--given", &broken], &["gia.yml:"]);
}

/// A repetition that brings nothing new comes to its end.
#[test]
fn a_repetition_without_progress_ends() {
    let place = place("repeat", SAFE);
    let text =
        "plan: again\ntools:\n  idle:\n    command: \"true\"\n    true: x\nsteps:\n  - repeat:\n      - run: idle\n";
    let plan = place.directory.file("plan.yml", text);
    let run = place.run(&plan, &["--time-limit", "20s"]);
    assert_eq!(run.status, Some(3), "{run:?}");
    assert!(place.journal().as_array().unwrap().len() < 20);
    assert!(run.time < Duration::from_secs(10));
}

#[test]
fn plans_with_tools_are_explained() {
    let place = place("explain", SAFE);
    let run = tandem(&["run", "afl", &place.file, "--explain"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stdout.contains("afl: the fuzzer AFL++") && run.stdout.contains("under-approximating"), "{run:?}");
}

/// Two calls of the error: intervals exclude the first, and the second only who knows squares.
const PARTS: &str = "int main(void) {\n  int x = __VERIFIER_nondet_int();\n  if (x < 0 || x > 100)\n    abort();\n  \
    if (x > 200)\n    reach_error();\n  if ((x * x) % 4 == 3)\n    reach_error();\n  return 0;\n}\n";

/// What Eva has shown of one call of the error stays when it is killed at a later, more precise attempt, or hangs there.
#[test]
fn eva_killed_in_mid_run_leaves_what_it_has_shown() {
    if !is_installed(&["frama-c"]) {
        return;
    }
    let path = std::env::var("PATH").unwrap_or_default();
    for (name, fate) in [("killed", "kill -KILL $$"), ("hangs", "sleep 60")] {
        let place = place(&format!("eva-{name}"), PARTS);
        let tools = place.directory.path().join("tools");
        std::fs::create_dir_all(&tools).unwrap();
        let script = format!(
            "#!/bin/sh\ncase \"$*\" in *\"-eva-precision 1 \"*) PATH='{path}' exec frama-c \"$@\" ;; esac\n{fate}\n"
        );
        std::fs::write(tools.join("frama-c"), script).unwrap();
        assert!(Command::new("chmod").arg("+x").arg(tools.join("frama-c")).status().unwrap().success());
        let both = "plan: both\nsteps:\n  - run: eva\n    time: 8s\n  - run: k-induction\n";
        let plan = place.directory.file("plan.yml", both);
        for (plan, trust, verdict) in [("eva", "eva", 3), ("eva", "afl", 3), (&plan, "eva", 0)] {
            let output = Command::new(env!("CARGO_BIN_EXE_tandem"))
                .args(["run", plan, &place.file, "--output", &place.output, "--time-limit", "16s", "--trust", trust])
                .env("PATH", format!("{}:{path}", tools.display()))
                .output()
                .unwrap();
            let shown = (String::from_utf8_lossy(&output.stdout), place.written("journal.json"));
            assert_eq!(output.status.code(), Some(verdict), "{name} {shown:?}");
            let gia = place.written("gia.yml");
            assert_eq!(gia.contains("mark: unreachable"), trust == "eva", "{name} {shown:?} {gia}");
            let journal = place.journal();
            let eva = journal.as_array().unwrap().iter().find(|entry| entry["actor"] == "eva").unwrap();
            assert!(eva.to_string().contains("1 of 2 calls of the error"), "{name} {eva}");
        }
    }
    assert!(leftovers().is_empty(), "{:?}", leftovers());
}
