//! Theorem 1 on random programs and automata: a path that is not covered stays in the residual program as it is, and the residual has no
//! path that the program does not have.

mod random;

use random::*;
use tandem_artifact::gia::Mark;
use tandem_cfa::exec::End;
use tandem_coop::reduce::reduce;

const PROGRAMS: u64 = 2_500;
/// Automata for each program.
const AUTOMATA: u64 = 4;

#[test]
fn open_paths_stay_and_no_path_is_new() {
    let mut numbers = Numbers(3);
    let (mut open, mut cut, mut reduced) = (0, 0, 0);
    for case in 0..PROGRAMS {
        let text = program_text(&mut numbers);
        let program = program(&text);
        let runs: Vec<Taken> = (0..6).map(|seed| run(&program, seed + 1)).collect();
        for _ in 0..AUTOMATA {
            let with_candidates = numbers.chance(40);
            let gia = automaton(&mut numbers, &runs, with_candidates);
            let remove = if numbers.chance(50) { Mark::Unreachable } else { Mark::Reached };
            let residual = reduce(&program, &gia, remove, &["reach_error"]);
            reduced += usize::from(residual.reduced);
            let written = residual.c_text("random.c").unwrap_or_else(|problem| panic!("{text}\n{problem:?}"));
            let rest = random::program(&written);
            for (seed, before) in runs.iter().enumerate() {
                let after = run(&rest, seed as u64 + 1);
                let covered = before.covered(&gia);
                let stays = covered.by(remove).is_none() && (!gia.has_candidates() || covered.candidate.is_some());
                let about = || format!("case {case}, {remove:?}\n{text}\n{}\n{written}", shown(&gia));
                assert!(before.output.starts_with(&after.output), "{}", about());
                assert!(before.inputs.starts_with(&after.inputs), "{}", about());
                if stays {
                    assert_eq!((&before.output, &before.inputs), (&after.output, &after.inputs), "{}", about());
                    assert_eq!(word(&before.end), word(&after.end), "{}", about());
                    open += 1;
                } else {
                    cut += usize::from(before.inputs != after.inputs || word(&before.end) != word(&after.end));
                }
            }
        }
    }
    assert!(open > 10_000 && cut > 1_000 && reduced > 4_000, "{open} open, {cut} cut, {reduced} reduced");
}

/// How a run ended, in a word that does not depend on the numbers of edges.
fn word(end: &End) -> String {
    match end {
        End::Returned(value) => format!("returned {value}"),
        End::Exited(status) => format!("exited {status}"),
        End::ErrorReached { .. } => "error".to_string(),
        other => format!("{other:?}"),
    }
}
