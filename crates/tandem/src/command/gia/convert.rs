//! `tandem gia convert`.
use crate::arguments_gia::GiaConvert;
use crate::message::{Exit, Failure};

pub fn run(_arguments: &GiaConvert) -> Result<Exit, Failure> {
    Err(Failure::file("tandem", "not yet", "later"))
}
