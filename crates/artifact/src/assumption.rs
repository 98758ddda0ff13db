//! What a verdict rests on: assumptions about what the program's text does not say, and notes about the verdict itself.
//!
//! These are values with words for people and for programs. Which of them apply to a program is computed elsewhere; this file knows no
//! program, no analysis and no file format.

use std::fmt;

use tandem_base::Span;

/// How many names a text lists; all of them are in [`Assumption::names`].
const LISTED_NAMES: usize = 5;

/// What a verdict of true or false rests on. A verdict that is unknown rests on nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct VerdictBasis {
    pub assumptions: Vec<Assumption>,
    pub notes: Vec<VerdictNote>,
}

impl VerdictBasis {
    /// All of it as lines of text, each with the word that it begins with.
    pub fn lines(&self) -> Vec<String> {
        let notes = self.notes.iter().map(|note| format!("Note: {note}"));
        notes.chain(self.assumptions.iter().map(|assumption| format!("Assuming: {assumption}"))).collect()
    }
}

/// Something that is taken to be so without a proof. If it is not so, the verdict may be wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumption {
    pub kind: AssumptionKind,
    /// The functions or variables that it is about, each once.
    pub names: Vec<String>,
    /// Where the program first depends on it, in the user's text: one place for each name if there are names.
    pub places: Vec<Span>,
}

/// What is assumed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum AssumptionKind {
    /// Functions of the user that the program declares and does not define. `pointers`: whether one of them returns a pointer.
    FunctionsWithoutBody {
        pointers: bool,
    },
    /// Variables that are declared `extern` and defined nowhere. `pointers`: whether one of them is a pointer.
    VariablesWithoutDefinition {
        pointers: bool,
    },
    /// Functions of the C library whose value may be any value of its type, which is the rule of the competitions.
    LibraryValues,
    /// Functions of the C library of which only a contract is known: a range of values, and that they change no memory.
    LibraryContracts,
    /// Every allocation gives memory.
    AllocationSucceeds,
    /// The program looks at the numbers that addresses have.
    AddressNumbers,
    /// `main` has parameters.
    MainArguments,
    /// The run takes values from memory that was never written.
    UninitialisedMemory,
    /// It was not excluded that a run has undefined behaviour.
    DefinedBehaviour,
    /// Integers are divided by something that may be zero.
    DivisionEndsRun,
    SignedOverflowWraps,
    /// Shifts by an amount that may be negative or too large.
    ShiftAmounts,
    /// Conversions of floats that may not fit the integer type.
    FloatConversions,
}

/// Something that a reader of the verdict should know, and that is a fact and no assumption.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum VerdictNote {
    /// The program has no call of an error function and no assertion that counts.
    NothingToViolate,
    /// The program may have such calls in its text, but none that can be reached: conditions that are constant and functions that `main`
    /// cannot call do not count.
    ErrorCallsUnreachable,
    /// The same for a property that names the function.
    NeverCalled { function: String },
    /// It was made sure that no run reads or writes outside of an object.
    AccessesProved { by: String },
    /// The run that violates the property was followed to the error, and the interpreter met no undefined behaviour on the way.
    DefinedRun,
}

impl AssumptionKind {
    /// One word, for programs.
    pub fn word(self) -> &'static str {
        match self {
            AssumptionKind::FunctionsWithoutBody { .. } => "functions-without-body",
            AssumptionKind::VariablesWithoutDefinition { .. } => "variables-without-definition",
            AssumptionKind::LibraryValues => "library-values",
            AssumptionKind::LibraryContracts => "library-contracts",
            AssumptionKind::AllocationSucceeds => "allocation",
            AssumptionKind::AddressNumbers => "addresses",
            AssumptionKind::MainArguments => "main-arguments",
            AssumptionKind::UninitialisedMemory => "uninitialised-memory",
            AssumptionKind::DefinedBehaviour => "undefined-behaviour",
            AssumptionKind::DivisionEndsRun => "division",
            AssumptionKind::SignedOverflowWraps => "signed-overflow",
            AssumptionKind::ShiftAmounts => "shift-amounts",
            AssumptionKind::FloatConversions => "float-conversions",
        }
    }

    /// In words for people, without names.
    pub fn text(self) -> &'static str {
        match self {
            AssumptionKind::FunctionsWithoutBody { pointers: false } => {
                "functions without a body return any value and change no memory"
            }
            AssumptionKind::FunctionsWithoutBody { pointers: true } => {
                "functions without a body return any value (pointers: to no object of the program) and change no memory"
            }
            AssumptionKind::VariablesWithoutDefinition { pointers: false } => {
                "variables without a definition have any value"
            }
            AssumptionKind::VariablesWithoutDefinition { pointers: true } => {
                "variables without a definition have any value (pointers: to no object of the program)"
            }
            AssumptionKind::LibraryValues => "library functions return any value of their type",
            AssumptionKind::LibraryContracts => {
                "library functions return any value that their documentation allows and change no memory"
            }
            AssumptionKind::AllocationSucceeds => "allocation never fails",
            AssumptionKind::AddressNumbers => "addresses have numbers of our choice, and the program looks at them",
            AssumptionKind::MainArguments => "main may be called with any arguments",
            AssumptionKind::UninitialisedMemory => "memory that was never written may have any value",
            AssumptionKind::DefinedBehaviour => {
                "no run reads or writes outside of an object (looked for and not found, but not excluded)"
            }
            AssumptionKind::DivisionEndsRun => "a division by zero ends the run",
            AssumptionKind::SignedOverflowWraps => "signed overflow wraps around",
            AssumptionKind::ShiftAmounts => "shifts take their amount modulo the width of the type",
            AssumptionKind::FloatConversions => {
                "a float that does not fit an integer type is converted as the machine does it"
            }
        }
    }
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.text())?;
        if self.names.is_empty() {
            return Ok(());
        }
        let listed = self.names.iter().take(LISTED_NAMES).map(String::as_str).collect::<Vec<_>>();
        write!(f, ": {}", listed.join(", "))?;
        match self.names.len() - listed.len() {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

impl VerdictNote {
    /// One word, for programs.
    pub fn word(&self) -> &'static str {
        match self {
            VerdictNote::NothingToViolate | VerdictNote::NeverCalled { .. } | VerdictNote::ErrorCallsUnreachable => {
                "nothing-to-violate"
            }
            VerdictNote::AccessesProved { .. } => "undefined-behaviour-excluded",
            VerdictNote::DefinedRun => "defined-run",
        }
    }
}

impl fmt::Display for VerdictNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VerdictNote::NothingToViolate => f.write_str("there is no assertion and no error call in this program"),
            VerdictNote::ErrorCallsUnreachable => {
                f.write_str("no assertion and no error call can be reached, by the graph of the program alone")
            }
            VerdictNote::NeverCalled { function } => {
                write!(f, "no call of `{function}` can be reached, by the graph of the program alone")
            }
            VerdictNote::AccessesProved { by } => {
                write!(f, "no run reads or writes outside of an object (proved by {by})")
            }
            VerdictNote::DefinedRun => f.write_str("no undefined behaviour was met in this run before the error"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_lists_few_names() {
        let kind = AssumptionKind::FunctionsWithoutBody { pointers: false };
        let about = |count: usize| {
            let names = (1..=count).map(|number| format!("f{number}")).collect();
            Assumption { kind, names, places: Vec::new() }.to_string()
        };
        assert_eq!(about(0), "functions without a body return any value and change no memory");
        assert!(about(5).ends_with(": f1, f2, f3, f4, f5"), "{}", about(5));
        assert!(about(7).ends_with(": f1, f2, f3, f4, f5 and 2 more"), "{}", about(7));
    }

    #[test]
    fn lines_begin_with_what_they_are() {
        let assumption = Assumption { kind: AssumptionKind::AllocationSucceeds, names: Vec::new(), places: Vec::new() };
        let basis = VerdictBasis { assumptions: vec![assumption], notes: vec![VerdictNote::NothingToViolate] };
        let expected =
            ["Note: there is no assertion and no error call in this program", "Assuming: allocation never fails"];
        assert_eq!(basis.lines(), expected);
    }
}
