//! The goal counts of published experiments, if the programs are there (beside the repository, or where `TANDEM_BENCHMARKS` says).

use std::path::{Path, PathBuf};

use tandem_artifact::fql::{Goals, Semantics, parse};
use tandem_base::SourceText;
use tandem_cfa::{DataModel, Program, build};

fn directory() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/benchmarks");
    let directory = std::env::var_os("TANDEM_BENCHMARKS").map_or(beside, PathBuf::from).join("fql");
    if directory.is_dir() {
        return Some(directory);
    }
    eprintln!("skipped: there are no programs in {}", directory.display());
    None
}

fn program(path: PathBuf) -> Program {
    let text = std::fs::read(&path).unwrap();
    // Declarations are all that the few directives of these programs are for.
    let lines =
        text.split(|byte| *byte == b'\n').map(|line| if line.starts_with(b"#include") { &b""[..] } else { line });
    let text = lines.collect::<Vec<_>>().join(&b'\n');
    let built = build(SourceText::plain("a.c", text), DataModel::Lp64);
    built.program.unwrap_or_else(|| panic!("{}: {:?}", path.display(), built.problems))
}

fn count(program: &Program, query: &str, semantics: Semantics) -> u64 {
    Goals::new(program, &parse(query).unwrap(), semantics).unwrap().count()
}

const BB: &str = "@BASICBLOCKENTRY";

#[test]
fn bounded_paths_of_the_smallest_lock_program() {
    let Some(directory) = directory() else { return };
    let program = program(directory.join("locks/test_locks_1.c"));
    let counts: Vec<u64> =
        (0..10).map(|n| count(&program, &format!("cover PATHS(ID, {n})"), Semantics::Tiger)).collect();
    assert_eq!(counts, [1, 7, 31, 127, 511, 2047, 8191, 32767, 131071, 524287]);
    let query = parse("cover PATHS(ID, 9)").unwrap();
    let goals = Goals::new(&program, &query, Semantics::Tiger).unwrap();
    assert!(goals.goal(524_286).is_some() && goals.goal(524_287).is_none());
}

#[test]
fn pairs_and_triples_of_basic_blocks() {
    let Some(directory) = directory() else { return };
    for (locks, blocks) in [(1u64, 10), (2, 16), (5, 31), (6, 36), (7, 41), (8, 46), (9, 51), (15, 81)] {
        let program = program(directory.join(format!("locks/test_locks_{locks}.c")));
        assert_eq!(count(&program, &format!("cover {BB}->{BB}"), Semantics::Tiger), blocks * blocks);
        assert_eq!(count(&program, &format!("cover {BB}->{BB}->{BB}"), Semantics::Tiger), blocks * blocks * blocks);
    }
}

#[test]
fn blocks_and_their_nodes_in_drivers() {
    let Some(directory) = directory() else { return };
    let drivers = [
        ("kbfiltr_simpl1", 118u64, 182u64),
        ("kbfiltr_simpl2_BUG", 203, 317),
        ("kbfiltr_simpl2", 202, 316),
        ("floppy_simpl3_BUG", 209, 352),
        ("floppy_simpl3", 209, 353),
        ("floppy_simpl4", 291, 488),
        ("floppy_simpl4_BUG", 291, 487),
        // The published figure has one node more: 707 and 704.
        ("cdaudio_simpl1_BUG", 420, 706),
        ("cdaudio_simpl1", 417, 703),
        ("diskperf_simpl1", 202, 338),
    ];
    for (name, blocks, nodes) in drivers {
        let program = program(directory.join(format!("ntdrivers-simplified/{name}.cil.c")));
        let found = [format!("cover {BB}"), format!("cover {BB}->{BB}"), format!("cover NODES({BB})->NODES({BB})")]
            .map(|query| count(&program, &query, Semantics::Tiger));
        assert_eq!(found, [blocks, blocks * blocks, nodes * nodes], "{name}");
    }
}

#[test]
fn examples_of_the_other_tool() {
    let Some(directory) = directory() else { return };
    let cases = [
        ("list2.c", "cover @BASICBLOCKENTRY", 11),
        ("list2.c", "cover @CONDITIONEDGE", 8),
        ("list2.c", "cover @CONDITIONEDGE & @STMTTYPE(if,switch,for,while,?:)", 8),
        ("sort2.c", "cover PATHS(@FUNC(main) | @FUNC(insert),1)", 6),
        ("sort2.c", "cover PATHS(@FUNC(main) | @FUNC(insert),2)", 9),
        ("list2.c", "cover @DEF(t)", 2),
        ("list2.c", "cover @USE(t)", 2),
        ("list2.c", "cover @DEF(t).\"NOT(@DEF(t))*\".@USE(t)", 4),
        ("sort1.c", "cover @CONDITIONEDGE+@BASICBLOCKENTRY", 30),
        ("list2.c", "cover @BASICBLOCKENTRY->@BASICBLOCKENTRY", 121),
        ("list2.c", "cover @BASICBLOCKENTRY->@BASICBLOCKENTRY->@BASICBLOCKENTRY", 1331),
        ("list2.c", "cover @BASICBLOCKENTRY->@BASICBLOCKENTRY->@BASICBLOCKENTRY->@BASICBLOCKENTRY", 14641),
        ("labels.c", "cover @label(L0a)->@label(L1)", 2),
        ("variables.c", "cover {inner_local > 5}.id", 2),
    ];
    for (file, query, expected) in cases {
        let program = program(directory.join("examples").join(file));
        assert_eq!(count(&program, query, Semantics::FShell), expected, "{file} {query}");
    }
}
