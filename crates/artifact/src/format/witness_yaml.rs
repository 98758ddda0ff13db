//! Verification witnesses of format 2.x (YAML): a list of entries, each a set of invariants or the segments of a violation.
//!
//! The reader is lenient about what others write and strict about what would change the meaning. It knows nothing about programs.

use serde_saphyr::Spanned;
use tandem_base::{Problem, Span};
use tandem_cfa::DataModel;

use super::witness_yaml_model::{self as file, Text};
pub use super::witness_yaml_write::write;
use crate::{
    Branch, ExpressionFormat, InvariantKind, Producer, Segment, Waypoint, WaypointKind, Witness, WitnessContent,
    WitnessExpression, WitnessInvariant, WitnessLocation, WitnessMetadata, WitnessTask, WitnessVersion,
};

/// Reads all entries of a file; there is at least one.
pub fn read(text: &str) -> Result<Vec<Witness>, Problem> {
    let text = Text::new(text);
    let heads: Vec<file::Head> = text.parse()?;
    if heads.is_empty() {
        return Err(text.problem(Span::new(0, 1), "the witness has no entry"));
    }
    for head in &heads {
        version(&text, &head.metadata.format_version)?;
        kind(&text, &head.entry_type)?;
    }
    let entries: Vec<file::Entry> = text.parse()?;
    entries.into_iter().map(|entry| witness(&text, entry)).collect()
}

#[derive(Clone, Copy)]
enum Kind {
    Correctness,
    Violation,
}

fn kind(text: &Text, entry_type: &Spanned<String>) -> Result<Kind, Problem> {
    match entry_type.value.as_str() {
        "invariant_set" => Ok(Kind::Correctness),
        "violation_sequence" => Ok(Kind::Violation),
        "ghost_instrumentation" => Err(unsupported(text, entry_type, "entries of type")),
        _ => Err(unknown(text, entry_type, "type of an entry")),
    }
}

fn version(text: &Text, version: &Spanned<String>) -> Result<WitnessVersion, Problem> {
    match version.value.as_str() {
        "2.0" => Ok(WitnessVersion::V2_0),
        "2.1" => Ok(WitnessVersion::V2_1),
        "2.2" => Ok(WitnessVersion::V2_2),
        _ => Err(unknown(text, version, "format version of a witness").help("versions 2.0, 2.1 and 2.2 are read")),
    }
}

fn witness(text: &Text, entry: file::Entry) -> Result<Witness, Problem> {
    let mut skipped = Vec::new();
    let content = match kind(text, &entry.entry_type)? {
        Kind::Correctness => {
            let mut invariants = Vec::new();
            for item in entry.content.value {
                invariants.extend(invariant(text, item, &mut skipped)?);
            }
            WitnessContent::Correctness(invariants)
        }
        Kind::Violation => WitnessContent::Violation(segments(text, entry.content)?),
    };
    Ok(Witness { metadata: metadata(text, entry.metadata)?, content, skipped })
}

fn metadata(text: &Text, metadata: file::Metadata) -> Result<WitnessMetadata, Problem> {
    let file::Metadata { format_version, uuid, creation_time, producer, task } = metadata;
    let file::Producer { name, version: number, configuration, command_line, description } = producer;
    let data_model = match task.data_model.value.as_str() {
        "ILP32" => DataModel::Ilp32,
        "LP64" => DataModel::Lp64,
        _ => return Err(unknown(text, &task.data_model, "data model").help("a data model is `ILP32` or `LP64`")),
    };
    if task.language.value != "C" {
        return Err(unknown(text, &task.language, "language").help("the language is `C`"));
    }
    let task = WitnessTask {
        input_files: match task.input_files {
            file::Names::One(name) => vec![name],
            file::Names::Many(names) => names,
        },
        input_file_hashes: task.input_file_hashes,
        specification: task.specification,
        data_model,
        language: task.language.value,
    };
    let producer = Producer { name, version: number, configuration, command_line, description };
    Ok(WitnessMetadata { format_version: version(text, &format_version)?, uuid, creation_time, producer, task })
}

/// An invariant, or nothing for a claim that is not modelled.
fn invariant(
    text: &Text,
    item: Spanned<file::Item>,
    skipped: &mut Vec<Problem>,
) -> Result<Option<WitnessInvariant>, Problem> {
    let place = text.place(&item);
    let file::Item { invariant, contract, segment } = item.value;
    if let Some(segment) = segment {
        return Err(text.problem(text.place(&segment), "a set of invariants has no `segment`"));
    }
    if let Some(contract) = contract {
        skipped.push(Problem::warning(text.place(&contract), "contracts of functions are not supported"));
        if invariant.is_none() {
            return Ok(None);
        }
    }
    let Some(invariant) = invariant else {
        return Err(text.problem(place, "the `invariant` is missing"));
    };
    let kind = match invariant.kind.value.as_str() {
        "loop_invariant" => InvariantKind::Loop,
        "location_invariant" => InvariantKind::Location,
        "loop_transition_invariant" | "location_transition_invariant" => {
            let place = text.place(&invariant.kind);
            skipped.push(Problem::warning(place, "transition invariants are not supported"));
            return Ok(None);
        }
        _ => return Err(unknown(text, &invariant.kind, "type of an invariant")),
    };
    Ok(Some(WitnessInvariant {
        kind,
        location: location(text, invariant.location)?,
        span: text.place(&invariant.value),
        value: invariant.value.value,
        format: format(text, &invariant.format)?,
    }))
}

fn segments(text: &Text, content: Spanned<Vec<Spanned<file::Item>>>) -> Result<Vec<Segment>, Problem> {
    let place = text.place(&content);
    let mut segments: Vec<Segment> = Vec::new();
    for item in content.value {
        let place = text.place(&item);
        let Some(waypoints) = item.value.segment else {
            return Err(text.problem(place, "the `segment` is missing"));
        };
        if let Some(before) = segments.last().filter(|segment| segment.follow.kind == WaypointKind::Target) {
            return Err(text.problem(before.follow.span, "the target is not in the last segment"));
        }
        segments.push(segment(text, waypoints)?);
    }
    match segments.last() {
        None => Err(text.problem(place, "the violation has no segment")),
        Some(last) if last.follow.kind != WaypointKind::Target => {
            let message = "the last segment does not follow a waypoint of type `target`";
            Err(text.problem(last.follow.span, message))
        }
        Some(_) => Ok(segments),
    }
}

fn segment(text: &Text, items: Spanned<Vec<file::WaypointItem>>) -> Result<Segment, Problem> {
    let place = text.place(&items);
    let count = items.value.len();
    let mut avoid = Vec::new();
    for (index, item) in items.value.into_iter().enumerate() {
        let is_last = index + 1 == count;
        let action = item.waypoint.action.clone();
        match (action.value.as_str(), is_last) {
            ("follow", true) => return Ok(Segment { avoid, follow: waypoint(text, item.waypoint)? }),
            ("avoid", false) => {
                let waypoint = waypoint(text, item.waypoint)?;
                if waypoint.kind == WaypointKind::Target {
                    return Err(text.problem(waypoint.span, "a target cannot be avoided"));
                }
                avoid.push(waypoint);
            }
            ("follow", false) => {
                return Err(text.problem(text.place(&action), "the waypoint to follow is not the last of its segment"));
            }
            ("avoid", true) => {
                return Err(text.problem(text.place(&action), "the last waypoint of a segment is not one to follow"));
            }
            ("cycle", _) => return Err(unsupported(text, &action, "waypoints with the action")),
            _ => return Err(unknown(text, &action, "action of a waypoint")),
        }
    }
    Err(text.problem(place, "the segment has no waypoint"))
}

fn waypoint(text: &Text, waypoint: file::Waypoint) -> Result<Waypoint, Problem> {
    let file::Waypoint { kind: name, constraint, location: at, action: _ } = waypoint;
    let type_place = text.place(&name);
    let required = || {
        constraint.as_ref().ok_or_else(|| {
            text.problem(type_place, format!("a waypoint of type `{}` needs a `constraint`", name.value))
        })
    };
    let kind = match name.value.as_str() {
        "assumption" => WaypointKind::Assumption(expression(text, required()?, ExpressionFormat::C)?),
        "branching" => WaypointKind::Branching(branch(text, &required()?.value)?),
        "function_enter" => WaypointKind::FunctionEnter,
        "function_return" => WaypointKind::FunctionReturn(expression(text, required()?, ExpressionFormat::Acsl)?),
        "target" => WaypointKind::Target,
        _ => return Err(unknown(text, &name, "type of a waypoint")),
    };
    let span = match kind {
        WaypointKind::Assumption(_) | WaypointKind::Branching(_) | WaypointKind::FunctionReturn(_) => {
            constraint.as_ref().map_or(type_place, |constraint| text.place(&constraint.value))
        }
        WaypointKind::FunctionEnter | WaypointKind::Target => type_place,
    };
    Ok(Waypoint { kind, location: location(text, at)?, span })
}

fn expression(
    text: &Text,
    constraint: &file::Constraint,
    usual: ExpressionFormat,
) -> Result<WitnessExpression, Problem> {
    let format = constraint.format.as_ref().map_or(Ok(usual), |name| format(text, name))?;
    Ok(WitnessExpression { value: constraint.value.value.clone(), format })
}

fn branch(text: &Text, value: &Spanned<String>) -> Result<Branch, Problem> {
    match value.value.trim() {
        "true" | "True" | "TRUE" => Ok(Branch::Condition(true)),
        "false" | "False" | "FALSE" => Ok(Branch::Condition(false)),
        "default" => Ok(Branch::Default),
        number => number.parse().map(Branch::Case).map_err(|_| {
            let message = format!("not an outcome of a branching: `{number}`");
            Problem::error(text.place(value), message)
                .help("an outcome is `true` or `false`, and for a switch an integer or `default`")
        }),
    }
}

fn format(text: &Text, name: &Spanned<String>) -> Result<ExpressionFormat, Problem> {
    match name.value.as_str() {
        "c_expression" => Ok(ExpressionFormat::C),
        "ext_c_expression" => Ok(ExpressionFormat::ExtendedC),
        "acsl_expression" => Ok(ExpressionFormat::Acsl),
        _ => Err(unknown(text, name, "format of an expression")
            .help("the formats are `c_expression`, `ext_c_expression` and `acsl_expression`")),
    }
}

fn location(text: &Text, place: file::Place) -> Result<WitnessLocation, Problem> {
    let number = |value: &Spanned<i64>| {
        u32::try_from(value.value).ok().filter(|&number| number > 0).ok_or_else(|| {
            let message = format!("not a line or column: `{}`", value.value);
            Problem::error(text.place(value), message).help("lines and columns are counted from 1")
        })
    };
    let line = number(&place.line)?;
    let column = place.column.as_ref().map(number).transpose()?;
    Ok(WitnessLocation { file_name: place.file_name, line, column, function: place.function })
}

fn unknown(text: &Text, value: &Spanned<String>, what: &str) -> Problem {
    text.problem(text.place(value), format!("unknown {what}: `{}`", value.value))
}

fn unsupported(text: &Text, value: &Spanned<String>, what: &str) -> Problem {
    text.problem(text.place(value), format!("{what} `{}` are not supported", value.value))
}
