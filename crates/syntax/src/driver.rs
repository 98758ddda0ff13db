//! Drives the front end: text to tokens, to the plain tree, to the typed tree, and its messages to problems.
//!
//! Knows nothing of what the tree is used for.

use rucc_base::{Interner, Symbol};
use rucc_diag::{Diagnostic, Severity as Gravity, Span as RawSpan};
use rucc_lex::{Convert, Keywords, PpToken, Punct, TokenFlags, Tokens, convert};
use rucc_pp::Preprocessor;
use rucc_sema::{Checked, Checker};
use rucc_session::{MemoryFileSystem, Options, SearchPath, Session, Std};
use rucc_target::{Arch, Env, Os, TargetInfo, Triple};
use tandem_base::{Problem, Span};

use crate::types::DataModel;

/// More errors than this help nobody.
const MOST_ERRORS: usize = 20;

const STANDARD: Std = Std::C11;

/// gcc takes it with a warning, and so do we: the tree has the conversion.
const TOLERATED: &str = "pointer/integer type mismatch in conditional expression";

/// The code of the parser's message about brackets that are nested too deeply.
const TOO_DEEP: &str = "E0402";

/// The typed tree with everything its ids point into.
pub(crate) struct Tree {
    pub checked: Checked,
    pub names: Interner,
    pub target: TargetInfo,
    /// What the front end counts as the first byte of the text.
    pub base: u32,
}

/// Runs the whole front end over a text that needs no preprocessing. What stands in the prelude is declared before it and has
/// no place in the text.
pub(crate) fn run(file: &str, prelude: &str, text: &[u8], model: DataModel) -> (Option<Tree>, Vec<Problem>) {
    let mut session = Session::new(options(model));
    let keywords = Keywords::new(&mut session.interner, STANDARD, true).x86(true);
    let mut messages = Messages { base: 0, length: text.len() as u32, problems: Vec::new(), hopeless: false };
    // The lexer fails on a backslash and an end of line right at the end of the text.
    let mut bytes = Vec::with_capacity(prelude.len() + text.len() + 2);
    bytes.extend_from_slice(prelude.as_bytes());
    bytes.extend_from_slice(text);
    // Two: the lexer never ends on a comment whose last line is spliced onto nothing.
    bytes.extend_from_slice(b"\n\n");
    let Ok(id) = session.sources.add(file, bytes) else {
        messages.problems.push(Problem::error(Span::NONE, "the text is too large: it must be under 4 GB"));
        return (None, messages.problems);
    };
    messages.base = session.sources.file(id).start + prelude.len() as u32;

    let tokens = tokens(&mut session, id, &keywords, &mut messages);
    let type_names: Vec<Symbol> =
        session.target.type_names().iter().filter_map(|(name, _)| session.interner.find(name)).collect();
    let context = rucc_parse::Context {
        gnu: true,
        error_limit: MOST_ERRORS,
        type_names: &type_names,
        ..rucc_parse::Context::new(&session.interner, STANDARD)
    };
    let parsed = rucc_parse::parse(&tokens, context);
    drop(tokens);
    messages.take(parsed.diagnostics);
    if messages.hopeless {
        return (None, messages.problems);
    }

    let context = rucc_sema::Context {
        permissive: true,
        builtins: false,
        error_limit: MOST_ERRORS,
        ..rucc_sema::Context::new(&session.interner, &session.target, STANDARD)
    };
    let mut checker = Checker::new(&parsed.ast, context);
    checker.check_unit();
    let mut checked = checker.finish();
    messages.take(std::mem::take(&mut checked.diagnostics));
    for asm in checked.tast.file_asms() {
        messages.problems.push(Problem::warning(messages.span(asm.span), "assembler at file scope is ignored"));
    }
    let tree = Tree { checked, names: session.interner, target: session.target, base: messages.base };
    (Some(tree), messages.problems)
}

/// The tree of an empty text.
pub(crate) fn empty(model: DataModel) -> Tree {
    let session = Session::new(options(model));
    let ast = rucc_ast::Ast::new();
    let context = rucc_sema::Context::new(&session.interner, &session.target, STANDARD);
    let checked = Checker::new(&ast, context).finish();
    Tree { checked, names: session.interner, target: session.target, base: 0 }
}

fn options(model: DataModel) -> Options {
    let arch = match model {
        DataModel::Ilp32 => Arch::X86,
        DataModel::Lp64 => Arch::X86_64,
    };
    let mut options = Options::new(Triple::new(arch, Os::Linux, Env::Gnu));
    options.std = STANDARD;
    options.gnu_extensions = true;
    options.permissive = true;
    options.builtins = false;
    options
}

fn tokens(session: &mut Session, file: rucc_diag::FileId, keywords: &Keywords, messages: &mut Messages) -> Tokens {
    let files = MemoryFileSystem::new();
    let search = SearchPath::new();
    let mut preprocessor = Preprocessor::new();
    let mut context = rucc_pp::Context::new(&mut session.interner, &mut session.sources, &files, &search);
    let raw = preprocessor.run(file, &mut context);
    messages.take(preprocessor.take_diagnostics());
    let mut raw: Vec<PpToken> = raw.into_iter().map(rucc_pp::Tok::to_pp).collect();
    drop_builtin_declarations(&mut raw, &session.interner);
    let (tokens, diagnostics) = convert(
        &raw,
        &Convert {
            keywords,
            interner: &session.interner,
            target: &session.target,
            std: STANDARD,
            gnu: true,
            pedantic: false,
        },
    );
    messages.take(diagnostics);
    tokens
}

/// Takes out declarations at file scope of what the front end has as keywords: `void __builtin_va_end(...);`
fn drop_builtin_declarations(tokens: &mut Vec<PpToken>, names: &Interner) {
    let known = ["__builtin_va_end", "__builtin_va_copy", "__builtin_va_start"];
    let known: Vec<Symbol> = known.iter().filter_map(|name| names.find(name)).collect();
    let mut kept = 0;
    let mut start = 0;
    let mut depth = 0_i64;
    let mut drop = false;
    let mut pragma = false;
    for index in 0..tokens.len() {
        let token = tokens[index];
        tokens[kept] = token;
        kept += 1;
        if token.flags.has(TokenFlags::START_OF_LINE) {
            pragma = token.punct() == Some(Punct::Hash);
        }
        match token.punct() {
            _ if pragma => start = kept,
            Some(Punct::LParen | Punct::LBrace | Punct::LBracket) => depth += 1,
            Some(Punct::RParen | Punct::RBrace | Punct::RBracket) => depth -= 1,
            None if depth == 0 => drop |= token.value.is_some_and(|name| known.contains(&name)),
            _ => {}
        }
        if depth <= 0 && matches!(token.punct(), Some(Punct::Semi | Punct::RBrace)) {
            if std::mem::take(&mut drop) {
                kept = start;
            }
            start = kept;
        }
    }
    tokens.truncate(kept);
}

/// Collects the messages of all phases as problems.
struct Messages {
    base: u32,
    length: u32,
    problems: Vec<Problem>,
    /// Nothing that comes later is worth telling.
    hopeless: bool,
}

impl Messages {
    /// Keeps the errors; the many style warnings of a C compiler are of no use here.
    fn take(&mut self, diagnostics: Vec<Diagnostic>) {
        for diagnostic in diagnostics {
            if self.problems.len() >= MOST_ERRORS {
                return;
            }
            let span = self.span(diagnostic.span);
            if diagnostic.code == Some(TOO_DEEP) {
                // What else the parser says about such a text only follows from this.
                let problem = Problem::error(span, format!("nested too deeply: {}", diagnostic.message));
                self.problems = vec![problem.help("split the expression or statement here")];
                self.hopeless = true;
                return;
            }
            match diagnostic.severity {
                Gravity::Note | Gravity::Help | Gravity::Warning => {}
                Gravity::Error | Gravity::Ice if diagnostic.message == TOLERATED => {
                    self.problems.push(Problem::warning(span, diagnostic.message));
                }
                Gravity::Error | Gravity::Ice => {
                    let help = advice(&diagnostic);
                    let problem = Problem::error(span, diagnostic.message);
                    self.problems.push(match help {
                        Some(help) => problem.help(help),
                        None => problem,
                    });
                }
            }
        }
    }

    fn span(&self, span: RawSpan) -> Span {
        raw_span(span, self.base, self.length)
    }
}

/// The note or suggestion that the front end gave with an error.
fn advice(diagnostic: &Diagnostic) -> Option<String> {
    let children = &diagnostic.children;
    let help = children.iter().find(|child| child.severity == Gravity::Help);
    Some(help.or(children.first())?.message.clone())
}

/// A span of the front end as offsets into our text, cut at its end.
pub(crate) fn raw_span(span: RawSpan, base: u32, length: u32) -> Span {
    if span.is_dummy() || span.lo < base {
        return Span::NONE;
    }
    let lo = (span.lo - base).min(length);
    Span::new(lo, (span.hi - base).clamp(lo, length))
}
