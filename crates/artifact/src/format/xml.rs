//! The little of XML that the formats need: elements with attributes and text, each with its place.
//!
//! Knows no format.

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};
use tandem_base::{Problem, Span};

/// An element below the root.
pub struct Element {
    pub name: String,
    pub attributes: Vec<(String, String)>,
    /// The text inside, trimmed.
    pub text: String,
    /// The start tag.
    pub span: Span,
    /// The text inside.
    pub text_span: Span,
}

impl Element {
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// The root, and the elements directly below it.
pub struct Document {
    pub root: Element,
    pub children: Vec<Element>,
}

/// Reads a document that is two levels deep.
pub fn read(text: &str) -> Result<Document, Problem> {
    let mut children = Vec::new();
    let mut root = None;
    walk(text, |outer, element| {
        match outer.len() {
            0 => root = root.take().or(Some(element)),
            1 => children.push(element),
            _ => {}
        }
        Ok(())
    })?;
    let end = Span::new(text.len() as u32, text.len() as u32);
    let root = root.ok_or_else(|| Problem::error(end, "there is no XML element"))?;
    Ok(Document { root, children })
}

/// Hands over each element when it ends, together with the elements around it, the outermost first.
pub fn walk(text: &str, mut visit: impl FnMut(&[Element], Element) -> Result<(), Problem>) -> Result<(), Problem> {
    let mut reader = Reader::from_str(text);
    let mut open: Vec<Element> = Vec::new();
    loop {
        let before = reader.buffer_position() as usize;
        let event = reader.read_event().map_err(|error| {
            let at = reader.error_position() as u32;
            Problem::error(Span::new(at, at + 1), format!("not well-formed XML: {error}"))
        })?;
        let span = Span::new(before as u32, reader.buffer_position() as u32);
        match event {
            Event::Start(tag) => open.push(element(&tag, span)?),
            Event::Empty(tag) => visit(&open, element(&tag, span)?)?,
            Event::End(_) => {
                if let Some(mut element) = open.pop() {
                    element.text = element.text.trim().to_string();
                    visit(&open, element)?;
                }
            }
            Event::Text(part) => append(&mut open, &part.xml_content(Default::default()).unwrap_or_default(), span),
            Event::CData(part) => append(&mut open, &part.xml_content(Default::default()).unwrap_or_default(), span),
            Event::GeneralRef(reference) => append(&mut open, &resolve(&reference, span)?, span),
            Event::Eof => break,
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
    match open.last() {
        Some(unclosed) => Err(Problem::error(unclosed.span, format!("<{}> is not closed", unclosed.name))),
        None => Ok(()),
    }
}

fn append(open: &mut [Element], part: &str, span: Span) {
    let Some(element) = open.last_mut() else { return };
    if element.text.trim().is_empty() && !part.trim().is_empty() {
        let indent = (part.len() - part.trim_start().len()) as u32;
        element.text_span = Span::new(span.lo + indent, span.hi);
    }
    element.text.push_str(part);
}

fn element(tag: &BytesStart, span: Span) -> Result<Element, Problem> {
    let mut attributes = Vec::new();
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|error| Problem::error(span, format!("not a well-formed tag: {error}")))?;
        let name = String::from_utf8_lossy(attribute.key.as_ref()).into_owned();
        let raw = String::from_utf8_lossy(&attribute.value);
        let value = quick_xml::escape::unescape(&raw)
            .map_err(|error| Problem::error(span, format!("not a well-formed attribute value: {error}")))?;
        attributes.push((name, value.into_owned()));
    }
    let name = String::from_utf8_lossy(tag.name().as_ref()).into_owned();
    Ok(Element { name, attributes, text: String::new(), span, text_span: span })
}

fn resolve(reference: &BytesRef, span: Span) -> Result<String, Problem> {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return Ok(character.to_string());
    }
    let name = String::from_utf8_lossy(reference).into_owned();
    quick_xml::escape::resolve_predefined_entity(&name)
        .map(str::to_string)
        .ok_or_else(|| Problem::error(span, format!("unknown entity `&{name};`")))
}
