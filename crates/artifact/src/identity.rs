//! Which program something is about, in one type for every artifact, store and cache.
//!
//! Two texts are one program if the front end reads the same from both: the preprocessed text (so `-D`, `-I` and headers count), where each
//! token stood in the user's file (automata name edges by line and column), the data model, and every further option, check or assumption that
//! changes what the program means. The paths in line markers do not count, nor does the path that `assert` gives to its failure: the same file
//! read from another directory is the same program. Knows no file and no option by name; those who have options add them.

use std::collections::BTreeMap;
use std::fmt;

use tandem_base::SourceText;
use tandem_cfa::DataModel;

use crate::sha256_hex;

const WORDS: &str = "program identity ";

/// The identity of a program.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ProgramIdentity {
    /// SHA-256 of the text, in hexadecimal.
    text: String,
    data_model: DataModel,
    /// What else changes the meaning of the program, by name.
    options: BTreeMap<String, String>,
}

impl ProgramIdentity {
    /// Of a text as the front end takes it.
    pub fn of(source: &SourceText, data_model: DataModel) -> ProgramIdentity {
        ProgramIdentity { text: hash_of_text(source), data_model, options: BTreeMap::new() }
    }

    /// The same program under an option, check or assumption that changes its meaning.
    pub fn with(mut self, option: &str, value: &str) -> ProgramIdentity {
        self.options.insert(option.to_string(), value.to_string());
        self
    }

    pub fn data_model(&self) -> DataModel {
        self.data_model
    }

    /// Everything in one SHA-256, in hexadecimal.
    pub fn hash(&self) -> String {
        let mut all = format!("program\ntext {}\ndata model {}\n", self.text, self.data_model.name());
        for (name, value) in &self.options {
            // Lengths keep a value with a line end from looking like two options.
            all.push_str(&format!("option {} {name} {} {value}\n", name.len(), value.len()));
        }
        sha256_hex(all.as_bytes())
    }

    /// The words by which a witness carries the identity, besides the hash of the file that its format asks for.
    pub fn in_words(&self) -> String {
        format!("{WORDS}{}", self.hash())
    }

    /// The hash in such words; other words may follow it.
    pub fn hash_in_words(words: &str) -> Option<&str> {
        words.strip_prefix(WORDS)?.split_whitespace().next()
    }

    /// What distinguishes two programs; nothing if they are one.
    pub fn difference(&self, other: &ProgramIdentity) -> Option<IdentityDifference> {
        if self.data_model != other.data_model {
            return Some(IdentityDifference::DataModel);
        }
        if self.text != other.text {
            return Some(IdentityDifference::Text);
        }
        let names = self.options.keys().chain(other.options.keys());
        let mut names = names.filter(|name| self.options.get(*name) != other.options.get(*name));
        names.next().map(|name| IdentityDifference::Option(name.clone()))
    }
}

/// In what two programs differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum IdentityDifference {
    DataModel,
    Text,
    Option(String),
}

impl fmt::Display for IdentityDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IdentityDifference::DataModel => write!(f, "the data model is another one"),
            IdentityDifference::Text => write!(f, "the preprocessed text is another one"),
            IdentityDifference::Option(name) => write!(f, "the option `{name}` is another one"),
        }
    }
}

fn hash_of_text(source: &SourceText) -> String {
    let mut all = Vec::with_capacity(source.text().len());
    for line in source.text().split_inclusive(|byte| *byte == b'\n') {
        match line_marker_without_path(line) {
            Some(marker) => all.extend_from_slice(marker.as_bytes()),
            None => all.extend_from_slice(line),
        }
    }
    let mut all = without_paths_of_assertions(&all);
    // Places by the line of the text: offsets would depend on the length of paths before them.
    for (line, place) in source.places_by_line() {
        all.extend_from_slice(format!("\n@{line} {} {}", place.line, place.column).as_bytes());
    }
    sha256_hex(&all)
}

/// `# 12 "path/file.h" 1 3` as `# 12 1 3`.
fn line_marker_without_path(line: &[u8]) -> Option<String> {
    let line = std::str::from_utf8(line).ok()?;
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number: u64 = rest[..digits].parse().ok()?;
    let path = rest[digits..].trim_start().strip_prefix('"')?;
    let flags = path[path.rfind('"')? + 1..].trim();
    Some(format!("# {number} {flags}\n"))
}

/// The text in which the second argument of `__assert_fail`, a path as a string, is only the name of the file.
fn without_paths_of_assertions(text: &[u8]) -> Vec<u8> {
    const CALL: &[u8] = b"__assert_fail";
    let mut all = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(found) = find(&text[at..], CALL) {
        let behind = at + found + CALL.len();
        all.extend_from_slice(&text[at..behind]);
        at = behind;
        if let Some((start, end)) = second_string(text, behind) {
            all.extend_from_slice(&text[behind..start]);
            let path = &text[start..end];
            let name = path.iter().rposition(|byte| *byte == b'/').map_or(path, |slash| &path[slash + 1..]);
            all.extend_from_slice(name);
            at = end;
        }
    }
    all.extend_from_slice(&text[at..]);
    all
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    let first = *wanted.first()?;
    let mut at = 0;
    while let Some(next) = text[at..].iter().position(|byte| *byte == first) {
        if text[at + next..].starts_with(wanted) {
            return Some(at + next);
        }
        at += next + 1;
    }
    None
}

/// Where the content of the second of two strings stands, in an argument list that begins at the offset.
fn second_string(text: &[u8], offset: usize) -> Option<(usize, usize)> {
    let after = |at: usize, wanted: u8| {
        let at = at + text.get(at..)?.iter().position(|byte| !byte.is_ascii_whitespace())?;
        (text[at] == wanted).then_some(at + 1)
    };
    let end_of_string = |start: usize| {
        let mut at = start;
        loop {
            match text.get(at)? {
                b'"' => return Some(at),
                b'\\' => at += 2,
                b'\n' => return None,
                _ => at += 1,
            }
        }
    };
    let expression = after(after(offset, b'(')?, b'"')?;
    let path = after(after(end_of_string(expression)? + 1, b',')?, b'"')?;
    Some((path, end_of_string(path)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_base::TokenPlace;

    fn plain(text: &str) -> ProgramIdentity {
        ProgramIdentity::of(&SourceText::plain("a.c", text.as_bytes().to_vec()), DataModel::Lp64)
    }

    fn preprocessed(file: &str, text: &str) -> ProgramIdentity {
        ProgramIdentity::of(&SourceText::preprocessed(file, text.as_bytes().to_vec()), DataModel::Lp64)
    }

    #[test]
    fn paths_of_line_markers_do_not_count_and_lines_do() {
        let one = preprocessed("a.c", "# 1 \"a.c\"\n# 1 \"inc/h.h\" 1\nint h;\n# 2 \"a.c\" 2\nint x;\n");
        let other = preprocessed("d/a.c", "# 1 \"d/a.c\"\n# 1 \"/e/h.h\" 1\nint h;\n# 2 \"d/a.c\" 2\nint x;\n");
        let further = preprocessed("a.c", "# 1 \"a.c\"\n# 1 \"inc/h.h\" 1\nint h;\n# 3 \"a.c\" 2\nint x;\n");
        assert_eq!(one, other);
        assert_eq!(one.hash(), other.hash());
        assert_eq!(one.difference(&further), Some(IdentityDifference::Text));
    }

    #[test]
    fn text_data_model_and_options_count() {
        let one = plain("int x;\n");
        assert_eq!(one.difference(&plain("int x;\n")), None);
        assert_eq!(one.difference(&plain("int y;\n")), Some(IdentityDifference::Text));
        let narrow = ProgramIdentity::of(&SourceText::plain("a.c", b"int x;\n".to_vec()), DataModel::Ilp32);
        assert_eq!(one.difference(&narrow), Some(IdentityDifference::DataModel));
        let checked = one.clone().with("check", "overflow");
        assert_eq!(one.difference(&checked), Some(IdentityDifference::Option("check".into())));
        let all = [one.clone(), plain("int y;\n"), narrow, checked, one.clone().with("check", "memory")];
        let mut hashes: Vec<String> = all.iter().map(ProgramIdentity::hash).collect();
        hashes.sort();
        hashes.dedup();
        assert_eq!(hashes.len(), all.len());
    }

    #[test]
    fn the_path_that_an_assertion_names_does_not_count_and_other_strings_do() {
        let assertion = |path: &str| format!("__assert_fail (\"a \\\" b\", \"{path}\", 3, f);\n");
        assert_eq!(plain(&assertion("a.c")), plain(&assertion("d/e/a.c")));
        assert_ne!(plain(&assertion("a.c")), plain(&assertion("d/b.c")));
        assert_ne!(plain("char *s = \"d/a.c\";\n"), plain("char *s = \"a.c\";\n"));
        assert_ne!(plain("__assert_fail(s, \"d/a.c\");\n"), plain("__assert_fail(s, \"a.c\");\n"));
    }

    #[test]
    fn places_of_tokens_count() {
        let text = "# 1 \"a.c\"\nint x;\n";
        let source = SourceText::preprocessed("a.c", text.as_bytes().to_vec());
        let at = |column: u32| {
            let places = vec![TokenPlace { at: 10, line: 1, column }];
            ProgramIdentity::of(&source.clone().with_places(places), DataModel::Lp64)
        };
        assert_eq!(at(1), at(1));
        assert_ne!(at(1), at(9));
    }
}
