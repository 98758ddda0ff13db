//! Pages for people: one file each, complete in itself, nothing fetched from elsewhere. Tables, plots, drawings and sources, used by the
//! report of a run and by that of a benchmark. Knows no analysis and no command.

pub mod drawing;
pub mod plot;
pub mod source;
pub mod table;
pub mod timeline;

use std::fmt::Write;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// Says that nothing may be fetched, and is kept by the browser.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

/// A page with sections that can be jumped to.
pub struct Page {
    title: String,
    lead: String,
    sections: Vec<Section>,
}

struct Section {
    id: &'static str,
    heading: String,
    body: String,
}

impl Page {
    pub fn new(title: impl Into<String>) -> Page {
        Page { title: title.into(), lead: String::new(), sections: Vec::new() }
    }

    /// Below the title, above everything else.
    pub fn lead(&mut self, html: &str) {
        self.lead.push_str(html);
    }

    pub fn section(&mut self, id: &'static str, heading: impl Into<String>, body: String) {
        self.sections.push(Section { id, heading: heading.into(), body });
    }

    pub fn render(&self) -> String {
        let title = escape(&self.title);
        let mut out = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n<link rel=\"icon\" href=\"data:,\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<nav><div>"
        );
        for Section { id, heading, .. } in &self.sections {
            let _ = write!(out, "<a href=\"#{id}\">{}</a>", escape(heading));
        }
        let _ = write!(out, "</div></nav>\n<header><h1>{title}</h1>\n{}</header>\n<main>\n", self.lead);
        for Section { id, heading, body } in &self.sections {
            let _ = write!(out, "<section>\n<h2 id=\"{id}\">{}</h2>\n{body}\n</section>\n", escape(heading));
        }
        let _ = write!(out, "</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
        out
    }
}

/// A text as it may stand in a page, also in an attribute.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' => out.push(character),
            other if other.is_control() => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}

/// Data for the script: no text in it can end the element that it stands in.
pub fn data(value: &serde_json::Value) -> String {
    format!("<script type=\"application/json\">{}</script>", value.to_string().replace('<', "\\u003c"))
}

/// Names and what is to be said of them; the right sides are HTML.
pub fn facts(facts: &[(&str, String)]) -> String {
    let rows: String = facts.iter().map(|(name, value)| format!("<dt>{}</dt><dd>{value}</dd>", escape(name))).collect();
    format!("<dl class=\"facts\">{rows}</dl>\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn texts_cannot_break_out() {
        let mut page = Page::new("<script>alert(1)</script>");
        page.section("a", "A & B", data(&json!({ "text": "</script><script>alert(2)" })));
        let text = page.render();
        assert!(!text.contains("<script>alert") && text.contains("A &amp; B"));
        assert!(text.contains("\\u003c/script>"));
        assert_eq!(escape("\u{1b}[2J'"), "\u{fffd}[2J&#39;");
    }

    #[test]
    fn nothing_is_fetched() {
        let text = Page::new("a").render();
        assert!(!text.contains("http://") && !text.contains("https://") && !text.contains("url("));
        // The script stands in the page as it is.
        assert!(!SCRIPT.contains("</script") && !STYLE.contains("</style"));
    }
}
