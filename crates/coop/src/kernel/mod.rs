//! The kernel of every cooperation: a scheduler of members, the board on which they tell each other what they know, and the rules by which a
//! verdict follows from it.

mod board;
mod conclusion;
mod features;
mod portfolio;
mod scheduler;

pub use board::{Crossing, Exchange, MemberBoard};
pub use conclusion::{compared, ranked, undecided};
pub use features::program_features;
pub use portfolio::{Portfolio, PortfolioMember, PortfolioOutcome, verify_by_default, verify_by_portfolio};
pub use scheduler::{Ended, Session, schedule};
