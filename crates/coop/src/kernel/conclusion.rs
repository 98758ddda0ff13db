//! From what is known to a verdict: the one comparison of answers, and the one ranking of the reasons why there is none.

use tandem_analyses::Outcome;
use tandem_analyses::compare::{contradict, contradiction};
use tandem_artifact::gia::{Gia, combine};
use tandem_artifact::{Caveat, Verdict};
use tandem_base::Budget;

/// The reasons why there is no proof, each once, the most telling first.
pub fn ranked(caveats: impl IntoIterator<Item = Caveat>) -> Vec<Caveat> {
    let mut all: Vec<Caveat> = Vec::new();
    for caveat in caveats {
        // A solver that was stopped from outside says no more than the end of the budget does.
        let is_interruption = matches!(&caveat, Caveat::Solver(gap) if gap.is_interruption());
        if !is_interruption && !all.contains(&caveat) {
            all.push(caveat);
        }
    }
    all.sort_by_key(|caveat| match caveat {
        Caveat::Undefined { .. } | Caveat::Unsupported { .. } => 0,
        Caveat::NotReplayed(_) => 1,
        Caveat::Solver(_) => 2,
        Caveat::Imprecise(_) => 3,
        Caveat::Bound(_) => 4,
    });
    all
}

/// The outcome when no member has an answer: the reasons of all, and what they have settled together.
pub fn undecided(name: &str, outcomes: Vec<Outcome>, budget: &Budget) -> Outcome {
    let automata: Vec<&Gia> = outcomes.iter().filter_map(|outcome| outcome.gia.as_ref()).collect();
    let gia = if automata.is_empty() { None } else { combine(&automata).ok() };
    let mut caveats = ranked(outcomes.into_iter().flat_map(|outcome| outcome.caveats));
    let stopped = budget.stop_reason();
    if stopped.is_none() && caveats.is_empty() {
        caveats.push(Caveat::Imprecise("no analysis came to an end".into()));
    }
    Outcome { gia, ..Outcome::new(name, None, stopped, caveats) }
}

/// The first of the answers, if none of the others contradicts it. Two that contradict each other are a bug, and then there is no verdict.
pub fn compared(name: &str, answers: Vec<Outcome>) -> Option<Outcome> {
    let mut answers = answers.into_iter();
    let first = answers.next()?;
    let other = answers.find(|other| contradict(&first.verdict, &other.verdict));
    Some(match (other, &first.verdict) {
        (None, _) => first,
        (Some(other), Verdict::True) => contradiction(name, &first.analysis, &other.analysis),
        (Some(other), Verdict::False | Verdict::Unknown(_)) => contradiction(name, &other.analysis, &first.analysis),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_artifact::SolverGap;
    use tandem_base::{Span, StopReason};

    fn outcome(analysis: &str, verdict: Verdict) -> Outcome {
        Outcome { verdict, ..Outcome::new(analysis, None, None, Vec::new()) }
    }

    #[test]
    fn answers_that_contradict_each_other_are_no_answer() {
        let both = compared("default", vec![outcome("bmc", Verdict::False), outcome("value", Verdict::True)]).unwrap();
        let words = "internal error: `value` says TRUE and `bmc` says FALSE";
        assert_eq!((both.verdict, both.analysis), (Verdict::Unknown(words.into()), "default".to_string()));
        let same = compared("default", vec![outcome("bmc", Verdict::True), outcome("value", Verdict::True)]).unwrap();
        assert_eq!((same.verdict, same.analysis), (Verdict::True, "bmc".to_string()));
        assert_eq!(compared("default", Vec::new()), None);
    }

    #[test]
    fn what_is_not_modelled_comes_first_and_the_clock_is_no_reason() {
        let gap = Caveat::Unsupported { what: "inline assembler".into(), at: Span::NONE };
        let bound = Caveat::Bound("random runs prove nothing".into());
        let clock = Caveat::Solver(SolverGap::Stopped(StopReason::Time));
        assert_eq!(ranked([bound.clone(), clock, gap.clone(), bound.clone()]), [gap, bound]);
    }
}
