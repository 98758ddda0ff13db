//! A directory for the files of one piece of work, removed at its end.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

static NEXT: AtomicU32 = AtomicU32::new(0);

pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new() -> Result<Scratch, String> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("tandem-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(|error| format!("no place for its files: {error}"))?;
        Ok(Scratch(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The name of a file in it, for command lines.
    pub fn name(&self, file: &str) -> String {
        self.0.join(file).display().to_string()
    }

    /// Writes a file; its name for command lines.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> Result<String, String> {
        let path = self.0.join(name);
        let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        let written = made.and_then(|()| std::fs::write(&path, content));
        written.map_err(|error| format!("its files could not be written: {error}"))?;
        Ok(path.display().to_string())
    }

    /// The contents of the files below a directory, by name; those whose names are wanted.
    pub fn contents(&self, directory: &str, wanted: impl Fn(&str) -> bool) -> Vec<(String, Vec<u8>)> {
        let Ok(entries) = std::fs::read_dir(self.0.join(directory)) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
        paths.sort();
        let named = |path: PathBuf| {
            let name = path.file_name()?.to_str().filter(|name| wanted(name))?.to_string();
            Some((name, std::fs::read(&path).ok()?))
        };
        paths.into_iter().filter_map(named).collect()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // There is nobody left to tell that this failed.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
