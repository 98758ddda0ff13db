//! The C texts of the models. Each stands alone: it declares what it calls, which are only names of the table, so any
//! selection of them can follow a program's own text. They use no preprocessor and mean the same in both data models.

/// All models; each begins with a line `//= name`.
const MODELS: &str = include_str!("models.c");

/// The text of one model function, by the name that [`lookup`](super::lookup) gives.
pub fn source_of(name: &str) -> Option<&'static str> {
    let mut from = 0;
    while let Some(found) = MODELS[from..].find(name) {
        let at = from + found;
        let end = at + name.len();
        if MODELS[..at].ends_with("//= ") && MODELS[end..].starts_with('\n') {
            let body = &MODELS[end + 1..];
            return Some(body.find("//= ").map_or(body, |next| &body[..next]));
        }
        from = end;
    }
    None
}

/// The names of all model functions.
pub fn model_names() -> impl Iterator<Item = &'static str> {
    MODELS.lines().filter_map(|line| line.strip_prefix("//= "))
}
