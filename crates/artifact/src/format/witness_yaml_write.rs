//! The writer of witnesses of format 2.x: the same witness always gives the same text.

use std::fmt::Write;

use tandem_cfa::DataModel;

use crate::{
    Branch, ExpressionFormat, InvariantKind, Segment, Waypoint, WaypointKind, Witness, WitnessContent,
    WitnessInvariant, WitnessLocation, WitnessMetadata, WitnessTask, WitnessVersion,
};

/// Writes witnesses as the entries of one file. What a witness [skipped](Witness::skipped) is not written.
pub fn write(witnesses: &[Witness]) -> String {
    if witnesses.is_empty() {
        return "[]\n".to_string();
    }
    let mut lines = Lines(String::new());
    for witness in witnesses {
        let entry_type = match witness.content {
            WitnessContent::Correctness(_) => "invariant_set",
            WitnessContent::Violation(_) => "violation_sequence",
        };
        lines.add(0, "- entry_type", entry_type);
        lines.metadata(&witness.metadata);
        match &witness.content {
            WitnessContent::Correctness(invariants) => {
                lines.open_list(2, "content", invariants.is_empty());
                invariants.iter().for_each(|invariant| lines.invariant(invariant));
            }
            WitnessContent::Violation(segments) => {
                lines.open_list(2, "content", segments.is_empty());
                segments.iter().for_each(|segment| lines.segment(segment));
            }
        }
    }
    lines.0
}

/// Text that grows line by line.
struct Lines(String);

impl Lines {
    fn add(&mut self, indent: usize, key: &str, value: &str) {
        let _ = writeln!(self.0, "{:indent$}{key}: {value}", "");
    }

    fn text(&mut self, indent: usize, key: &str, value: &str) {
        self.add(indent, key, &quoted(value));
    }

    fn optional_text(&mut self, indent: usize, key: &str, value: &Option<String>) {
        if let Some(value) = value {
            self.text(indent, key, value);
        }
    }

    fn open(&mut self, indent: usize, key: &str) {
        let _ = writeln!(self.0, "{:indent$}{key}:", "");
    }

    fn open_list(&mut self, indent: usize, key: &str, is_empty: bool) {
        if is_empty { self.add(indent, key, "[]") } else { self.open(indent, key) }
    }

    fn metadata(&mut self, metadata: &WitnessMetadata) {
        let version = match metadata.format_version {
            WitnessVersion::V2_0 => "2.0",
            WitnessVersion::V2_1 => "2.1",
            WitnessVersion::V2_2 => "2.2",
        };
        self.open(2, "metadata");
        self.text(4, "format_version", version);
        self.text(4, "uuid", &metadata.uuid);
        self.text(4, "creation_time", &metadata.creation_time);
        self.open(4, "producer");
        self.text(6, "name", &metadata.producer.name);
        self.text(6, "version", &metadata.producer.version);
        self.optional_text(6, "configuration", &metadata.producer.configuration);
        self.optional_text(6, "command_line", &metadata.producer.command_line);
        self.optional_text(6, "description", &metadata.producer.description);
        self.task(&metadata.task);
    }

    fn task(&mut self, task: &WitnessTask) {
        self.open(4, "task");
        self.open_list(6, "input_files", task.input_files.is_empty());
        for name in &task.input_files {
            let _ = writeln!(self.0, "        - {}", quoted(name));
        }
        if task.input_file_hashes.is_empty() {
            self.add(6, "input_file_hashes", "{}");
        } else {
            self.open(6, "input_file_hashes");
        }
        for (name, hash) in &task.input_file_hashes {
            // A simple key ends after 1024 characters; a longer one has to say that it is a key.
            let name = quoted(name);
            if name.len() < 1000 {
                self.text(8, &name, hash);
            } else {
                let _ = writeln!(self.0, "        ? {name}\n        : {}", quoted(hash));
            }
        }
        self.text(6, "specification", &task.specification);
        let data_model = match task.data_model {
            DataModel::Ilp32 => "ILP32",
            DataModel::Lp64 => "LP64",
        };
        self.add(6, "data_model", data_model);
        self.text(6, "language", &task.language);
    }

    fn invariant(&mut self, invariant: &WitnessInvariant) {
        let kind = match invariant.kind {
            InvariantKind::Loop => "loop_invariant",
            InvariantKind::Location => "location_invariant",
        };
        self.open(4, "- invariant");
        self.add(8, "type", kind);
        self.location(8, &invariant.location);
        self.text(8, "value", &invariant.value);
        self.add(8, "format", format_name(invariant.format));
    }

    fn segment(&mut self, segment: &Segment) {
        self.open(4, "- segment");
        segment.avoid.iter().for_each(|waypoint| self.waypoint(waypoint, "avoid"));
        self.waypoint(&segment.follow, "follow");
    }

    fn waypoint(&mut self, waypoint: &Waypoint, action: &str) {
        let kind = match &waypoint.kind {
            WaypointKind::Assumption(_) => "assumption",
            WaypointKind::Branching(_) => "branching",
            WaypointKind::FunctionEnter => "function_enter",
            WaypointKind::FunctionReturn(_) => "function_return",
            WaypointKind::Target => "target",
        };
        self.open(8, "- waypoint");
        self.add(12, "type", kind);
        self.add(12, "action", action);
        match &waypoint.kind {
            WaypointKind::Assumption(expression) | WaypointKind::FunctionReturn(expression) => {
                self.open(12, "constraint");
                self.text(14, "value", &expression.value);
                self.add(14, "format", format_name(expression.format));
            }
            WaypointKind::Branching(branch) => {
                self.open(12, "constraint");
                self.text(14, "value", &outcome(*branch));
            }
            WaypointKind::FunctionEnter | WaypointKind::Target => {}
        }
        self.location(12, &waypoint.location);
    }

    fn location(&mut self, indent: usize, location: &WitnessLocation) {
        self.open(indent, "location");
        self.text(indent + 2, "file_name", &location.file_name);
        self.add(indent + 2, "line", &location.line.to_string());
        if let Some(column) = location.column {
            self.add(indent + 2, "column", &column.to_string());
        }
        self.optional_text(indent + 2, "function", &location.function);
    }
}

fn outcome(branch: Branch) -> String {
    match branch {
        Branch::Condition(value) => value.to_string(),
        Branch::Case(value) => value.to_string(),
        Branch::Default => "default".to_string(),
    }
}

fn format_name(format: ExpressionFormat) -> &'static str {
    match format {
        ExpressionFormat::C => "c_expression",
        ExpressionFormat::ExtendedC => "ext_c_expression",
        ExpressionFormat::Acsl => "acsl_expression",
    }
}

/// A string between double quotes: the one style of YAML in which everything can be written, and on one line.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            // Not printable in YAML, or a line break for some readers.
            '\0'..='\x1f' | '\x7f'..='\u{a0}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                let _ = write!(quoted, "\\u{:04X}", character as u32);
            }
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}
