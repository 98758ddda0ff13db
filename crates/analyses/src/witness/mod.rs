//! Verdicts as witnesses: what an analysis found out, in the two formats that others read. Pure functions; which files exist
//! is for the caller to know.

mod automaton;
mod path;
mod sequence;

use tandem_artifact::{AutomatonKind, Producer, ProgramIdentity, Verdict, Witness, WitnessAutomaton, WitnessTask};

use crate::{Outcome, Task};

/// What a witness says about the file, the property and its making.
pub struct About<'a> {
    /// The name of the file, as the user gave it.
    pub file: &'a str,
    /// What is in it.
    pub text: &'a [u8],
    pub identity: &'a ProgramIdentity,
    /// The text of the property.
    pub specification: &'a str,
    pub producer: &'a str,
    pub version: &'a str,
    /// What a reader should know about the verdict. No part of the claim.
    pub description: Option<&'a str>,
    /// Since the epoch.
    pub seconds: u64,
}

impl About<'_> {
    /// The identity of the program first, where a reader of the witness looks for it.
    fn in_words(&self) -> String {
        match self.description {
            Some(description) => format!("{}\n{description}", self.identity.in_words()),
            None => self.identity.in_words(),
        }
    }

    fn witness(&self, task: Task<'_>, outcome: &Outcome, content: tandem_artifact::WitnessContent) -> Witness {
        let producer = Producer {
            name: self.producer.to_string(),
            version: self.version.to_string(),
            configuration: Some(outcome.analysis.clone()),
            description: Some(self.in_words()),
            ..Producer::default()
        };
        let about = WitnessTask::new(&[(self.file, self.text)], self.specification, task.program.model());
        Witness::new(producer, about, self.seconds, content)
    }

    fn metadata(&self, task: Task<'_>, kind: AutomatonKind) -> tandem_artifact::AutomatonMetadata {
        let producer = format!("{} {}", self.producer, self.version);
        tandem_artifact::AutomatonMetadata::new(
            kind,
            &producer,
            (self.file, self.text),
            self.specification,
            task.program.model(),
            self.seconds,
        )
        .with_identity(self.identity)
    }
}

/// The witnesses for a verdict, if it can have one: of format 2.0 and of format 1.0.
pub fn witnesses(task: Task<'_>, outcome: &Outcome, about: &About<'_>) -> Option<(Witness, WitnessAutomaton)> {
    match (&outcome.verdict, &outcome.violation) {
        (Verdict::True, _) => {
            let content = sequence::correctness(task.program, &outcome.invariants, about.file);
            let metadata = about.metadata(task, AutomatonKind::Correctness);
            let automaton = automaton::correctness(task.program, &outcome.invariants, metadata);
            Some((about.witness(task, outcome, content), automaton))
        }
        (Verdict::False, Some(violation)) => {
            let path = path::path(task.program, &violation.run)?;
            let content = sequence::violation(task.program, &path, about.file);
            let metadata = about.metadata(task, AutomatonKind::Violation);
            let automaton = automaton::violation(task.program, &path, metadata);
            Some((about.witness(task, outcome, content), automaton))
        }
        (Verdict::False, None) | (Verdict::Unknown(_), _) => None,
    }
}
