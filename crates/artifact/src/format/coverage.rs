//! What a suite covers, line by line: what the coverage formats show.

use tandem_base::Position;

/// The coverage of one source file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CoverageReport {
    /// As the user named it.
    pub file: String,
    /// The user's text.
    pub text: Vec<u8>,
    /// Functions with a body: where they begin, their name, how many tests enter them.
    pub functions: Vec<(u32, String, u64)>,
    /// Lines on which something is done, and how many tests do it; ascending, each once.
    pub lines: Vec<(u32, u64)>,
    pub goals: Vec<GoalMark>,
    pub tests: usize,
}

/// A goal and what is known about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GoalMark {
    pub line: u32,
    pub column: u32,
    /// Which side of the branch, or what else it is.
    pub side: String,
    pub state: GoalState,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GoalState {
    /// By so many tests.
    Covered(u64),
    /// Proved by this analysis.
    Unreachable(String),
    Open,
}

impl CoverageReport {
    /// Whether the place is in the file that the report is about.
    pub fn is_about(&self, position: &Position) -> bool {
        *position.file == *self.file
    }

    /// Covered, unreachable and open goals.
    pub fn counts(&self) -> (usize, usize, usize) {
        self.goals.iter().fold((0, 0, 0), |(covered, unreachable, open), goal| match goal.state {
            GoalState::Covered(_) => (covered + 1, unreachable, open),
            GoalState::Unreachable(_) => (covered, unreachable + 1, open),
            GoalState::Open => (covered, unreachable, open + 1),
        })
    }
}
