//! What a server or the client library complains about, as one message with a way out.

use std::error::Error;

use tandem_coop::queue::Trouble;

/// The whole chain of what went wrong, on one line.
pub fn words(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        let said = inner.to_string();
        if !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        source = inner.source();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether trying again may help: the server was not there, or did not answer.
pub fn is_passing(text: &str) -> bool {
    const PASSING: [&str; 11] = [
        "timed out",
        "timeout",
        "broken pipe",
        "no responders",
        "not found: no response",
        "system temporarily unavailable",
        "temporarily",
        "no suitable peers",
        "leadership",
        "request error",
        "stream not found",
    ];
    let text = text.to_lowercase();
    !is_full(&text) && PASSING.iter().any(|part| text.contains(part))
}

fn is_full(text: &str) -> bool {
    const FULL: [&str; 6] = [
        "no space left",
        "insufficient resources",
        "insufficient storage",
        "resources exceeded",
        "maximum bytes exceeded",
        "disk quota",
    ];
    FULL.iter().any(|part| text.contains(part))
}

/// The message for something that the server at `url` refused or could not do.
pub fn explain(url: &str, what: &str, text: &str) -> Trouble {
    let lower = text.to_lowercase();
    if is_full(&lower) {
        return Trouble::new(
            format!("{url}: the server has no space left for {what}: {text}"),
            "more disk for the server, or a larger `max_file_store` in its configuration",
        );
    }
    if lower.contains("permissions violation") || lower.contains("authorization") {
        return Trouble::new(
            format!("{url}: the server does not allow {what}: {text}"),
            "credentials (--creds FILE) of a user who may use JetStream",
        );
    }
    if is_passing(text) {
        return Trouble::new(
            format!("{url}: the server does not answer ({what}: {text})"),
            "a NATS server that runs and can be reached; what is done is kept: the same command goes on from there",
        );
    }
    Trouble::new(format!("{url}: {what} failed: {text}"), "nats-server 2.9 or newer with JetStream; its log says more")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_no_reason_to_try_again() {
        let text = "jetstream error: insufficient storage resources available (code 500, error code 10047)";
        assert!(!is_passing(text));
        assert!(explain("nats://x", "a job", text).message.contains("no space left"));
        assert!(is_passing("request timed out") && !is_passing("bad request"));
    }
}
