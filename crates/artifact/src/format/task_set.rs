//! Task sets (`.set`): one pattern of task definitions per line; empty lines and lines that begin with `#` do not count.

use tandem_base::Span;

/// The patterns, as written (relative to the set's own file), and where each stands.
pub fn read(text: &str) -> Vec<(String, Span)> {
    let mut patterns = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let pattern = line.trim();
        if !pattern.is_empty() && !pattern.starts_with('#') {
            let start = at + (line.len() - line.trim_start().len());
            patterns.push((pattern.to_string(), Span::new(start as u32, (start + pattern.len()) as u32)));
        }
        at += line.len();
    }
    patterns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_without_comments() {
        let text = "# loops\nloops/*.yml\r\n\n  a/b.yml";
        let patterns = read(text);
        let names: Vec<&str> = patterns.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["loops/*.yml", "a/b.yml"]);
        let span = patterns[1].1;
        assert_eq!(&text[span.lo as usize..span.hi as usize], "a/b.yml");
    }
}
