//! `tandem gia`: exchange automata as files. One file per action; decides nothing about a program.

mod check;
mod combine;
mod convert;
mod files;
mod reduce;
mod show;
mod written;

pub use files::{About, read_gia, say_doubts, write};

use crate::arguments_gia::{Gia, GiaAction};
use crate::message::{Exit, Failure};
use crate::watch::Watch;

pub fn run(arguments: &Gia, watch: &Watch) -> Result<Exit, Failure> {
    match &arguments.action {
        GiaAction::Show(arguments) => show::run(arguments),
        GiaAction::Check(arguments) => check::run(arguments, watch),
        GiaAction::Reduce(arguments) => reduce::run(arguments),
        GiaAction::Combine(arguments) => combine::run(arguments, watch),
        GiaAction::Convert(arguments) => convert::run(arguments, watch),
    }
}
