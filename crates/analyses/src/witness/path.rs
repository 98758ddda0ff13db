//! The steps of a violating run that a witness names: inputs and branches of the user's text, in order, and the statement with
//! the error.

use std::iter::Peekable;

use tandem_base::Span;
use tandem_cfa::exec::{End, Input, InputSource, Run};
use tandem_cfa::semantics::{decode, integer_value, mask};
use tandem_cfa::types::FloatKind;
use tandem_cfa::{DecisionKind, EdgeId, FunctionId, Program, Scalar};

use crate::validate::is_call;

/// Inputs that are named: a witness may say less, but never something wrong.
const INPUTS: usize = 10_000;
/// Branches that are named, besides.
const BRANCHES: usize = 2_000;
/// Steps of a run whose branches are looked at.
const STEPS: u64 = 1_000_000;

pub struct PathOfRun {
    pub steps: Vec<Passed>,
    /// The statement with the call that is the error, and its function.
    pub target: (Span, FunctionId),
}

/// Something that the run does.
pub enum Passed {
    /// A call (its edge) returns an input.
    Input { edge: EdgeId, value: String },
    /// A controlling expression is true or false.
    Branch { edge: EdgeId, truth: bool },
}

/// Nothing if the run ends outside of the user's text.
pub fn path(program: &Program, run: &Run) -> Option<PathOfRun> {
    // The edges of a long run are needed for no branch, and take long to find.
    let is_whole = run.path.as_ref().is_some_and(|path| !path.truncated) && run.steps <= STEPS;
    let edges = if is_whole { run.edges(program).unwrap_or_default() } else { Vec::new() };
    let error = match run.end {
        End::ErrorReached { edge, .. } | End::AssertFailed { edge } => edge,
        _ => return None,
    };
    let is_own = |edge: &EdgeId| is_place(program, program.edges[*edge].span);
    // An assertion fails in a model: the user's call of it is meant.
    let target = match is_own(&error) {
        true => error,
        false => edges.iter().rev().copied().find(|edge| is_whole && is_own(edge))?,
    };
    let target = (statement(program, program.edges[target].span)?, program.function_of(target));
    let has_few = is_whole
        && edges.iter().filter(|edge| branch(program, **edge).is_some()).take(BRANCHES + 1).count() <= BRANCHES;
    let steps = if has_few { in_order(program, run, &edges) } else { results(program, run) };
    Some(PathOfRun { steps, target })
}

/// Inputs and branches.
fn in_order(program: &Program, run: &Run, edges: &[EdgeId]) -> Vec<Passed> {
    let mut steps = Vec::new();
    let mut inputs = run.inputs.iter().peekable();
    let mut named = 0;
    for edge in edges.iter().copied() {
        let input = next_result(program, &mut inputs, edge).filter(|_| named < INPUTS);
        if let Some(passed) = input.and_then(|input| result(program, edge, input)) {
            named += 1;
            steps.push(passed);
        }
        if let Some(truth) = branch(program, edge) {
            steps.push(Passed::Branch { edge, truth });
        }
    }
    steps
}

/// Inputs alone.
fn results(program: &Program, run: &Run) -> Vec<Passed> {
    let asked = run.inputs.iter().filter(|input| input.is_of_function());
    asked.filter_map(|input| result(program, input.edge, input)).take(INPUTS).collect()
}

/// A call that returns an input, if a witness can name both.
fn result(program: &Program, edge: EdgeId, input: &Input) -> Option<Passed> {
    let op = &program.edges[edge];
    let is_usable = is_call(program, &op.op, op.span) && is_place(program, op.span);
    literal(input.scalar, input.bits).filter(|_| is_usable).map(|value| Passed::Input { edge, value })
}

/// The input that the call returned, if the next input is its result. What was read from memory that was never written is passed
/// over.
fn next_result<'a>(
    program: &Program,
    inputs: &mut Peekable<impl Iterator<Item = &'a Input>>,
    edge: EdgeId,
) -> Option<&'a Input> {
    // A condition is evaluated once for all edges that leave a node, whichever is taken then.
    let source = program.edges[edge].source;
    loop {
        let input = inputs.next_if(|input| program.edges[input.edge].source == source)?;
        match input.source {
            InputSource::Function(_) => return Some(input),
            InputSource::Variable(_) | InputSource::Memory | InputSource::NoResult => {}
        }
    }
}

/// Whether the span stands in the user's own file.
pub fn is_place(program: &Program, span: Span) -> bool {
    let source = &program.source;
    !span.is_none() && !source.is_appendix(span.lo) && *source.position(span.lo).file == *source.file()
}

/// The outcome of a statement's controlling expression that the edge settles.
fn branch(program: &Program, edge: EdgeId) -> Option<bool> {
    let (decision, outcome) = program.edges[edge].outcome?;
    let decision = &program.decisions[decision];
    let is_named = match decision.kind {
        DecisionKind::If | DecisionKind::While | DecisionKind::DoWhile | DecisionKind::For => true,
        DecisionKind::Switch | DecisionKind::Conditional | DecisionKind::Logical | DecisionKind::Computed => false,
    };
    (is_named && is_place(program, decision.span)).then_some(outcome == 1)
}

/// The smallest statement around a span.
fn statement(program: &Program, span: Span) -> Option<Span> {
    let around = program.statements.iter().map(|statement| statement.span).filter(|other| other.contains(span));
    around.min_by_key(|other| other.hi - other.lo)
}

/// A C expression for exactly this value; nothing if C has none that compares equal to it.
fn literal(scalar: Scalar, bits: u128) -> Option<String> {
    match scalar {
        Scalar::Bool => Some((bits & 1).to_string()),
        Scalar::Int { signed: true, bits: width } => Some(signed(integer_value(scalar, bits), width)),
        Scalar::Int { signed: false, bits: width } | Scalar::Pointer { bits: width } => {
            Some(unsigned(bits & mask(width)))
        }
        Scalar::Float(kind) => float(kind, bits),
    }
}

fn signed(value: i128, width: u32) -> String {
    let least = -(1i128 << (width.min(127) - 1));
    match value {
        // The number without its sign would not fit.
        _ if value == least && width >= 32 => format!("({} - 1)", signed(value + 1, width)),
        _ if i32::try_from(value).is_ok() => value.to_string(),
        _ => format!("{value}LL"),
    }
}

fn unsigned(value: u128) -> String {
    match value {
        _ if value <= i32::MAX as u128 => value.to_string(),
        _ if value <= u128::from(u32::MAX) => format!("{value}U"),
        _ => format!("{value}ULL"),
    }
}

fn float(kind: FloatKind, bits: u128) -> Option<String> {
    let value = decode(kind, bits)?;
    let sign = if bits >> (kind.bits() - 1) & 1 == 1 { "-" } else { "" };
    Some(match kind {
        FloatKind::Single => format!("{:?}", f64::from(f32::from_bits(bits as u32))),
        FloatKind::Double => format!("{:?}", f64::from_bits(bits as u64)),
        FloatKind::Extended | FloatKind::Quad => format!("{sign}0x{:x}p{}L", value.significand, value.exponent),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        let int = |bits, signed, value: u128| literal(Scalar::Int { bits, signed }, value).unwrap_or_default();
        assert_eq!(int(32, true, 0xffff_fff9), "-7");
        assert_eq!(int(32, true, 0x8000_0000), "(-2147483647 - 1)");
        assert_eq!(int(64, true, 1 << 63), "(-9223372036854775807LL - 1)");
        assert_eq!(int(8, true, 0x80), "-128");
        assert_eq!(int(64, false, u128::from(u64::MAX)), "18446744073709551615ULL");
        assert_eq!(int(32, false, 0xffff_fff9), "4294967289U");
        let double = Scalar::Float(FloatKind::Double);
        assert_eq!(literal(double, u128::from(1.5f64.to_bits())).as_deref(), Some("1.5"));
        assert_eq!(literal(double, u128::from(f64::NAN.to_bits())), None);
        assert_eq!(literal(double, u128::from(f64::INFINITY.to_bits())), None);
    }
}
