//! The names of streams, subjects and consumers, all of them below one namespace.

use tandem_artifact::sha256_hex;

/// Names for one namespace and one release.
#[derive(Clone, Debug)]
pub struct Names {
    namespace: String,
    /// A word for the release: jobs of one are never offered to workers of another.
    release: String,
}

impl Names {
    pub fn new(namespace: &str, release: &str) -> Names {
        Names { namespace: namespace.to_string(), release: sha256_hex(release.as_bytes())[..12].to_string() }
    }

    /// Whether a namespace can be part of subjects and of names of streams.
    pub fn is_namespace(text: &str) -> bool {
        let is_fit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        (1..=40).contains(&text.len()) && text.bytes().all(is_fit)
    }

    pub fn job_stream(&self) -> String {
        format!("{}_JOBS", self.namespace.to_uppercase())
    }

    pub fn result_stream(&self) -> String {
        format!("{}_RESULTS", self.namespace.to_uppercase())
    }

    pub fn text_bucket(&self) -> String {
        format!("{}_TEXTS", self.namespace.to_uppercase())
    }

    pub fn all_jobs(&self) -> String {
        format!("{}.job.>", self.namespace)
    }

    pub fn jobs_of_release(&self) -> String {
        format!("{}.job.{}.>", self.namespace, self.release)
    }

    pub fn jobs_of(&self, run: &str) -> String {
        format!("{}.job.{}.{run}.>", self.namespace, self.release)
    }

    pub fn job(&self, run: &str, job: &str) -> String {
        format!("{}.job.{}.{run}.{job}", self.namespace, self.release)
    }

    /// The consumer that all workers of the release share.
    pub fn consumer(&self) -> String {
        format!("workers-{}", self.release)
    }

    pub fn all_results(&self) -> Vec<String> {
        vec![format!("{}.result.>", self.namespace), self.all_runs()]
    }

    pub fn results_of(&self, run: &str) -> String {
        format!("{}.result.{run}.>", self.namespace)
    }

    pub fn result(&self, run: &str, job: &str) -> String {
        format!("{}.result.{run}.{job}", self.namespace)
    }

    pub fn all_runs(&self) -> String {
        format!("{}.run.>", self.namespace)
    }

    pub fn run(&self, run: &str) -> String {
        format!("{}.run.{run}", self.namespace)
    }

    pub fn all_cancels(&self) -> String {
        format!("{}.cancel.*", self.namespace)
    }

    pub fn cancel(&self, run: &str) -> String {
        format!("{}.cancel.{run}", self.namespace)
    }

    pub fn all_workers(&self) -> String {
        format!("{}.worker.*", self.namespace)
    }

    pub fn worker(&self, worker: &str) -> String {
        format!("{}.worker.{worker}", self.namespace)
    }

    /// Workers answer to this at once.
    pub fn call(&self) -> String {
        format!("{}.call", self.namespace)
    }
}

/// The last word of a subject.
pub fn last(subject: &str) -> &str {
    subject.rsplit('.').next().unwrap_or_default()
}

/// The word before the last one of a subject.
pub fn last_but_one(subject: &str) -> &str {
    subject.rsplit('.').nth(1).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_do_not_meet() {
        let (one, other) = (Names::new("tandem", "1"), Names::new("tandem", "2"));
        assert_ne!(one.job("r", "j"), other.job("r", "j"));
        assert_ne!(one.consumer(), other.consumer());
        assert_eq!((last(&one.job("r", "j")), last_but_one(&one.job("r", "j"))), ("j", "r"));
        assert!(one.job("r", "j").starts_with(one.jobs_of("r").trim_end_matches('>')));
        assert_eq!(one.job_stream(), "TANDEM_JOBS");
    }

    #[test]
    fn namespaces() {
        assert!(Names::is_namespace("tandem-2_x"));
        for wrong in ["", "a.b", "a b", "a>", "*", "\u{e4}"] {
            assert!(!Names::is_namespace(wrong), "{wrong}");
        }
    }
}
