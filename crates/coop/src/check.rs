//! Whether what an exchange automaton says is so (Definition 4), whether two contradict each other, and what is decided.
//!
//! - *Unreachable* is right if no run of the program that the automaton covers so meets a target at or after the step at which it is covered.
//!   That is a question for a verifier about the program that has only the covered paths.
//! - *Reached* is right if every state that meets the conditions of a shortest path to a reached state takes the path, and its last edge is a
//!   target's. That is a question for a solver, path by path.

use tandem_analyses::trail::{Trail, trail};
use tandem_analyses::{DEFAULT_RUN, Task, verify};
use tandem_artifact::convert::error_targets;
use tandem_artifact::gia::{Gia, Mark, Target, contradiction};
use tandem_artifact::{ErrorCall, Verdict};
use tandem_base::{Budget, SourceText};
use tandem_cfa::expression::Names;
use tandem_cfa::library::{Kind, Primitive};
use tandem_cfa::{Callee, EdgeId, ExprKind, FunctionId, Op, Program, build};

use crate::reduce::reduce;
use crate::settled::CoveredTargets;
use crate::words::{Word, trail_steps, words};

/// What came of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judgement {
    Correct,
    Incorrect(String),
    Unknown(String),
}

/// What errors are, and who may look for them for how long.
#[derive(Clone, Copy)]
pub struct Checking<'a> {
    pub error: &'a ErrorCall,
    pub threads: usize,
    pub budget: &'a Budget,
}

/// Whether the automaton is correct for the program and its targets.
pub fn check(program: &Program, gia: &Gia, checking: Checking<'_>) -> Judgement {
    let reached = check_reached(program, gia, checking);
    if matches!(reached, Judgement::Incorrect(_)) {
        return reached;
    }
    match check_unreachable(program, gia, checking) {
        Judgement::Correct => reached,
        other => other,
    }
}

/// Whether every path called reached is one.
pub fn check_reached(program: &Program, gia: &Gia, checking: Checking<'_>) -> Judgement {
    if !gia.has(Mark::Reached) {
        return Judgement::Correct;
    }
    let all = match words(gia, Mark::Reached) {
        Ok(all) => all,
        Err(why) => return Judgement::Unknown(format!("reached: {why}")),
    };
    let mut program = program.clone();
    let names = Names::of(&program);
    let mut unknown = None;
    for word in &all {
        let Some((last, _)) = word.last() else {
            return Judgement::Incorrect("the path without a step is called reached".into());
        };
        if !gia.targets.iter().any(|target| target.edges.contains(last)) {
            return Judgement::Incorrect(format!(
                "a path called reached ends in no target: {}",
                place(&program, *last)
            ));
        }
        match follow(&mut program, &names, gia, word, checking) {
            Trail::Always | Trail::Empty => {}
            Trail::NotAlways => {
                let shown = place(&program, *last);
                return Judgement::Incorrect(format!(
                    "a path called reached is not taken by every state that meets its conditions: the one to {shown}"
                ));
            }
            Trail::Unknown(why) => unknown = Some(why),
        }
    }
    unknown.map_or(Judgement::Correct, |why| Judgement::Unknown(format!("reached: {why}")))
}

fn follow(program: &mut Program, names: &Names, gia: &Gia, word: &Word, checking: Checking<'_>) -> Trail {
    match trail_steps(program, names, gia, word) {
        Ok(steps) => {
            let functions = checking.error.functions();
            trail(program, &functions, checking.error.includes_assert(), &steps, checking.budget)
        }
        Err(why) => Trail::Unknown(why),
    }
}

/// Whether no run that is covered as unreachable meets an error from there on.
pub fn check_unreachable(program: &Program, gia: &Gia, checking: Checking<'_>) -> Judgement {
    if !gia.has(Mark::Unreachable) {
        return Judgement::Correct;
    }
    let functions = checking.error.functions();
    let errors = error_targets(program, checking.error);
    let is_error = |edge: &EdgeId| errors.iter().any(|error| error.edges.contains(edge));
    if !gia.targets.iter().flat_map(|target| &target.edges).all(is_error) {
        return check_other_targets(program, gia, checking);
    }
    // The program with the covered paths alone: they are what a reducer keeps when they are the candidates.
    let covered = gia.remarked(|mark| (mark == Mark::Unreachable).then_some(Mark::Candidate));
    let residual = reduce(program, &covered, Mark::Reached, &functions);
    let file = gia.subject.file.as_str();
    let text = match residual.c_text(file) {
        Ok(text) => text,
        Err(problem) => return Judgement::Unknown(format!("unreachable: {}", problem.message)),
    };
    let built = build(SourceText::plain(file, text.into_bytes()), program.model());
    let Some(rest) = built.program else {
        return Judgement::Unknown("unreachable: what is left of the program is not understood".into());
    };
    let task = Task::new(&rest, checking.error, checking.threads);
    match verify(DEFAULT_RUN, task, checking.budget).map(|outcome| outcome.verdict) {
        Some(Verdict::True) => Judgement::Correct,
        Some(Verdict::False) => match residual.bounded {
            false => Judgement::Incorrect("a path called unreachable reaches a target".into()),
            true => Judgement::Unknown("unreachable: the covered paths could not be told apart from others".into()),
        },
        Some(Verdict::Unknown(why)) => Judgement::Unknown(format!("unreachable: {why}")),
        None => Judgement::Unknown("unreachable: nobody looked".into()),
    }
}

/// The same for targets that are no errors: they are looked for on the covered paths.
fn check_other_targets(program: &Program, gia: &Gia, checking: Checking<'_>) -> Judgement {
    let observer = CoveredTargets::new(gia, Mark::Unreachable);
    let task = Task { observer: Some(&observer), ..Task::new(program, checking.error, checking.threads) };
    match verify(DEFAULT_RUN, task, checking.budget).map(|outcome| outcome.verdict) {
        Some(Verdict::True) => Judgement::Correct,
        Some(Verdict::False) if observer.exact => {
            Judgement::Incorrect("a path called unreachable reaches a target".into())
        }
        Some(Verdict::False) => Judgement::Unknown("unreachable: the conditions of the paths were not followed".into()),
        Some(Verdict::Unknown(why)) => Judgement::Unknown(format!("unreachable: {why}")),
        None => Judgement::Unknown("unreachable: nobody looked".into()),
    }
}

/// Whether two automata contradict each other: some path is called unreachable by one and reached by the other.
/// [`Judgement::Correct`]: they do not.
pub fn consistent(program: &Program, one: &Gia, other: &Gia, checking: Checking<'_>) -> Judgement {
    let common = contradiction(one, other);
    if !common.has_candidates() {
        return Judgement::Correct;
    }
    let all = match words(&common, Mark::Candidate) {
        Ok(all) => all,
        Err(why) => return Judgement::Unknown(why),
    };
    let mut program = program.clone();
    let names = Names::of(&program);
    let mut unknown = None;
    for word in &all {
        match follow(&mut program, &names, &common, word, checking) {
            Trail::Empty => {}
            Trail::Always | Trail::NotAlways => {
                let shown: Vec<String> = word.iter().map(|(edge, _)| place(&program, *edge)).collect();
                return Judgement::Incorrect(shown.join("; "));
            }
            Trail::Unknown(why) => unknown = Some(why),
        }
    }
    unknown.map_or(Judgement::Correct, Judgement::Unknown)
}

fn place(program: &Program, edge: EdgeId) -> String {
    let position = program.source.position(program.edges[edge].span.lo);
    format!("{}:{} {}", position.line, position.column, tandem_cfa::c_print::edge(program, edge))
}

/// What is known about a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// A path to it is called reached.
    Reached,
    /// Every path of the program to it is called unreachable.
    Unreachable,
    Open,
}

/// What a correct automaton says about its targets: reached if it knows a path to it; unreachable only if what is left of the program
/// without the unreachable paths has no way to it. One spurious path that was ruled out is not enough.
pub fn status(program: &Program, gia: &Gia, error_functions: &[&str]) -> Vec<(Target, Status)> {
    let last: Vec<EdgeId> = gia
        .transitions()
        .iter()
        .filter(|transition| gia.mark(transition.target) == Some(Mark::Reached))
        .flat_map(|transition| if transition.edges.is_rest() { &[] } else { transition.edges.named() })
        .copied()
        .collect();
    let left =
        reduce(program, &gia.remarked(|mark| mark.is_settled().then_some(mark)), Mark::Unreachable, error_functions)
            .edges();
    let of = |target: &Target| {
        let is_reached = target.edges.iter().any(|edge| last.contains(edge)) || reached_on_the_way(gia, target);
        match (is_reached, target.edges.iter().any(|edge| left.contains(edge))) {
            (true, _) => Status::Reached,
            (false, false) => Status::Unreachable,
            (false, true) => Status::Open,
        }
    };
    gia.targets.iter().map(|target| (target.clone(), of(target))).collect()
}

/// Whether an automaton calls every path to an error unreachable: what is left of the program without those paths calls no error function, by
/// name or through a pointer.
pub fn is_complete(program: &Program, gia: &Gia, error: &ErrorCall) -> bool {
    let settled = gia.remarked(|mark| mark.is_settled().then_some(mark));
    let left = reduce(program, &settled, Mark::Unreachable, &error.functions()).edges();
    !gia.has(Mark::Reached) && error_edges(program, error).iter().all(|edge| !left.contains(edge))
}

/// The edges that may be a call of an error function.
pub fn error_edges(program: &Program, error: &ErrorCall) -> Vec<EdgeId> {
    let mut edges: Vec<EdgeId> = error_targets(program, error).into_iter().flat_map(|target| target.edges).collect();
    let kinds = Kind::of_all(program, &error.functions());
    let is_error = |function: FunctionId| match kinds[function] {
        Kind::Error => true,
        Kind::Library(Primitive::AssertFail) => error.includes_assert(),
        Kind::Body | Kind::Library(_) | Kind::Intrinsic(_) | Kind::Model(_) | Kind::Missing | Kind::Unknown => false,
    };
    let mut exprs = program.arena.exprs().iter();
    if exprs.any(|expr| matches!(expr.kind, ExprKind::Function(function) if is_error(function))) {
        let through_pointer = program
            .edges
            .enumerate()
            .filter(|(_, content)| matches!(content.op, Op::Call { callee: Callee::Pointer(_), .. }));
        edges.extend(through_pointer.map(|(edge, _)| edge));
    }
    edges
}

/// Whether some path that is reached takes an edge of the target before its end.
fn reached_on_the_way(gia: &Gia, target: &Target) -> bool {
    words(gia, Mark::Reached)
        .is_ok_and(|all| all.iter().any(|word| word.iter().any(|(edge, _)| target.edges.contains(edge))))
}
