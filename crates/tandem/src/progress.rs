//! The live line on a terminal's standard error. Says how long the work has gone on; knows nothing about the work.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A line with the seconds so far and what is done; nothing if standard error is no terminal or the user wants it quiet.
pub fn line(what: &str, quiet: bool) -> Option<ProgressBar> {
    if quiet || !std::io::stderr().is_terminal() {
        return None;
    }
    let style = ProgressStyle::with_template("{spinner} {elapsed} {msg}").ok()?;
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_style(style);
    bar.set_message(what.to_string());
    bar.enable_steady_tick(Duration::from_millis(100));
    Some(bar)
}
