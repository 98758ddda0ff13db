//! What is known about the goals of queries, on disk from run to run (`--store DIR`).
//!
//! Proofs are about one program (its identity: text, data model, options), query and version of this program, and count for nothing else. Tests and predicates are worth
//! trying on another version of the program: tests are replayed, predicates are hints. A file that is not as it was written is refused.
//!
//! Several processes may use one store at the same time: each reads and writes it under a lock on a file beside it, and what it adds is
//! merged with what the others have added since it began.

use std::fs::File;
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};
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
/// The hash of the file, and that of the one before it.
const HASHES: &str = "goals.sha256";
/// Held by those who read or write the two others.
const LOCK: &str = "goals.lock";
/// Tests that are taken over at most.
const MOST_TESTS: usize = 5_000;

/// Whatever the database complains about.
type Broken = Box<dyn std::error::Error>;

/// What an entry is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct About {
    file: String,
    /// The identity of the program.
    program: String,
    query: String,
    version: &'static str,
}

impl About {
    pub fn new(input: &Input, query: &Query, semantics: Semantics) -> About {
        let file = Path::new(input.source.file()).file_name().map(|name| name.to_string_lossy().into_owned());
        About {
            file: file.unwrap_or_default(),
            program: input.identity.hash(),
            query: format!("{semantics:?}: {query}"),
            version: env!("CARGO_PKG_VERSION"),
        }
    }

    fn key(&self) -> String {
        let parts = [&self.program, &self.query, self.version];
        sha256_hex(parts.join("\n").as_bytes())
    }

    fn to_json(&self) -> Value {
        json!({
            "file": self.file, "program": self.program, "query": self.query, "version": self.version,
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

/// A directory with a store. The file is checked against the hash beside it before anything reads it, and only copies of it are ever opened: a run that is
/// killed leaves it as it was.
pub struct GoalStore {
    directory: PathBuf,
    about: About,
}

impl GoalStore {
    /// Refuses a file that is not as it was written.
    pub fn open(directory: &Path, about: About) -> Result<GoalStore, Failure> {
        crate::output::prepare(directory)?;
        let store = GoalStore { directory: directory.to_path_buf(), about };
        let _lock = store.lock()?;
        store.content()?;
        Ok(store)
    }

    /// Keeps all other processes away from the store until the file is closed.
    fn lock(&self) -> Result<Flock<File>, Failure> {
        let path = self.directory.join(LOCK);
        let complain = |error: std::io::Error| {
            let help = "--store takes a directory that can be written";
            Failure::file(&path.display().to_string(), format!("cannot be locked: {error}"), help)
        };
        let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(complain)?;
        Flock::lock(file, FlockArg::LockExclusive).map_err(|(_, error)| complain(error.into()))
    }

    fn path(&self) -> PathBuf {
        self.directory.join(FILE)
    }

    /// The file as it is, if there is one.
    fn content(&self) -> Result<Option<Vec<u8>>, Failure> {
        let path = self.path();
        let content = match std::fs::read(&path) {
            Ok(content) => content,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(refused(&path, &error.to_string())),
        };
        // Two hashes while a new file takes the place of an old one.
        let hashes = std::fs::read_to_string(self.directory.join(HASHES)).unwrap_or_default();
        match hashes.lines().any(|hash| hash == sha256_hex(&content)) {
            true => Ok(Some(content)),
            false => Err(refused(&path, "its content is not what was written")),
        }
    }

    /// Works on a copy of the database; gives back what came of it, and the copy as it is then.
    fn on_copy<T>(&self, work: impl FnOnce(&Database) -> Result<T, Broken>) -> Result<(T, Vec<u8>), Failure> {
        let path = self.path();
        let broken = |error: String| refused(&path, &error);
        let copy = self.directory.join(format!(".{FILE}.{}", std::process::id()));
        // What a killed run with the same number left.
        let _ = std::fs::remove_file(&copy);
        if let Some(content) = self.content()? {
            std::fs::write(&copy, content).map_err(|error| broken(error.to_string()))?;
        }
        let worked = Database::create(&copy).map_err(Broken::from).and_then(|database| work(&database));
        let content = std::fs::read(&copy);
        let _ = std::fs::remove_file(&copy);
        let worked = worked.map_err(|error| broken(error.to_string()))?;
        Ok((worked, content.map_err(|error| broken(error.to_string()))?))
    }

    /// What is known about the program and query, and about other versions of it.
    pub fn recall(&self) -> Result<Recalled, Failure> {
        let _lock = self.lock()?;
        if self.content()?.is_none() {
            return Ok(Recalled::default());
        }
        let read = |database: &Database| -> Result<Vec<(String, Vec<u8>)>, Broken> {
            let table = match database.begin_read()?.open_table(ENTRIES) {
                Ok(table) => table,
                Err(redb::TableError::TableDoesNotExist(_)) => return Ok(Vec::new()),
                Err(error) => return Err(error.into()),
            };
            let mut entries = Vec::new();
            for entry in table.iter()? {
                let (key, value) = entry?;
                entries.push((key.value().to_string(), value.value().to_vec()));
            }
            Ok(entries)
        };
        let (entries, _) = self.on_copy(read)?;
        let mut recalled = Recalled::default();
        let path = self.path();
        for (key, value) in entries {
            let content = opened(&value).ok_or_else(|| refused(&path, "an entry is not what was written"))?;
            self.take(&key, &content, &mut recalled).ok_or_else(|| refused(&path, "an entry cannot be read"))?;
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
        let key = self.about.key();
        let write = |database: &Database| -> Result<(), Broken> {
            let transaction = database.begin_write()?;
            {
                let mut table = transaction.open_table(ENTRIES)?;
                let before = match table.get(key.as_str())? {
                    Some(entry) => Some(opened(entry.value()).ok_or("an entry is not what was written")?),
                    None => None,
                };
                let merged = before.map_or(content.clone(), |before| merged(&before, &content));
                table.insert(key.as_str(), sealed(merged.to_string().as_bytes()).as_slice())?;
            }
            transaction.commit()?;
            Ok(())
        };
        let _lock = self.lock()?;
        let ((), content) = self.on_copy(write)?;
        let before = std::fs::read_to_string(self.directory.join(HASHES)).unwrap_or_default();
        let hashes = format!("{}\n{}\n", sha256_hex(&content), before.lines().next().unwrap_or_default());
        crate::output::write_file(&self.directory, HASHES, &hashes)?;
        let path = self.path();
        let fresh = self.directory.join(format!(".{FILE}.{}", std::process::id()));
        let moved = std::fs::write(&fresh, content).and_then(|()| std::fs::rename(&fresh, &path));
        moved.map_err(|error| {
            let name = path.display().to_string();
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

/// What two processes know about the same program and query: all of it. An entry that counts other goals is not one of this version.
fn merged(before: &Value, now: &Value) -> Value {
    if before["about"] != now["about"] || before["goals"] != now["goals"] {
        return now.clone();
    }
    let mut all = now.clone();
    for key in ["tests", "predicates"] {
        let mut values = now[key].as_array().cloned().unwrap_or_default();
        for value in before[key].as_array().into_iter().flatten() {
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
        all[key] = Value::Array(values);
    }
    let ranges = |value: &Value| -> Vec<[u64; 2]> {
        let range = |range: &Value| Some([range.get(0)?.as_u64()?, range.get(1)?.as_u64()?]);
        value["infeasible"].as_array().into_iter().flatten().filter_map(range).collect()
    };
    all["infeasible"] = json!(united([ranges(before), ranges(now)].concat()));
    all
}

/// Ranges without overlaps, in order.
fn united(mut ranges: Vec<[u64; 2]>) -> Vec<[u64; 2]> {
    ranges.sort_unstable();
    let mut united: Vec<[u64; 2]> = Vec::new();
    for [from, to] in ranges {
        match united.last_mut() {
            Some([_, end]) if from <= *end => *end = to.max(*end),
            _ => united.push([from, to]),
        }
    }
    united
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_about_the_same_are_merged() {
        let entry = |infeasible: Value, tests: Value| json!({"about": {"query": "q"}, "goals": 9, "infeasible": infeasible, "tests": tests, "predicates": []});
        let one = entry(json!([[0, 2], [5, 6]]), json!([["1"]]));
        let other = entry(json!([[2, 3], [8, 9]]), json!([["2"], ["1"]]));
        let both = merged(&one, &other);
        assert_eq!(both["infeasible"], json!([[0, 3], [5, 6], [8, 9]]));
        assert_eq!(both["tests"], json!([["2"], ["1"]]));
        let mut of_other_goals = one.clone();
        of_other_goals["goals"] = json!(10);
        assert_eq!(merged(&of_other_goals, &other), other);
    }
}
