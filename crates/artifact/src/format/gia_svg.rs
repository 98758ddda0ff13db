//! An exchange automaton as a picture (SVG) and as a page (HTML), both complete in one file: nothing is fetched from elsewhere.

use std::fmt::Write;

use quick_xml::escape::escape;

use super::gia_layout::{LINE, Layout, Spot, layout, shortened};
use super::gia_picture::{Arrow, Picture, colour};
use super::gia_text::lines;
use super::gia_yaml::mark_word;
use crate::gia::Mark;

pub fn svg(picture: &Picture) -> String {
    drawing(picture, &format!("Exchange automaton about {}", picture.title))
}

/// The same for any automaton, with a title of its own.
pub fn drawing(picture: &Picture, title: &str) -> String {
    let Layout { spots, width, height } = layout(picture);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         font-family=\"monospace\" font-size=\"11\">\n"
    );
    let _ = writeln!(out, "<title>{}</title>", escape(title));
    out.push_str(
        "<defs><marker id=\"tip\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\">\
         <path d=\"M0 1 L9 5 L0 9 z\" fill=\"#444\"/></marker></defs>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
    );
    let mut texts = String::new();
    let mut stacked = vec![0usize; spots.len()];
    for arrow in &picture.arrows {
        draw_arrow(arrow, &spots, &mut stacked, &mut out, &mut texts);
    }
    for (number, state) in picture.states.iter().enumerate() {
        let Spot { x, y, width, height, .. } = spots[number];
        let (left, top) = (x - width / 2.0, y - height / 2.0);
        let line = if number == 0 { "3" } else { "1.2" };
        let _ = writeln!(
            out,
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"9\" fill=\"{}\" stroke=\"#333\" \
             stroke-width=\"{line}\"/>",
            colour(state.mark)
        );
        for (row, line) in lines(state).iter().enumerate() {
            let weight = if row == 0 { " font-weight=\"bold\"" } else { "" };
            let baseline = top + 7.0 + LINE * (row as f64 + 0.75);
            write_text(&mut out, (x, baseline), "middle", weight, line);
        }
    }
    out + &texts + "</svg>\n"
}

fn draw_arrow(arrow: &Arrow, spots: &[Spot], stacked: &mut [usize], out: &mut String, texts: &mut String) {
    let (from, to) = (spots[arrow.source], spots[arrow.target]);
    if arrow.source == arrow.target {
        let (right, y) = (from.x + from.width / 2.0, from.y);
        path(out, &format!("M{right:.1} {:.1} c32 -14 32 28 0 14", y - 7.0));
        write_labels(texts, arrow, (right + 30.0, y + 4.0), "start");
    } else if to.layer == from.layer + 1 {
        let start = (from.x, from.y + from.height / 2.0);
        let end = (to.x, to.y - to.height / 2.0);
        path(out, &format!("M{:.1} {:.1} L{:.1} {:.1}", start.0, start.1, end.0, end.1));
        // Labels of one target stand at different heights, each on its own arrow.
        stacked[arrow.target] += arrow.labels.len();
        let y = end.1 - 8.0 - LINE * stacked[arrow.target] as f64 + LINE * 0.5;
        let part = ((y - start.1) / (end.1 - start.1).max(1.0)).clamp(0.0, 1.0);
        write_labels(texts, arrow, (start.0 + (end.0 - start.0) * part, y + 4.0), "middle");
    } else {
        let (start, end) = ((from.x - from.width / 2.0, from.y), (to.x - to.width / 2.0, to.y));
        let bend = start.0.min(end.0) - 40.0;
        path(
            out,
            &format!(
                "M{:.1} {:.1} C{bend:.1} {:.1} {bend:.1} {:.1} {:.1} {:.1}",
                start.0, start.1, start.1, end.1, end.0, end.1
            ),
        );
        let middle = ((start.0 + end.0) / 8.0 + bend * 0.75, (start.1 + end.1) / 2.0);
        write_labels(texts, arrow, middle, "middle");
    }
}

fn path(out: &mut String, data: &str) {
    let _ = writeln!(
        out,
        "<path d=\"{data}\" fill=\"none\" stroke=\"#444\" stroke-width=\"1.1\" marker-end=\"url(#tip)\"/>"
    );
}

fn write_labels(out: &mut String, arrow: &Arrow, at: (f64, f64), anchor: &str) {
    for (row, label) in arrow.labels.iter().enumerate() {
        let at = (at.0, at.1 + LINE * row as f64);
        // A white rim keeps the text legible on lines.
        let rim = " stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\"";
        write_text(out, at, anchor, rim, &label.text());
    }
}

fn write_text(out: &mut String, (x, y): (f64, f64), anchor: &str, more: &str, text: &str) {
    let short = shortened(text);
    let whole = if short == text { String::new() } else { format!("<title>{}</title>", printable(text)) };
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\"{more}>{whole}{}</text>",
        printable(&short)
    );
}

fn printable(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    escape(text.as_str()).into_owned()
}

const STYLE: &str = "body{font:14px sans-serif;margin:2em;color:#222;background:#fff}\
    table{border-collapse:collapse;margin:1em 0}td,th{border:1px solid #bbb;padding:.25em .6em;text-align:left;vertical-align:top}\
    code{font-family:monospace}.drawing{overflow:auto;border:1px solid #ddd}\
    .key{display:inline-block;width:1em;height:1em;border:1px solid #333;border-radius:4px;vertical-align:-.15em;margin:0 .3em 0 1em}";

/// The picture, a legend and a table of everything in it.
pub fn html(picture: &Picture) -> String {
    let title = printable(&format!("Exchange automaton about {}", picture.title));
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{title}</title><style>{STYLE}</style></head>\n<body>\n<h1>{title}</h1>\n<p>"
    );
    for mark in [Mark::Unreachable, Mark::Reached, Mark::Candidate] {
        let _ =
            write!(out, "<span class=\"key\" style=\"background:{}\"></span>{}", colour(Some(mark)), mark_word(mark));
    }
    let _ = writeln!(out, "</p>\n<div class=\"drawing\">\n{}</div>", svg(picture));
    if !picture.targets.is_empty() {
        out.push_str("<h2>Targets</h2>\n<table><tr><th>target</th><th>edges</th></tr>\n");
        for (name, edges) in &picture.targets {
            let _ = writeln!(out, "<tr><td>{}</td><td><code>{}</code></td></tr>", printable(name), printable(edges));
        }
        out.push_str("</table>\n");
    }
    out.push_str("<h2>Transitions</h2>\n<table><tr><th>from</th><th>edges</th><th>assumptions</th><th>to</th></tr>\n");
    for arrow in &picture.arrows {
        let state = |number: usize| {
            let state = &picture.states[number];
            format!("<td style=\"background:{}\">{}</td>", colour(state.mark), printable(&state.name))
        };
        for label in &arrow.labels {
            let (edges, assume) = (printable(&label.edges), printable(&label.assume.join(" && ")));
            let (from, to) = (state(arrow.source), state(arrow.target));
            let _ = writeln!(out, "<tr>{from}<td><code>{edges}</code></td><td><code>{assume}</code></td>{to}</tr>");
        }
    }
    out + "</table>\n</body>\n</html>\n"
}
