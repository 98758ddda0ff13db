//! Test cases of Test-Comp: a `<testcase>` with one `<input>` per value, in the order in which the run asks for them.

use std::fmt::Write;

use quick_xml::escape::escape;
use tandem_base::Problem;

use super::xml;
use crate::{Input, Literal, TestCase};

const HEADER: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
    <!DOCTYPE testcase PUBLIC \"+//IDN sosy-lab.org//DTD test-format testcase 1.1//EN\" \
    \"https://sosy-lab.org/test-format/testcase-1.1.dtd\">\n";

/// Reads a test case. Empty inputs are skipped.
pub fn read(text: &str) -> Result<TestCase, Problem> {
    let accepted = "a test case is `<testcase>` with `<input>VALUE</input>` inside";
    let document = xml::read(text).map_err(|problem| problem.help(accepted))?;
    if document.root.name != "testcase" {
        let message = format!("<{}> is not a test case", document.root.name);
        return Err(Problem::error(document.root.span, message).help(accepted));
    }
    let mut case =
        TestCase { inputs: Vec::new(), covers_error: document.root.attribute("coversError") == Some("true") };
    for element in document.children {
        if element.name != "input" {
            return Err(Problem::error(element.span, format!("unknown element <{}>", element.name)).help(accepted));
        }
        if element.text.is_empty() {
            continue;
        }
        let value = Literal::parse(&element.text).ok_or_else(|| {
            let message = format!("not an input value: `{}`", element.text);
            Problem::error(element.text_span, message).help(format!("accepted is {}", Literal::ACCEPTED))
        })?;
        let attribute = |name| element.attribute(name).map(str::to_string);
        case.inputs.push(Input { value, ty: attribute("type"), variable: attribute("variable") });
    }
    Ok(case)
}

/// Writes a test case.
pub fn write(case: &TestCase) -> String {
    write_with(case, &[])
}

/// Writes a test case with remarks for people, one a line.
pub fn write_with(case: &TestCase, remarks: &[String]) -> String {
    let mut text = HEADER.to_string();
    if !remarks.is_empty() {
        // Two dashes would end the comment.
        let lines: Vec<String> = remarks.iter().map(|remark| format!("  {}\n", remark.replace("--", "- -"))).collect();
        let _ = write!(text, "<!--\n{}-->\n", lines.concat());
    }
    text.push_str(if case.covers_error { "<testcase coversError=\"true\">\n" } else { "<testcase>\n" });
    for input in &case.inputs {
        text.push_str("  <input");
        for (name, value) in [("variable", &input.variable), ("type", &input.ty)] {
            if let Some(value) = value {
                let _ = write!(text, " {name}=\"{}\"", escape(value.as_str()));
            }
        }
        let _ = writeln!(text, ">{}</input>", input.value);
    }
    text.push_str("</testcase>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Integer;

    #[test]
    fn what_is_written_is_read_back() {
        let inputs = vec![
            Input { value: Literal::Integer((-5).into()), ty: Some("int".into()), variable: Some("a<b>&".into()) },
            Literal::Integer(Integer { negative: false, magnitude: u128::MAX }).into(),
            Literal::Float("-0x1.8p3".into()).into(),
        ];
        for covers_error in [false, true] {
            let case = TestCase { inputs: inputs.clone(), covers_error };
            assert_eq!(read(&write(&case)).unwrap(), case);
        }
    }

    #[test]
    fn remarks_do_not_matter_to_readers() {
        let case = TestCase { inputs: vec![Literal::Integer(7.into()).into()], covers_error: false };
        let text = write_with(&case, &["goals: 3:4 true".into(), "x-- > -->".into()]);
        assert_eq!(text.matches("-->").count(), 1);
        assert_eq!(read(&text).unwrap(), case);
    }

    #[test]
    fn reads_what_others_write() {
        let text = "<?xml version=\"1.0\"?>\n<!DOCTYPE testcase SYSTEM \"x.dtd\">\n<!-- a test -->\n<testcase>\n\
                    \t<input type=\"char\">'&lt;'</input>\n<input></input><input/>\n<input> 0x10U\n</input>\n<input>&#52;2</input></testcase>";
        let values: Vec<String> = read(text).unwrap().inputs.iter().map(|input| input.value.to_string()).collect();
        assert_eq!(values, ["60", "16", "42"]);
    }

    #[test]
    fn problems_have_a_place() {
        for (text, at, message) in [
            ("<testcase>\n <input> x1 </input></testcase>", "x1", "not an input value: `x1`"),
            ("<testcase><output>1</output></testcase>", "<output>", "unknown element <output>"),
            ("<suite/>", "<suite/>", "<suite> is not a test case"),
            ("<testcase><input>1</testcase>", "</testcase>", "not well-formed"),
            ("<testcase>\n<input>1", "<input>", "<input> is not closed"),
            ("<testcase><input>&foo;</input></testcase>", "&foo;", "unknown entity"),
            ("", "", "no XML element"),
        ] {
            let problem = read(text).unwrap_err();
            assert!(problem.message.contains(message), "{text}: {}", problem.message);
            assert_eq!(problem.span.lo as usize, text.find(at).unwrap(), "{text}");
            assert!(problem.help.is_some());
        }
    }
}
