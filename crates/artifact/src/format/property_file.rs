//! Property files (`.prp`) of SV-COMP and Test-Comp, for example
//! `CHECK( init(main()), LTL(G ! call(reach_error())) )` and `COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )`.

use tandem_base::{Problem, Span};

use crate::{ErrorCall, Goals, Property};

const ACCEPTED: &str =
    "accepted are `CHECK( init(main()), LTL(G ! call(NAME())) )` and `COVER( init(main()), FQL(QUERY) )`";

/// Reads a property file: one property, white space is free.
pub fn read(text: &str) -> Result<Property, Problem> {
    let mut scanner = Scanner { text, at: 0 };
    let property = match scanner.word() {
        "CHECK" => check(&mut scanner)?,
        "COVER" => cover(&mut scanner)?,
        _ => return Err(scanner.problem("a property begins with CHECK or COVER")),
    };
    scanner.skip_space();
    if scanner.at < text.len() {
        return Err(scanner.problem("only one property per file is supported"));
    }
    Ok(property)
}

/// Writes a property as a property file, without a line end.
pub fn write(property: &Property) -> String {
    let function = |call: &ErrorCall| call.functions()[0].to_string();
    match property {
        Property::Unreachable(call) => format!("CHECK( init(main()), LTL(G ! call({}())) )", function(call)),
        Property::Cover(goals) => {
            let query = match goals {
                Goals::Branches => "COVER EDGES(@DECISIONEDGE)".to_string(),
                Goals::Conditions => "COVER EDGES(@CONDITIONEDGE)".to_string(),
                Goals::Statements => "COVER EDGES(@BASICBLOCKENTRY)".to_string(),
                Goals::ErrorCall(call) => format!("COVER EDGES(@CALL({}))", function(call)),
                Goals::Query(query) => query.to_string(),
            };
            format!("COVER( init(main()), FQL({query}) )")
        }
    }
}

fn check(scanner: &mut Scanner) -> Result<Property, Problem> {
    scanner.expect_all(&["(", "init", "(", "main", "(", ")", ")", ",", "LTL", "("])?;
    if !scanner.accept("G") {
        return Err(scanner.problem("only the unreachability of a call is supported"));
    }
    scanner.expect_all(&["!", "call", "("])?;
    let name = scanner.word();
    if name.is_empty() {
        return Err(scanner.problem("the name of the error function is missing"));
    }
    scanner.expect_all(&["(", ")", ")", ")", ")"])?;
    Ok(Property::Unreachable(ErrorCall::Function(name.into())))
}

fn cover(scanner: &mut Scanner) -> Result<Property, Problem> {
    scanner.expect_all(&["(", "init", "(", "main", "(", ")", ")", ",", "FQL", "("])?;
    let query = scanner.until_closing()?;
    scanner.expect_all(&[")", ")"])?;
    Ok(Property::Cover(goals(query)))
}

fn goals(query: &str) -> Goals {
    let compact: String = query.split_whitespace().collect();
    match compact.as_str() {
        "COVEREDGES(@DECISIONEDGE)" => Goals::Branches,
        "COVEREDGES(@CONDITIONEDGE)" => Goals::Conditions,
        "COVEREDGES(@BASICBLOCKENTRY)" => Goals::Statements,
        _ => match compact.strip_prefix("COVEREDGES(@CALL(").and_then(|rest| rest.strip_suffix("))")) {
            Some(name) if !name.is_empty() && name.bytes().all(is_word) => {
                Goals::ErrorCall(ErrorCall::Function(name.into()))
            }
            _ => Goals::Query(query.trim().into()),
        },
    }
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn word(&mut self) -> &'a str {
        self.skip_space();
        let rest = &self.text[self.at..];
        let word = &rest[..rest.bytes().take_while(|b| is_word(*b)).count()];
        self.at += word.len();
        word
    }

    fn accept(&mut self, token: &str) -> bool {
        self.skip_space();
        let matches = self.text[self.at..].starts_with(token);
        if matches {
            self.at += token.len();
        }
        matches
    }

    fn expect_all(&mut self, tokens: &[&str]) -> Result<(), Problem> {
        for token in tokens {
            if !self.accept(token) {
                return Err(self.problem(&format!("expected `{token}` here")));
            }
        }
        Ok(())
    }

    /// Everything up to the parenthesis that closes the one just opened.
    fn until_closing(&mut self) -> Result<&'a str, Problem> {
        let mut depth = 0usize;
        let rest = &self.text[self.at..];
        for (offset, byte) in rest.bytes().enumerate() {
            match byte {
                b'(' => depth += 1,
                b')' if depth == 0 => {
                    self.at += offset;
                    return Ok(&rest[..offset]);
                }
                b')' => depth -= 1,
                _ => {}
            }
        }
        self.at = self.text.len();
        Err(self.problem("a closing parenthesis is missing"))
    }

    fn problem(&self, message: &str) -> Problem {
        Problem::error(Span::new(self.at as u32, self.at as u32 + 1), message).help(ACCEPTED)
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_error_function() {
        let text = "CHECK( init(main()), LTL(G ! call(__VERIFIER_error())) )\n\n";
        let property = read(text).unwrap();
        assert_eq!(property, Property::Unreachable(ErrorCall::Function("__VERIFIER_error".into())));
        assert_eq!(write(&property), text.trim_end());
        assert!(!property.error_call().includes_assert());
    }

    #[test]
    fn reads_coverage_criteria() {
        let read_goals = |fql: &str| match read(&format!("COVER( init(main()), FQL({fql}) )")).unwrap() {
            Property::Cover(goals) => goals,
            Property::Unreachable(_) => panic!("not a coverage property"),
        };
        assert_eq!(read_goals("COVER EDGES(@DECISIONEDGE)"), Goals::Branches);
        assert_eq!(read_goals("COVER  EDGES( @BASICBLOCKENTRY )"), Goals::Statements);
        assert_eq!(read_goals("COVER EDGES(@CALL(f))"), Goals::ErrorCall(ErrorCall::Function("f".into())));
        assert_eq!(read_goals("COVER NODES(ID)"), Goals::Query("COVER NODES(ID)".into()));
    }

    #[test]
    fn every_name_is_known() {
        assert!(Property::NAMES.iter().all(|name| Property::named(name).is_some()));
        assert_eq!(Property::named("termination"), None);
    }

    #[test]
    fn problems_have_a_place_and_say_what_is_accepted() {
        for (text, at, message) in [
            ("", 0, "begins with CHECK or COVER"),
            ("CHECK( init(main()), LTL(F end) )", 25, "only the unreachability"),
            ("CHECK( init(main()), LTL(G valid-free) )", 27, "expected `!`"),
            ("CHECK( init(f()), LTL(G ! call(g())) )", 12, "expected `main`"),
            ("COVER( init(main()), FQL(COVER EDGES(X) ", 40, "closing parenthesis"),
            ("CHECK( init(main()), LTL(G ! call(g())) ) CHECK", 42, "only one property"),
        ] {
            let problem = read(text).unwrap_err();
            assert!(problem.message.contains(message), "{text}: {}", problem.message);
            assert_eq!(problem.span.lo, at, "{text}");
            assert!(problem.help.unwrap().contains("CHECK( init(main())"));
        }
    }
}
