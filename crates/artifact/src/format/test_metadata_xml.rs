//! The `metadata.xml` of a Test-Comp test suite. The format prescribes the order of the elements.

use std::fmt::Write;

use quick_xml::escape::escape;
use tandem_base::{Problem, Span};
use tandem_cfa::DataModel;

use super::xml;
use crate::Metadata;

const HEADER: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
    <!DOCTYPE test-metadata PUBLIC \"+//IDN sosy-lab.org//DTD test-format test-metadata 1.1//EN\" \
    \"https://sosy-lab.org/test-format/test-metadata-1.1.dtd\">\n";

const ACCEPTED: &str = "`<test-metadata>` holds sourcecodelang, producer, specification, programfile, programhash, entryfunction, \
     architecture (32bit or 64bit), inputtestsuitefile, inputtestsuitehash and creationtime";

/// Reads the metadata of a suite. The order of the elements is not checked; other tools get it wrong.
pub fn read(text: &str) -> Result<Metadata, Problem> {
    let document = xml::read(text).map_err(|problem| problem.help(ACCEPTED))?;
    let root = &document.root;
    if root.name != "test-metadata" {
        return Err(Problem::error(root.span, format!("<{}> is not the metadata of a suite", root.name)).help(ACCEPTED));
    }
    let all = |name: &'static str| document.children.iter().filter(move |element| element.name == name);
    let one = |name: &'static str| {
        all(name).next().map(|element| (element.text.clone(), element.text_span)).ok_or_else(|| {
            Problem::error(document.root.span, format!("the element <{name}> is missing")).help(ACCEPTED)
        })
    };
    let (architecture, span) = one("architecture")?;
    Ok(Metadata {
        source_code_language: one("sourcecodelang")?.0,
        producer: one("producer")?.0,
        specification: one("specification")?.0,
        program_file: one("programfile")?.0,
        program_hash: one("programhash")?.0,
        entry_function: one("entryfunction")?.0,
        architecture: data_model(&architecture, span)?,
        input_test_suite_files: all("inputtestsuitefile").map(|element| element.text.clone()).collect(),
        input_test_suite_hashes: all("inputtestsuitehash").map(|element| element.text.clone()).collect(),
        creation_time: one("creationtime")?.0,
    })
}

fn data_model(architecture: &str, span: Span) -> Result<DataModel, Problem> {
    match architecture {
        "32bit" => Ok(DataModel::Ilp32),
        "64bit" => Ok(DataModel::Lp64),
        _ => Err(Problem::error(span, format!("unknown architecture `{architecture}`")).help(ACCEPTED)),
    }
}

/// Writes the metadata of a suite.
pub fn write(metadata: &Metadata) -> String {
    let architecture = match metadata.architecture {
        DataModel::Ilp32 => "32bit",
        DataModel::Lp64 => "64bit",
    };
    let mut elements: Vec<(&str, &str)> = vec![
        ("sourcecodelang", &metadata.source_code_language),
        ("producer", &metadata.producer),
        ("specification", &metadata.specification),
        ("programfile", &metadata.program_file),
        ("programhash", &metadata.program_hash),
        ("entryfunction", &metadata.entry_function),
        ("architecture", architecture),
    ];
    elements.extend(metadata.input_test_suite_files.iter().map(|file| ("inputtestsuitefile", file.as_str())));
    elements.extend(metadata.input_test_suite_hashes.iter().map(|hash| ("inputtestsuitehash", hash.as_str())));
    elements.push(("creationtime", &metadata.creation_time));
    let mut text = format!("{HEADER}<test-metadata>\n");
    for (name, value) in elements {
        let _ = writeln!(text, "  <{name}>{}</{name}>", escape(value));
    }
    text.push_str("</test-metadata>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata() -> Metadata {
        Metadata {
            source_code_language: "C".into(),
            producer: "a & b".into(),
            specification: "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )".into(),
            program_file: "dir/p.c".into(),
            program_hash: "00ff".into(),
            entry_function: "main".into(),
            architecture: DataModel::Ilp32,
            input_test_suite_files: vec!["s.zip".into()],
            input_test_suite_hashes: vec!["11".into()],
            creation_time: "2024-02-29T10:00:00Z".into(),
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let text = write(&metadata());
        assert_eq!(read(&text).unwrap(), metadata());
        assert!(text.find("<programhash>") < text.find("<entryfunction>"));
        assert!(text.find("<architecture>") < text.find("<inputtestsuitefile>"));
        assert!(text.find("<inputtestsuitehash>") < text.find("<creationtime>"));
    }

    #[test]
    fn problems_have_a_place() {
        let text = write(&metadata());
        let problem = read(&text.replace("32bit", "16bit")).unwrap_err();
        assert_eq!(problem.span.lo as usize, text.find("32bit").unwrap());
        let problem = read("<test-metadata></test-metadata>").unwrap_err();
        assert!(problem.message.contains("<architecture> is missing"));
        assert!(read("<testcase/>").unwrap_err().message.contains("not the metadata"));
    }
}
