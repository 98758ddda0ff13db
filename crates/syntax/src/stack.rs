//! Running a closure on a thread whose stack holds deeply nested programs.
//!
//! The front end and everyone who walks its tree recurse with the nesting of the program. The bounds in
//! [`crate::nesting`] say how deep that can get; the stack made here carries it.

use std::cell::Cell;
use std::panic::resume_unwind;
use std::thread;

/// Address space only: pages that nothing touches cost nothing.
const STACK_SIZE: usize = 1 << 30;

thread_local! {
    static LARGE: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread already has the large stack.
pub(crate) fn is_large() -> bool {
    LARGE.with(Cell::get)
}

/// Runs `work` on a thread with a stack of one gigabyte, or right here if this thread has one already.
///
/// A panic of `work` is carried on. Fails only if the system refuses the thread.
pub fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> std::io::Result<T> {
    if is_large() {
        return Ok(work());
    }
    thread::scope(|scope| {
        let marked = move || {
            LARGE.with(|large| large.set(true));
            work()
        };
        let thread = thread::Builder::new().name("large stack".into()).stack_size(STACK_SIZE);
        match thread.spawn_scoped(scope, marked)?.join() {
            Ok(result) => Ok(result),
            Err(panic) => resume_unwind(panic),
        }
    })
}
