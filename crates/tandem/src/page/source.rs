//! A source with what is known about its lines, and a run through it that can be followed step by step.

use std::fmt::Write;

use serde_json::{Value, json};

use super::{data, escape};

/// Lines that the browser need not lay out before they are looked at.
const CHUNK: usize = 100;
/// Longer lines are cut: nobody reads them, and browsers stumble over them.
const LONGEST_LINE: usize = 2000;

/// What is known about a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum State {
    /// Nothing is done here.
    #[default]
    Plain,
    Done,
    Never,
    /// Proved that nothing comes here.
    Dead,
}

#[derive(Clone, Default)]
pub struct Line {
    pub state: State,
    /// How many tests pass it.
    pub times: Option<u64>,
    /// Goals: how they stand, what they are called, what is to be said of them.
    pub marks: Vec<(&'static str, String, String)>,
}

/// A step of a run: the line (0 if it is in another file), how many calls are open, what happens, and the variable it changes with its value.
pub struct Step {
    pub line: u32,
    pub depth: u32,
    pub what: String,
    pub change: Option<(String, String)>,
}

/// The lines beyond the end of `known` are plain.
pub fn view(text: &[u8], known: &[Line], steps: &[Step]) -> String {
    let has_marks = known.iter().any(|line| !line.marks.is_empty());
    let class = if has_marks { "source goals" } else { "source" };
    let mut out = format!("<div class=\"{class}\">\n");
    if !steps.is_empty() {
        out.push_str(
            "<div class=\"stepper\"><div class=\"tools\"><button aria-label=\"first step\">&laquo;</button><button aria-label=\"step back\">&lsaquo;</button>\
             <button aria-label=\"step on\">&rsaquo;</button><button aria-label=\"last step\">&raquo;</button><span class=\"count\"></span>\
             <span class=\"faint\">keys: &larr; &rarr;</span></div><div class=\"note\"></div><div class=\"values\"></div></div>\n",
        );
    }
    out.push_str("<div class=\"code\" tabindex=\"0\">\n");
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
    for (chunk, lines) in lines.chunks(CHUNK).enumerate() {
        let _ = writeln!(out, "<div class=\"chunk\" style=\"contain-intrinsic-size:auto {}px\">", lines.len() * 20);
        for (index, line) in lines.iter().enumerate() {
            let number = chunk * CHUNK + index;
            write_line(&mut out, number + 1, line, known.get(number).unwrap_or(&Line::default()));
        }
        out.push_str("</div>\n");
    }
    let steps: Vec<Value> = steps.iter().map(step).collect();
    out + "</div>\n" + &data(&json!({ "steps": steps })) + "</div>"
}

fn step(step: &Step) -> Value {
    let (name, value) = step.change.as_ref().map(|(name, value)| (name, value)).unzip();
    json!([step.line, step.depth, step.what, name, value])
}

fn write_line(out: &mut String, number: usize, text: &[u8], line: &Line) {
    let class = match line.state {
        State::Plain => "line",
        State::Done => "line done",
        State::Never => "line never",
        State::Dead => "line dead",
    };
    let times = line.times.map_or(String::new(), |times| times.to_string());
    let text = String::from_utf8_lossy(text.strip_suffix(b"\r").unwrap_or(text));
    let cut: String = text.chars().take(LONGEST_LINE).collect();
    let more = if cut.len() < text.len() { " …" } else { "" };
    let _ = write!(
        out,
        "<div class=\"{class}\" id=\"L{number}\"><span class=\"number\">{number}</span><span class=\"times\">{times}</span>"
    );
    if !line.marks.is_empty() || line.times.is_some() {
        out.push_str("<span class=\"marks\">");
        for (class, name, title) in &line.marks {
            let _ = write!(out, "<span class=\"mark {class}\" title=\"{}\">{}</span>", escape(title), escape(name));
        }
        out.push_str("</span>");
    } else {
        out.push_str("<span class=\"marks\"></span>");
    }
    let _ = writeln!(out, "<span class=\"text\">{}{more}</span></div>", escape(&cut));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_and_marked() {
        let mark = ("covered", "true".to_string(), "by 2 tests".to_string());
        let known = [Line { state: State::Done, times: Some(2), marks: vec![mark] }];
        let steps = [Step { line: 1, depth: 1, what: "x < 3: yes".into(), change: None }];
        let view = view(b"if (x < 3)\n\xff;\n", &known, &steps);
        assert!(view.contains("class=\"line done\" id=\"L1\"") && view.contains("if (x &lt; 3)"));
        assert!(view.contains("id=\"L2\"") && !view.contains("id=\"L3\""));
        assert!(view.contains("[[1,1,\"x \\u003c 3: yes\",null,null]]") && view.contains("stepper"));
    }
}
