//! Standard output and files, written so that nothing half-finished is left behind and a closed pipe is no error.

use std::io::{self, Write};
use std::path::Path;

use crate::message::Failure;

/// Prints to standard output. A reader that has seen enough is no failure.
pub fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    let result = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

pub fn print_json(value: &serde_json::Value) -> io::Result<()> {
    print(&format!("{value:#}\n"))
}

/// [`print`] for commands.
pub fn show(text: &str) -> Result<(), Failure> {
    print(text)
        .map_err(|error| Failure::file("stdout", format!("cannot write: {error}"), "an output that can be written"))
}

/// Makes the output directory, so that work is not done in vain: a name that cannot be one is found out first.
pub fn prepare(directory: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(directory).map_err(|error| cannot_write(directory, &error))
}

/// Writes a file of the output directory, which is made if need be: whole or not at all.
pub fn write_file(directory: &Path, name: &str, content: &str) -> Result<(), Failure> {
    let path = directory.join(name);
    let temporary = directory.join(format!(".{name}.{}", std::process::id()));
    let written = std::fs::create_dir_all(directory)
        .and_then(|()| std::fs::write(&temporary, content))
        .and_then(|()| std::fs::rename(&temporary, &path));
    written.map_err(|error| {
        // Nothing of it may stay; that it cannot be removed either adds nothing to the message.
        let _ = std::fs::remove_file(&temporary);
        cannot_write(&path, &error)
    })
}

/// The same for a file that is named as a whole.
pub fn write_path(path: &Path, content: &str) -> Result<(), Failure> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match path.file_name() {
        Some(name) => write_file(directory, &name.to_string_lossy(), content),
        None => Err(Failure::file(&path.display().to_string(), "this is no name of a file", "the name of a file")),
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    let help = "--output takes a directory that can be written";
    Failure::file(&path.display().to_string(), format!("cannot write: {error}"), help)
}
