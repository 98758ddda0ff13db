//! Drawings that can be moved and made larger. Only the one that is looked at is part of the page.

use super::escape;

/// A drawing (SVG), and its name.
pub struct Drawing {
    pub name: String,
    pub svg: String,
}

pub fn viewer(drawings: &[Drawing]) -> String {
    if drawings.is_empty() {
        return String::new();
    }
    let options: String =
        drawings.iter().map(|drawing| format!("<option>{}</option>", escape(&drawing.name))).collect();
    let choice = match drawings.len() {
        1 => String::new(),
        _ => format!("<select aria-label=\"drawing\">{options}</select>"),
    };
    let templates: String = drawings.iter().map(|drawing| format!("<template>{}</template>\n", drawing.svg)).collect();
    format!(
        "<div class=\"viewer\"><div class=\"tools\">{choice}<button data-zoom=\"0.8\" aria-label=\"larger\">+</button>\
         <button data-zoom=\"1.25\" aria-label=\"smaller\">&minus;</button><button data-zoom=\"all\">all</button></div>\n\
         <div class=\"canvas\"></div>\n{templates}</div>"
    )
}
