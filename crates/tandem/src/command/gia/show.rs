//! `tandem gia show`: draws an automaton.

use tandem_artifact::format::gia_picture::Picture;
use tandem_artifact::format::{gia_svg, gia_text, gia_yaml};

use super::files::{ACCEPTED, About};
use crate::arguments_gia::{GiaFormat, GiaShow};
use crate::input::{in_file, read_text};
use crate::message::{Exit, Failure};
use crate::output;

pub fn run(arguments: &GiaShow) -> Result<Exit, Failure> {
    let picture = match &arguments.file {
        Some(file) => {
            let about = About::load(&arguments.reading.common(file))?;
            Picture::of(&about.read(&arguments.gia)?, &about.program)
        }
        None => {
            let text = read_text(&arguments.gia, ACCEPTED)?;
            let outline = gia_yaml::outline(&text).map_err(|problem| in_file(&arguments.gia, &text, problem))?;
            Picture::of_outline(&outline)
        }
    };
    output::show(&match arguments.format {
        GiaFormat::Text => gia_text::text(&picture),
        GiaFormat::Dot => gia_text::dot(&picture),
        GiaFormat::Svg => gia_svg::svg(&picture),
        GiaFormat::Html => gia_svg::html(&picture),
    })?;
    Ok(Exit::Success)
}
