//! A stand-in for the source text that the text form does not carry: blanks, with lines that begin where the spans say they
//! do, so that what was read has the line and column of everything that had them.

use std::collections::BTreeMap;

use tandem_base::{SourceText, Span};

/// No source is larger, and none is larger than this many times its automaton.
const LARGEST: usize = 1 << 26;
const LARGEST_FACTOR: usize = 100;

/// Where the lines of the user's file begin, as far as spans tell.
#[derive(Default)]
pub(super) struct Positions {
    /// Line, counted from one, to the offset of its first byte; `None` if spans contradict each other.
    lines: BTreeMap<u32, Option<u32>>,
    end: u32,
}

impl Positions {
    pub fn add(&mut self, span: Span, line: u32, column: u32) {
        let Some(start) = column.checked_sub(1).and_then(|before| span.lo.checked_sub(before)) else { return };
        let known = self.lines.entry(line).or_insert(Some(start));
        if *known != Some(start) {
            *known = None;
        }
        self.end = self.end.max(span.lo).max(span.hi);
    }

    /// The stand-in, or an empty text if the positions are none of one text.
    pub fn source(&self, file: &str, size_of_text: usize) -> SourceText {
        let blanks = self.blanks(size_of_text).unwrap_or_default();
        SourceText::plain(file, blanks)
    }

    fn blanks(&self, size_of_text: usize) -> Option<Vec<u8>> {
        let end = self.end as usize;
        if end > LARGEST || end > size_of_text.checked_mul(LARGEST_FACTOR)? {
            return None;
        }
        let mut text = vec![b' '; end];
        let (mut last_line, mut last_start) = (1usize, 0usize);
        for (line, start) in &self.lines {
            let (line, start) = (*line as usize, (*start)? as usize);
            let newlines = line.checked_sub(last_line)?;
            let room = start.checked_sub(last_start)?;
            if newlines > room || (newlines == 0 && room > 0) || start > end {
                return None;
            }
            text[start - newlines..start].fill(b'\n');
            (last_line, last_start) = (line, start);
        }
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_survive() {
        let mut positions = Positions::default();
        let at = [(Span::new(4, 5), 1, 5), (Span::new(40, 44), 3, 7), (Span::new(90, 99), 12, 1)];
        for (span, line, column) in at {
            positions.add(span, line, column);
        }
        let source = positions.source("a.c", 100);
        for (span, line, column) in at {
            let position = source.position(span.lo);
            assert_eq!((position.line, position.column), (line, column));
        }
    }

    #[test]
    fn nonsense_gives_no_text() {
        for at in [(Span::new(5, 6), 1, 2), (Span::new(0, 1), 9, 1), (Span::new(4_000_000_000, 4_000_000_001), 2, 1)] {
            let mut positions = Positions::default();
            positions.add(at.0, at.1, at.2);
            assert!(positions.source("a.c", 100).text().is_empty());
        }
    }
}
