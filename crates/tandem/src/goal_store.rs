//! What is known about the goals of queries, on disk from run to run (`--store DIR`).
//!
//! Proofs are about one program, data model, query and version of this program, and count for nothing else. Tests and predicates are worth
//! trying on another version of the program: tests are replayed, predicates are hints. A file that is not as it was written is refused.

use std::path::{Path, PathBuf};

use redb::{Database, ReadableTable, TableDefinition};
use serde_json::{Value, json};
use tandem_artifact::fql::{Query, Semantics};
use tandem_artifact::{Invariant, sha256_hex};
use tandem_cfa::Program;
use tandem_cfa::exec::Input as Taken;
use tandem_coop::multigoal::{GoalBoard, GoalStatus, Known};

use crate::input::Input;
use crate::message::Failure;

/// By a hash of what an entry is about.
const ENTRIES: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("goals");
const FILE: &str = "goals.redb";
/// Tests that are taken over at most.
const MOST_TESTS: usize = 5_000;

/// What an entry is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct About {
    file: String,
    program: String,
    data_model: String,
    query: String,
    version: &'static str,
}

impl About {
    pub fn new(input: &Input, query: &Query, semantics: Semantics) -> About {
        let file = Path::new(input.source.file()).file_name().map(|name| name.to_string_lossy().into_owned());
        About {
            file: file.unwrap_or_default(),
            program: sha256_hex(&input.original),
            data_model: format!("{:?}", input.model),
            query: format!("{semantics:?}: {query}"),
            version: env!("CARGO_PKG_VERSION"),
        }
    }

    fn key(&self) -> String {
        let parts = [&self.program, &self.data_model, &self.query, self.version];
        sha256_hex(parts.join("\n").as_bytes())
    }

    fn to_json(&self) -> Value {
        json!({
            "file": self.file, "program": self.program, "data_model": self.data_model, "query": self.query,
            "version": self.version,
        })
    }
}

/// A place of the source that other versions of a program may have, too: the loop of this number in the function of this name.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Predicate {
    function: String,
    number: u64,
    value: String,
}

/// What was found on disk.
#[derive(Debug, Default)]
pub struct Recalled {
    pub known: Known,
    predicates: Vec<Predicate>,
    /// Whether the proofs are about this very program and query.
    pub is_same: bool,
}

impl Recalled {
    /// The predicates, where the program has such loops.
    pub fn predicates(&self, program: &Program) -> Vec<Invariant> {
        let place = |predicate: &Predicate| {
            let named = program.functions.enumerate().find(|(_, function)| *function.name == *predicate.function);
            let (function, content) = named?;
            let statement = content.body.as_ref()?.loops.get(usize::try_from(predicate.number).ok()?)?;
            Some(Invariant { function, at: statement.span, value: predicate.value.clone() })
        };
        self.predicates.iter().filter_map(place).collect()
    }
}

pub struct GoalStore {
    path: PathBuf,
    database: Database,
    about: About,
}

impl GoalStore {
    pub fn open(directory: &Path, about: About) -> Result<GoalStore, Failure> {
        crate::output::prepare(directory)?;
        let path = directory.join(FILE);
        let opened = std::panic::catch_unwind(|| {
            let mut database = Database::create(&path).map_err(|error| error.to_string())?;
            match database.check_integrity() {
                Ok(true) => Ok(database),
                Ok(false) => Err("its content is not what was written".to_string()),
                Err(error) => Err(error.to_string()),
            }
        });
        let opened = opened.unwrap_or_else(|_| Err("it cannot be read".to_string()));
        let database = opened.map_err(|error| refused(&path, &error))?;
        Ok(GoalStore { path, database, about })
    }

    /// What is known about the program and query, and about other versions of it.
    pub fn recall(&self) -> Result<Recalled, Failure> {
        let broken = |error: &dyn std::fmt::Display| refused(&self.path, &error.to_string());
        let transaction = self.database.begin_read().map_err(|error| broken(&error))?;
        let table = match transaction.open_table(ENTRIES) {
            Ok(table) => table,
            Err(redb::TableError::TableDoesNotExist(_)) => return Ok(Recalled::default()),
            Err(error) => return Err(broken(&error)),
        };
        let mut recalled = Recalled::default();
        for entry in table.iter().map_err(|error| broken(&error))? {
            let (key, value) = entry.map_err(|error| broken(&error))?;
            let content = opened(value.value()).ok_or_else(|| broken(&"an entry is not what was written"))?;
            self.take(key.value(), &content, &mut recalled).ok_or_else(|| broken(&"an entry cannot be read"))?;
        }
        recalled.known.tests.truncate(MOST_TESTS);
        Ok(recalled)
    }

    /// Nothing if the entry is not as it should be.
    fn take(&self, key: &str, content: &Value, recalled: &mut Recalled) -> Option<()> {
        let is_same = key == self.about.key();
        if !is_same && content["about"]["file"].as_str()? != self.about.file {
            return Some(());
        }
        for test in content["tests"].as_array()? {
            let values = test.as_array()?.iter().map(|value| u128::from_str_radix(value.as_str()?, 16).ok());
            recalled.known.tests.push(values.collect::<Option<_>>()?);
        }
        for predicate in content["predicates"].as_array()? {
            recalled.predicates.push(Predicate {
                function: predicate["function"].as_str()?.to_string(),
                number: predicate["loop"].as_u64()?,
                value: predicate["value"].as_str()?.to_string(),
            });
        }
        if is_same && content["about"] == self.about.to_json() {
            recalled.is_same = true;
            for range in content["infeasible"].as_array()? {
                let (from, to) = (range.get(0)?.as_u64()?, range.get(1)?.as_u64()?);
                recalled.known.infeasible.push(from..to);
            }
        }
        Some(())
    }

    /// Keeps what is known now.
    pub fn keep(
        &self,
        program: &Program,
        board: &GoalBoard,
        tests: &[usize],
        predicates: &[Invariant],
    ) -> Result<(), Failure> {
        let inputs = |inputs: &[Taken]| -> Value { inputs.iter().map(|input| format!("{:x}", input.bits)).collect() };
        let predicate = |invariant: &Invariant| {
            let function = &program.functions[invariant.function];
            let loops = &function.body.as_ref()?.loops;
            let number = loops.iter().position(|statement| statement.span == invariant.at)?;
            Some(json!({ "function": &*function.name, "loop": number, "value": invariant.value }))
        };
        let content = json!({
            "about": self.about.to_json(),
            "goals": board.goals(),
            "infeasible": infeasible(board),
            "tests": tests.iter().map(|test| inputs(&board.tests[*test].inputs)).collect::<Vec<Value>>(),
            "predicates": predicates.iter().filter_map(predicate).collect::<Vec<Value>>(),
        });
        let sealed = sealed(content.to_string().as_bytes());
        let write = || -> Result<(), Box<dyn std::error::Error>> {
            let transaction = self.database.begin_write()?;
            transaction.open_table(ENTRIES)?.insert(self.about.key().as_str(), sealed.as_slice())?;
            transaction.commit()?;
            Ok(())
        };
        write().map_err(|error| {
            let name = self.path.display().to_string();
            Failure::file(&name, format!("cannot write: {error}"), "--store takes a directory that can be written")
        })
    }
}

/// The goals that no run covers, as ranges.
fn infeasible(board: &GoalBoard) -> Vec<[u64; 2]> {
    let mut ranges: Vec<[u64; 2]> = Vec::new();
    for goal in (0..board.goals()).filter(|goal| matches!(board.status(*goal), GoalStatus::Infeasible(_))) {
        match ranges.last_mut() {
            Some([_, end]) if *end == goal => *end += 1,
            _ => ranges.push([goal, goal + 1]),
        }
    }
    ranges
}

/// The content behind its hash.
fn sealed(content: &[u8]) -> Vec<u8> {
    [sha256_hex(content).as_bytes(), content].concat()
}

fn opened(sealed: &[u8]) -> Option<Value> {
    let (hash, content) = sealed.split_at_checked(64)?;
    (sha256_hex(content).as_bytes() == hash).then(|| serde_json::from_slice(content).ok())?
}

fn refused(path: &Path, why: &str) -> Failure {
    let help = "a store that this program has written; remove the file to begin anew";
    Failure::file(&path.display().to_string(), format!("the store cannot be used: {why}"), help)
}
