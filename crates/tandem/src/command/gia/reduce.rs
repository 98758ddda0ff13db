//! `tandem gia reduce`: the residual program as C.

use tandem_artifact::gia::Mark;
use tandem_coop::reduce::reduce;

use super::files::{About, write};
use crate::arguments_gia::{GiaReduce, Remove};
use crate::message::{Exit, Failure};

pub fn run(arguments: &GiaReduce) -> Result<Exit, Failure> {
    let common = arguments.reading.common(&arguments.file);
    let about = About::load(&common)?;
    let property = about.input.property(&common)?;
    let gia = about.read(&arguments.gia)?;
    let mark = match arguments.remove {
        Remove::Ut => Mark::Unreachable,
        Remove::Rt => Mark::Reached,
    };
    let residual = reduce(&about.program, &gia, mark, &property.error_call().functions());
    let file = about.input.source.file();
    let text = residual.c_text(file).map_err(|problem| about.input.failure(problem))?;
    write(&arguments.output, &text)?;
    Ok(Exit::Success)
}
