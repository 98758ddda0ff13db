//! Verifiers that are used where they are installed: their command lines, and the words in their output.

use tandem_artifact::plan;

use super::given::Given;
use super::outside_functions::Dialect;

/// Name, command, words for TRUE and FALSE, the witness it leaves, and where to get it.
struct Entry {
    name: &'static str,
    about: &'static str,
    command: &'static [&'static str],
    says_true: &'static str,
    says_false: &'static str,
    witness: Option<&'static str>,
    origin: &'static str,
    dialect: Option<Dialect>,
}

const ENTRIES: [Entry; 3] = [
    Entry {
        name: "cbmc",
        about: "the bounded model checker CBMC, on what is not settled",
        command: &[
            "cbmc",
            "--{bits}",
            "--unwind",
            "100",
            "--unwinding-assertions",
            "--slice-formula",
            "--graphml-witness",
            "{directory}/witness.graphml",
            "{program}",
        ],
        says_true: "VERIFICATION SUCCESSFUL",
        says_false: "VERIFICATION FAILED",
        witness: Some("witness.graphml"),
        origin: "Debian package cbmc",
        dialect: Some(Dialect {
            error: "__CPROVER_assert(0, \"error\"); __CPROVER_assume(0);",
            leave: "__CPROVER_assume(0);",
            input: None,
        }),
    },
    Entry {
        name: "cpachecker",
        about: "the verifier CPAchecker, on what is not settled",
        command: &[
            "cpachecker",
            "--svcomp25",
            "--benchmark",
            "--spec",
            "{property}",
            "--{bits}",
            "--timelimit",
            "{seconds}s",
            "--output-path",
            "{directory}/output",
            "{program}",
        ],
        says_true: "Verification result: TRUE",
        says_false: "Verification result: FALSE",
        witness: Some("output/witness.yml"),
        origin: "https://cpachecker.sosy-lab.org, with bin/ in the PATH",
        dialect: None,
    },
    Entry {
        name: "esbmc",
        about: "the model checker ESBMC, on what is not settled",
        command: &[
            "esbmc",
            "--{bits}",
            "--incremental-bmc",
            "--no-bounds-check",
            "--no-pointer-check",
            "--no-div-by-zero-check",
            "--timeout",
            "{seconds}s",
            "--witness-output",
            "{directory}/witness.graphml",
            "{program}",
        ],
        says_true: "VERIFICATION SUCCESSFUL",
        says_false: "VERIFICATION FAILED",
        witness: Some("witness.graphml"),
        origin: "https://github.com/esbmc/esbmc/releases",
        dialect: Some(Dialect {
            error: "__ESBMC_assert(0, \"error\"); __ESBMC_assume(0);",
            leave: "__ESBMC_assume(0);",
            input: None,
        }),
    },
];

pub fn all() -> Vec<Given> {
    ENTRIES.into_iter().map(given).collect()
}

fn given(entry: Entry) -> Given {
    let tool = plan::Tool {
        name: entry.name.into(),
        command: entry.command.iter().map(|word| word.to_string()).collect(),
        says_true: vec![entry.says_true.into()],
        says_false: vec![entry.says_false.into()],
        witness: entry.witness.map(String::from),
        tests: None,
        ..plan::Tool::default()
    };
    Given { tool, about: entry.about.into(), origin: entry.origin.into(), dialect: entry.dialect }
}
