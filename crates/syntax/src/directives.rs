//! Whether a C text still has to go through the preprocessor.

use crate::scan::{Scanner, Token};

/// Whether the text has a preprocessing directive other than line markers (`# 12 "x"`, `#line`), `#pragma` and
/// `#ident`: anything that `cc -E` would have taken out.
pub fn needs_preprocessor(text: &[u8]) -> bool {
    let mut scanner = Scanner::new(text);
    loop {
        match scanner.next().0 {
            Token::End => return false,
            Token::Directive(line) if is_real_directive(line) => return true,
            Token::Directive(_) | Token::Word(_) | Token::Literal | Token::Punctuation(_) | Token::Stray(_) => {}
        }
    }
}

/// Behind the `#`: a name other than those a preprocessor leaves in its output.
fn is_real_directive(line: &[u8]) -> bool {
    let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let name = &line[blanks..];
    let length = name.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    match &name[..length] {
        b"line" | b"pragma" | b"ident" | b"sccs" => false,
        // A lone `#` is nothing; a comment or a continued line may hide the name, which only the preprocessor knows.
        [] => name.starts_with(b"/*") || name.starts_with(b"\\"),
        [first, ..] => !first.is_ascii_digit(),
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
