//! Whether a C text still has to go through the preprocessor.

/// Whether the text has a preprocessing directive other than line markers (`# 12 "x"`, `#line`), `#pragma` and
/// `#ident`: anything that `cc -E` would have taken out.
pub fn needs_preprocessor(text: &[u8]) -> bool {
    let mut scanner = Scanner { text, at: 0, line_start: true };
    scanner.finds_directive()
}

struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    /// Whether only white space and comments stand before this byte in its line.
    line_start: bool,
}

impl Scanner<'_> {
    fn finds_directive(&mut self) -> bool {
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'\n' => {
                    self.line_start = true;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'\\' if self.splice(self.at) > 0 => self.at += self.splice(self.at),
                b'/' if self.rest().starts_with(b"/*") => self.skip_block_comment(),
                b'/' if self.rest().starts_with(b"//") => self.skip_line(),
                b'"' | b'\'' => {
                    self.line_start = false;
                    self.skip_literal(byte);
                }
                b'#' if self.line_start => {
                    self.at += 1;
                    if self.is_real_directive() {
                        return true;
                    }
                    self.skip_line();
                }
                b'%' if self.line_start && self.rest().starts_with(b"%:") => return true,
                _ => {
                    self.line_start = false;
                    self.at += 1;
                }
            }
        }
        false
    }

    fn rest(&self) -> &[u8] {
        &self.text[self.at..]
    }

    /// The length of a backslash with the end of line after it, or zero.
    fn splice(&self, at: usize) -> usize {
        match &self.text[at..] {
            [b'\\', b'\n', ..] => 2,
            [b'\\', b'\r', b'\n', ..] => 3,
            _ => 0,
        }
    }

    fn skip_block_comment(&mut self) {
        self.at += 2;
        match self.rest().windows(2).position(|pair| pair == b"*/") {
            Some(end) => self.at += end + 2,
            None => self.at = self.text.len(),
        }
    }

    /// To the end of the logical line, which is left for the caller to see.
    fn skip_line(&mut self) {
        while self.at < self.text.len() && self.text[self.at] != b'\n' {
            self.at += self.splice(self.at).max(1);
        }
    }

    /// A literal ends at its quote or, when it is broken, at the end of the line.
    fn skip_literal(&mut self, quote: u8) {
        self.at += 1;
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'\n' => return,
                b'\\' => self.at += self.splice(self.at).max(2),
                _ if byte == quote => {
                    self.at += 1;
                    return;
                }
                _ => self.at += 1,
            }
        }
        self.at = self.text.len();
    }

    /// Behind the `#`: a name other than those a preprocessor leaves in its output.
    fn is_real_directive(&self) -> bool {
        let rest = self.rest();
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let name = &rest[blanks..];
        let length = name.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        match &name[..length] {
            b"line" | b"pragma" | b"ident" | b"sccs" => false,
            // A lone `#` is nothing; a comment here may hide the name, which only the preprocessor knows.
            [] => name.starts_with(b"/*") || name.starts_with(b"\\"),
            [first, ..] => !first.is_ascii_digit(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_found() {
        for text in [
            "#include <a.h>\n",
            "int x;\n  # define A 1\n",
            "/* c */ #if 0\n",
            "/* a\n b */ #undef X\n",
            "int a; // \"\n#error no\n",
            "char *s = \"a\\\n\";\n#else",
            "'\n#endif\n",
            "\\\n#include \"x\"",
            "%:include <a.h>\n",
            "#/**/define X\n",
        ] {
            assert!(needs_preprocessor(text.as_bytes()), "{text:?}");
        }
    }

    #[test]
    fn markers_and_pragmas_are_no_directives() {
        for text in [
            "",
            "int x;",
            "# 1 \"a.c\" 1 3\nint x;\n#line 7\n#pragma pack(1)\n#ident \"x\"\n#\n",
            "/* \n#include <a.h>\n*/",
            "// \\\n#include <a.h>\n",
            "char *s = \"\\\n#include\";",
            "x #include\n",
            "#pragma a \\\n#include <b>\n",
            "/*",
            "\"",
            "\"\\",
        ] {
            assert!(!needs_preprocessor(text.as_bytes()), "{text:?}");
        }
    }
}
