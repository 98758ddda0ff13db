//! Reads what `cc -E -fdebug-cpp` prints: the preprocessed text, with a note before each token that says where it stood.
//!
//! Without the notes, a macro or a comment would shift the columns of everything that follows it in its line.

use tandem_base::TokenPlace;

/// The text without the notes, and the places of the tokens of the user's file in it.
pub fn read(file: &str, original: &[u8], annotated: &[u8]) -> (Vec<u8>, Vec<TokenPlace>) {
    let mut reader = Reader {
        file: file.as_bytes(),
        lines: original.split(|byte| *byte == b'\n').collect(),
        text: Vec::with_capacity(annotated.len() / 8),
        places: Vec::new(),
        line: None,
        previous: None,
    };
    let mut at = 0;
    let mut note = None;
    while at < annotated.len() {
        if let Some((found, length)) = parse_note(&annotated[at..]) {
            note = Some(found);
            at += length;
            continue;
        }
        let length = piece_length(&annotated[at..]);
        reader.piece(&annotated[at..at + length], &mut note);
        at += length;
    }
    (reader.text, reader.places)
}

struct Note<'a> {
    file: &'a [u8],
    line: u32,
    column: u32,
}

struct Reader<'a> {
    file: &'a [u8],
    lines: Vec<&'a [u8]>,
    text: Vec<u8>,
    places: Vec<TokenPlace>,
    /// The line of the user's file that the current line of the text begins in, if it is the user's.
    line: Option<u32>,
    /// Line of the last token that stood in the user's file, and the column behind it.
    previous: Option<(u32, u32)>,
}

impl Reader<'_> {
    fn piece(&mut self, piece: &[u8], note: &mut Option<Note>) {
        let starts_line = self.text.last().is_none_or(|byte| *byte == b'\n');
        if piece == b"\n" {
            if let Some(line) = &mut self.line {
                *line = line.wrapping_add(1);
            }
        } else if starts_line && piece[0] == b'#' {
            if let Some((line, file)) = parse_marker(piece) {
                // The line end that follows counts one.
                self.line = (file == self.file).then(|| line.wrapping_sub(1));
                self.previous = None;
            }
        } else if !piece[0].is_ascii_whitespace() {
            if let (Some(first), Some(note)) = (self.line, note.take()) {
                self.token(piece, first, note);
            }
        }
        self.text.extend_from_slice(piece);
    }

    fn token(&mut self, token: &[u8], first: u32, note: Note) {
        let at = self.text.len() as u32;
        let is_own = note.file == self.file && note.line >= first && note.column > 0;
        if is_own {
            self.previous = Some((note.line, note.column + token.len() as u32));
            self.places.push(TokenPlace { at, line: note.line, column: note.column });
            return;
        }
        // A token of a macro's body: it stands where the macro is named, behind the last token of the user's file.
        let (line, column) = self.previous.filter(|(line, _)| *line >= first).unwrap_or((first, 1));
        let (line, column) = self.next_token(line, column);
        self.places.push(TokenPlace { at, line, column });
    }

    /// The place of the first token at or behind a place, over spaces and comments.
    fn next_token(&self, line: u32, column: u32) -> (u32, u32) {
        let (mut line, mut column) = (line as usize - usize::from(line > 0), column as usize - 1);
        let mut in_comment = false;
        let start = (line as u32 + 1, column as u32 + 1);
        // A macro is named at most a few lines further down; do not search a whole file.
        let limit = line + 50;
        while let Some(text) = self.lines.get(line).filter(|_| line < limit) {
            while let Some(rest) = text.get(column..).filter(|rest| !rest.is_empty()) {
                if in_comment {
                    in_comment = !rest.starts_with(b"*/");
                    column += if in_comment { 1 } else { 2 };
                } else if rest.starts_with(b"/*") {
                    in_comment = true;
                    column += 2;
                } else if rest.starts_with(b"//") || rest.starts_with(b"#") {
                    break;
                } else if rest[0].is_ascii_whitespace() || rest == b"\\" {
                    column += 1;
                } else {
                    return (line as u32 + 1, column as u32 + 1);
                }
            }
            line += 1;
            column = 0;
        }
        start
    }
}

/// `{P:file;F:file;L:3;C:5;S:0;M:0x7f;E:0,LOC:32,R:32}`, and its length.
fn parse_note(text: &[u8]) -> Option<(Note<'_>, usize)> {
    let rest = text.strip_prefix(b"{P:")?;
    let file_end = find(rest, b";F:")?;
    let after_file = &rest[file_end + 3..];
    let line_at = find(after_file, b";L:")? + 3;
    let (line, rest_line) = signed(&after_file[line_at..])?;
    let (column, rest_column) = signed(rest_line.strip_prefix(b";C:")?)?;
    let tail = rest_column.strip_prefix(b";S:")?;
    let end = find(tail, b"}")?;
    find(&tail[..end], b",LOC:")?;
    let length = text.len() - tail.len() + end + 1;
    Some((Note { file: &rest[..file_end], line, column }, length))
}

/// A line end, a run of spaces, a whole directive, a literal, or anything else up to the next of these or the next note.
fn piece_length(text: &[u8]) -> usize {
    match text[0] {
        b'\n' => 1,
        b'"' | b'\'' => literal_length(text),
        b'#' => {
            let line = &text[..text.iter().position(|byte| *byte == b'\n').unwrap_or(text.len())];
            line.windows(3).position(|window| window == b"{P:").unwrap_or(line.len())
        }
        byte if byte.is_ascii_whitespace() => {
            text.iter().position(|byte| *byte == b'\n' || !byte.is_ascii_whitespace()).unwrap_or(text.len())
        }
        _ => {
            let stops = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'{');
            1 + text[1..].iter().position(stops).unwrap_or(text.len() - 1)
        }
    }
}

/// A string or character literal cannot hold a note: it is copied whole.
fn literal_length(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' => return at,
            byte if *byte == text[0] => return at + 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// `# 12 "file.c" 2`
fn parse_marker(line: &[u8]) -> Option<(u32, &[u8])> {
    let (number, rest) = number(line.strip_prefix(b"# ")?)?;
    let name = rest.strip_prefix(b" \"")?;
    Some((number, &name[..name.iter().position(|byte| *byte == b'"')?]))
}

fn number(text: &[u8]) -> Option<(u32, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(&text[..digits]).ok()?.parse().ok()?;
    Some((number, &text[digits..]))
}

/// Tokens of the compiler's own macros stand at line -1; that is as good as 0 here.
fn signed(text: &[u8]) -> Option<(u32, &[u8])> {
    match text.strip_prefix(b"-") {
        Some(rest) => number(rest).map(|(_, rest)| (0, rest)),
        None => number(text),
    }
}

/// Where `part` begins in the first few thousand bytes: notes are short, texts are not.
fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text[..text.len().min(5000)].windows(part.len()).position(|window| window == part)
}
