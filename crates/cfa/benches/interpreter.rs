//! The interpreter beside gcc -O0 on small programs: `cargo bench -p tandem-cfa`. Prints the times and their ratio.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use tandem_base::{Budget, SourceText};
use tandem_cfa::Program;
use tandem_cfa::exec::{End, Machine, Options, Zeros};
use tandem_syntax::DataModel;

/// Name, the ratio that is allowed if there is one, the program.
const PROGRAMS: [(&str, Option<f64>, &str); 5] = [
    ("counting loop", Some(30.0), COUNTING),
    ("sorting", Some(30.0), SORTING),
    ("recursion", None, RECURSION),
    ("sieve in a global", None, SIEVE),
    ("list on the heap", None, LIST),
];

const COUNTING: &str = "int main(void) {
  unsigned sum = 0; int i, j;
  for (i = 0; i < 20000; i++) for (j = 0; j < 5000; j++) sum += (unsigned)(i ^ j);
  return sum == 1 ? 1 : 0; }";

const SORTING: &str = "int a[200000];
static void sort(int *a, int low, int high) {
  while (low < high) {
    int i = low, j = high, pivot = a[low + (high - low) / 2];
    while (i <= j) {
      while (a[i] < pivot) i++;
      while (a[j] > pivot) j--;
      if (i <= j) { int t = a[i]; a[i] = a[j]; a[j] = t; i++; j--; }
    }
    if (j - low < high - i) { sort(a, low, j); low = i; } else { sort(a, i, high); high = j; }
  } }
int main(void) {
  unsigned seed = 1; int i, k;
  for (k = 0; k < 5; k++) {
    for (i = 0; i < 200000; i++) { seed = seed * 1103515245u + 12345u; a[i] = (int)(seed >> 4); }
    sort(a, 0, 199999);
    for (i = 1; i < 200000; i++) if (a[i - 1] > a[i]) return 1;
  }
  return 0; }";

const RECURSION: &str = "static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void) { return fib(33) == 3524578 ? 0 : 1; }";

const SIEVE: &str = "char composite[2000000];
int main(void) {
  int i, j, count = 0, k;
  for (k = 0; k < 3; k++) {
    for (i = 0; i < 2000000; i++) composite[i] = 0;
    for (i = 2; i < 2000000; i++) {
      if (composite[i]) continue;
      count++;
      for (j = 2 * i; j < 2000000; j += i) composite[j] = 1;
    }
  }
  return count == 3 * 148933 ? 0 : 1; }";

const LIST: &str = "extern void *malloc(unsigned long); extern void free(void *);
struct node { struct node *next; int value; };
int main(void) {
  int k, i; long sum = 0;
  for (k = 0; k < 200; k++) {
    struct node *head = 0;
    for (i = 0; i < 2000; i++) { struct node *n = malloc(sizeof *n); n->next = head; n->value = i; head = n; }
    for (i = 0; i < 20; i++) { struct node *n; for (n = head; n; n = n->next) sum += n->value; }
    while (head) { struct node *next = head->next; free(head); head = next; }
  }
  return sum == 200L * 20 * 1999000 ? 0 : 1; }";

const ROUNDS: usize = 3;

fn main() {
    let directory = std::env::temp_dir().join(format!("tandem-bench-{}", std::process::id()));
    if let Err(error) = std::fs::create_dir_all(&directory) {
        eprintln!("{}: {error}", directory.display());
        return;
    }
    println!("{:20} {:>12} {:>12} {:>8}", "program", "gcc -O0", "interpreter", "ratio");
    let mut slow = false;
    for (name, allowed, text) in PROGRAMS {
        match (compiled(&directory, text), interpreted(text)) {
            (Some(machine), Some(interpreter)) => {
                let ratio = interpreter.as_secs_f64() / machine.as_secs_f64();
                println!("{name:20} {:>9.1} ms {:>9.1} ms {ratio:>8.1}", millis(machine), millis(interpreter));
                slow |= allowed.is_some_and(|allowed| ratio > allowed);
            }
            (None, _) => println!("{name:20} gcc failed"),
            (_, None) => println!("{name:20} the interpreter failed"),
        }
    }
    std::fs::remove_dir_all(&directory).ok();
    if slow {
        println!("slower than 30 times gcc -O0");
        std::process::exit(1);
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// The best time of the program compiled by gcc.
fn compiled(directory: &Path, text: &str) -> Option<Duration> {
    let (source, binary) = (directory.join("program.c"), directory.join("program"));
    std::fs::write(&source, text).ok()?;
    let built = Command::new("gcc").args(["-O0", "-w"]).arg(&source).arg("-o").arg(&binary).status().ok()?;
    if !built.success() {
        return None;
    }
    let time = || {
        let start = Instant::now();
        let status = Command::new(&binary).status().ok()?;
        status.success().then(|| start.elapsed())
    };
    (0..ROUNDS).filter_map(|_| time()).min()
}

/// The best time of a run, building apart.
fn interpreted(text: &str) -> Option<Duration> {
    let program: Program =
        tandem_cfa::build(SourceText::plain("program.c", text.as_bytes().to_vec()), DataModel::Lp64).program?;
    let time = || {
        let mut machine = Machine::new(&program, Options::default());
        let start = Instant::now();
        let run = machine.run(&mut Zeros, &Budget::unlimited());
        (run.end == End::Returned(0)).then(|| start.elapsed())
    };
    (0..ROUNDS).filter_map(|_| time()).min()
}
