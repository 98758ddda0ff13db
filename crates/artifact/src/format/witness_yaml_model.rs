//! Witnesses of format 2.x as they stand in the file: nothing but the keys, and the places of what may be wrong.
//!
//! Knows no rule of the format beyond which keys are required. Keys that are not named here are left alone.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_saphyr::{Location, Spanned};
use tandem_base::{Problem, Span};

pub const ACCEPTED: &str = "a witness is a list of entries, each with `entry_type` (`invariant_set` or `violation_sequence`), \
     `metadata` (`format_version`, `uuid`, `creation_time`, `producer`, `task`) and `content`";

/// A text, what it says, and the byte order mark that the YAML reader does not count.
pub struct Text<'a> {
    text: &'a str,
    mark: u64,
}

impl<'a> Text<'a> {
    pub fn new(text: &'a str) -> Text<'a> {
        let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() as u64 } else { 0 };
        Text { text, mark }
    }

    /// Reads the whole text as a value of this shape.
    pub fn parse<T: Deserialize<'a>>(&self) -> Result<T, Problem> {
        // The reader's own limits are made for settings. Witnesses of long runs are larger; the depth stays limited.
        let budget = serde_saphyr::budget! { max_events: 100_000_000, max_nodes: 50_000_000 };
        let options = serde_saphyr::options! { budget: budget, with_snippet: false };
        serde_saphyr::from_str_with_options(self.text, options).map_err(|error| {
            let span = error.location().map_or(Span::new(0, 1), |location| self.span(location));
            self.problem(span, format!("not a witness: {}", message(&error)))
        })
    }

    pub fn problem(&self, span: Span, message: impl Into<String>) -> Problem {
        Problem::error(span, message).help(ACCEPTED)
    }

    /// Where a value stands.
    pub fn place<T>(&self, value: &Spanned<T>) -> Span {
        self.span(value.referenced)
    }

    fn span(&self, location: Location) -> Span {
        let length = self.text.len() as u64;
        let lo = location.span().byte_offset().map_or(0, |offset| (offset + self.mark).min(length));
        let hi = (lo + location.span().byte_len().unwrap_or(0)).clamp((lo + 1).min(length), length);
        Span::new(lo as u32, hi as u32)
    }
}

fn message(error: &serde_saphyr::Error) -> String {
    let message = error.without_snippet().to_string();
    let message = message.lines().next().unwrap_or("not a YAML text");
    // The reader repeats the place in its message; ours names it already.
    let message = message.split(" at line ").next().unwrap_or(message);
    message.strip_prefix("error: ").unwrap_or(message).to_string()
}

/// What is looked at first: everything else depends on it.
#[derive(Deserialize)]
pub struct Head {
    pub entry_type: Spanned<String>,
    pub metadata: HeadMetadata,
}

#[derive(Deserialize)]
pub struct HeadMetadata {
    pub format_version: Spanned<String>,
}

#[derive(Deserialize)]
pub struct Entry {
    pub entry_type: Spanned<String>,
    pub metadata: Metadata,
    pub content: Spanned<Vec<Spanned<Item>>>,
}

#[derive(Deserialize)]
pub struct Metadata {
    pub format_version: Spanned<String>,
    pub uuid: String,
    pub creation_time: String,
    pub producer: Producer,
    pub task: Task,
}

#[derive(Deserialize)]
pub struct Producer {
    pub name: String,
    pub version: String,
    pub configuration: Option<String>,
    pub command_line: Option<String>,
    pub description: Option<String>,
}

#[derive(Deserialize)]
pub struct Task {
    pub input_files: Names,
    pub input_file_hashes: BTreeMap<String, String>,
    pub specification: String,
    pub data_model: Spanned<String>,
    pub language: Spanned<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub enum Names {
    One(String),
    Many(Vec<String>),
}

/// An element of the content, of either kind of witness.
#[derive(Deserialize)]
pub struct Item {
    pub invariant: Option<Invariant>,
    pub contract: Option<Spanned<IgnoredAny>>,
    pub segment: Option<Spanned<Vec<WaypointItem>>>,
}

#[derive(Deserialize)]
pub struct Invariant {
    #[serde(rename = "type")]
    pub kind: Spanned<String>,
    pub location: Place,
    pub value: Spanned<String>,
    pub format: Spanned<String>,
}

#[derive(Deserialize)]
pub struct WaypointItem {
    pub waypoint: Waypoint,
}

#[derive(Deserialize)]
pub struct Waypoint {
    #[serde(rename = "type")]
    pub kind: Spanned<String>,
    pub action: Spanned<String>,
    pub constraint: Option<Constraint>,
    pub location: Place,
}

/// The reader of YAML gives numbers and truth values as the text they are written with, which is what is wanted here.
#[derive(Deserialize)]
pub struct Constraint {
    pub value: Spanned<String>,
    pub format: Option<Spanned<String>>,
}

#[derive(Deserialize)]
pub struct Place {
    pub file_name: String,
    pub line: Spanned<i64>,
    pub column: Option<Spanned<i64>>,
    pub function: Option<String>,
}
