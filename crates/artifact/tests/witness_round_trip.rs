//! Any witness that can be made is written and read back as the same witness, in both formats.

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use tandem_artifact::format::{witness_graphml, witness_yaml};
use tandem_artifact::*;
use tandem_base::Span;
use tandem_cfa::DataModel;

/// Texts with all that might be taken for something else.
fn text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "x",
        " ",
        "\n",
        "\t",
        "\r",
        "\"",
        "'",
        "\\",
        ": ",
        "#",
        "- ",
        "true",
        "~",
        "null",
        "1e3",
        "{",
        "]",
        "&",
        "*",
        "%",
        "\u{85}",
        "\u{2028}",
        "\u{feff}",
        "\u{0}",
        "\u{7f}",
        "\u{1f600}",
        "<",
        "]]>",
        "é",
        "\\n",
        "?",
        "!",
        "|",
        "0x1",
    ]);
    prop_oneof![vec(word, 0..6).prop_map(|words| words.concat()), any::<String>()]
}

/// What XML can hold and a reader does not trim.
fn xml_text() -> impl Strategy<Value = String> {
    text().prop_map(|text| {
        let allowed = |character: &char| !matches!(character, '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\u{fffe}' | '\u{ffff}');
        text.chars().filter(allowed).collect::<String>().trim().to_string()
    })
}

fn model() -> impl Strategy<Value = DataModel> {
    prop_oneof![Just(DataModel::Ilp32), Just(DataModel::Lp64)]
}

fn location() -> impl Strategy<Value = WitnessLocation> {
    (text(), 1..=u32::MAX, option::of(1..=u32::MAX), option::of(text()))
        .prop_map(|(file_name, line, column, function)| WitnessLocation { file_name, line, column, function })
}

fn format() -> impl Strategy<Value = ExpressionFormat> {
    prop_oneof![Just(ExpressionFormat::C), Just(ExpressionFormat::ExtendedC), Just(ExpressionFormat::Acsl)]
}

fn expression() -> impl Strategy<Value = WitnessExpression> {
    (text(), format()).prop_map(|(value, format)| WitnessExpression { value, format })
}

fn branch() -> impl Strategy<Value = Branch> {
    prop_oneof![any::<bool>().prop_map(Branch::Condition), any::<i128>().prop_map(Branch::Case), Just(Branch::Default)]
}

fn waypoint() -> impl Strategy<Value = Waypoint> {
    let kind = prop_oneof![
        expression().prop_map(WaypointKind::Assumption),
        expression().prop_map(WaypointKind::FunctionReturn),
        branch().prop_map(WaypointKind::Branching),
        Just(WaypointKind::FunctionEnter),
    ];
    (kind, location()).prop_map(|(kind, location)| Waypoint::new(kind, location))
}

fn segments() -> impl Strategy<Value = Vec<Segment>> {
    let segment = (vec(waypoint(), 0..3), waypoint()).prop_map(|(avoid, follow)| Segment { avoid, follow });
    (vec(segment, 0..4), vec(waypoint(), 0..2), location()).prop_map(|(mut segments, avoid, location)| {
        segments.push(Segment { avoid, follow: Waypoint::target(location) });
        segments
    })
}

fn invariant() -> impl Strategy<Value = WitnessInvariant> {
    let kind = prop_oneof![Just(InvariantKind::Loop), Just(InvariantKind::Location)];
    (kind, location(), text(), format()).prop_map(|(kind, location, value, format)| WitnessInvariant {
        kind,
        location,
        value,
        format,
        span: Span::NONE,
    })
}

fn content() -> impl Strategy<Value = WitnessContent> {
    prop_oneof![
        vec(invariant(), 0..4).prop_map(WitnessContent::Correctness),
        segments().prop_map(WitnessContent::Violation)
    ]
}

fn metadata() -> impl Strategy<Value = WitnessMetadata> {
    let version = prop_oneof![Just(WitnessVersion::V2_0), Just(WitnessVersion::V2_1), Just(WitnessVersion::V2_2)];
    let producer = (text(), text(), option::of(text()), option::of(text()), option::of(text())).prop_map(
        |(name, version, configuration, command_line, description)| Producer {
            name,
            version,
            configuration,
            command_line,
            description,
        },
    );
    let task = (vec(text(), 0..3), btree_map(text(), text(), 0..3), text(), model()).prop_map(
        |(input_files, input_file_hashes, specification, data_model)| WitnessTask {
            input_files,
            input_file_hashes,
            specification,
            data_model,
            language: "C".into(),
        },
    );
    (version, text(), text(), producer, task).prop_map(|(format_version, uuid, creation_time, producer, task)| {
        WitnessMetadata { format_version, uuid, creation_time, producer, task }
    })
}

fn witness() -> impl Strategy<Value = Witness> {
    (metadata(), content()).prop_map(|(metadata, content)| Witness { metadata, content, skipped: Vec::new() })
}

fn automaton_metadata(kind: AutomatonKind) -> impl Strategy<Value = AutomatonMetadata> {
    (xml_text(), xml_text(), xml_text(), xml_text(), option::of(xml_text()), model(), xml_text()).prop_map(
        move |(producer, specification, program_file, program_hash, program_identity, architecture, creation_time)| {
            AutomatonMetadata {
                kind,
                source_code_language: "C".into(),
                producer,
                specification,
                program_file,
                program_hash,
                program_identity,
                architecture,
                creation_time,
            }
        },
    )
}

fn node() -> impl Strategy<Value = WitnessNode> {
    let marks = (any::<bool>(), any::<bool>(), option::of(xml_text()), option::of(xml_text()));
    marks.prop_map(|(sink, violation, invariant, invariant_scope)| WitnessNode {
        sink,
        violation,
        invariant,
        invariant_scope,
        ..WitnessNode::default()
    })
}

fn edge(nodes: u32) -> impl Strategy<Value = WitnessEdge> {
    let numbers = [(); 4].map(|()| option::of(any::<u32>()));
    let texts = [(); 5].map(|()| option::of(xml_text()));
    let control = option::of(any::<bool>());
    (0..nodes, 0..nodes, numbers, texts, control, any::<bool>()).prop_map(
        |(source, target, numbers, texts, control, enter_loop_head)| {
            let [start_line, end_line, start_offset, end_offset] = numbers;
            let [assumption, assumption_scope, assumption_result_function, enter_function, return_from_function] =
                texts;
            WitnessEdge {
                start_line,
                end_line,
                start_offset,
                end_offset,
                control,
                assumption,
                assumption_scope,
                assumption_result_function,
                enter_function,
                return_from_function,
                enter_loop_head,
                ..WitnessEdge::new(WitnessNodeId(source), WitnessNodeId(target))
            }
        },
    )
}

fn automaton() -> impl Strategy<Value = WitnessAutomaton> {
    let kind = prop_oneof![Just(AutomatonKind::Correctness), Just(AutomatonKind::Violation)];
    (kind, vec((xml_text(), node()), 1..5), any::<prop::sample::Index>()).prop_flat_map(|(kind, mut parts, entry)| {
        let count = parts.len();
        for (index, (name, node)) in parts.iter_mut().enumerate() {
            node.name = format!("{index}{name}");
            node.entry = index == entry.index(count);
            node.sink &= kind == AutomatonKind::Violation;
            node.violation = kind == AutomatonKind::Violation && (node.violation || index == 0);
        }
        let nodes: Vec<WitnessNode> = parts.into_iter().map(|(_, node)| node).collect();
        (automaton_metadata(kind), vec(edge(count as u32), 0..5)).prop_map(move |(metadata, edges)| WitnessAutomaton {
            metadata,
            nodes: nodes.clone().into(),
            edges,
        })
    })
}

proptest! {
    #[test]
    fn yaml(witnesses in vec(witness(), 1..3)) {
        let text = witness_yaml::write(&witnesses);
        let again = witness_yaml::read(&text).map_err(|problem| TestCaseError::fail(format!("{problem:?}\n{text}")))?;
        let again: Vec<Witness> = again.into_iter().map(Witness::without_spans).collect();
        prop_assert_eq!(&again, &witnesses);
        prop_assert_eq!(witness_yaml::write(&again), text);
    }

    #[test]
    fn graphml(automaton in automaton()) {
        let text = witness_graphml::write(&automaton);
        let again = witness_graphml::read(&text).map_err(|problem| TestCaseError::fail(format!("{problem:?}\n{text}")))?;
        prop_assert_eq!(again.without_spans(), automaton);
    }
}

#[test]
fn long_file_names_are_keys_too() {
    let name = "d/".repeat(2_000);
    let task = WitnessTask::new(&[(name.as_str(), b"")], "", DataModel::Lp64);
    let witness = Witness::new(Producer::default(), task, 0, WitnessContent::Correctness(Vec::new()));
    assert_eq!(witness_yaml::read(&witness_yaml::write(std::slice::from_ref(&witness))).unwrap(), [witness]);
}
