//! Frama-C's Eva (Debian package `frama-c-base`): an abstract interpreter that looks at more than there is. It goes on behind an alarm only with the
//! states that raise none, so what it does not reach counts only if there was no alarm.
//!
//! It works several times, each time more precisely. Every call of the error is told apart from the others, so that what one attempt has shown
//! of some of them stays, whatever becomes of the next.

use std::time::{Duration, Instant};

use tandem_base::Budget;
use tandem_cfa::{DataModel, Scalar};
use tandem_coop::cooperation::{Approximation, Declaration, Kind};
use tandem_coop::outside::{Order, Report, Tool};

use super::outside_functions::{Dialect, definitions, exact, returned};
use super::process::{Ended, Job, find, run};
use super::scratch::Scratch;

pub struct Eva;

/// How precise it is made, one attempt after the other.
const PRECISIONS: [&str; 4] = ["1", "3", "6", "9"];
/// How long it works when nobody sets a limit.
const USUAL: Duration = Duration::from_secs(60);

const DIALECT: Dialect =
    Dialect { error: "/*@ check tandem_error: \\false; */ while (1) ;", leave: "while (1) ;", input: Some(input) };

/// A volatile object may have any value each time it is read.
fn input(scalar: Scalar, _: usize) -> String {
    format!("static volatile {} value; {}", exact(scalar), returned(scalar))
}

/// Warnings that take nothing away from what it says.
const HARMLESS: [&str; 5] =
    ["kernel:typing:no-proto", "kernel:parser:decimal-float", "eva:garbled-mix", "eva:loop-unroll", "eva:experimental"];

impl Tool for Eva {
    fn declaration(&self) -> Declaration {
        Declaration {
            name: "eva".into(),
            about: "the abstract interpreter Eva of Frama-C, on what is not settled; counts if it has no alarm".into(),
            needs: vec![Kind::Program, Kind::Property],
            gives: vec![Kind::Gia],
            approximates: Approximation::Over,
            // Its word is not taken for a fact anywhere.
            trusted: true,
        }
    }

    fn work(&self, order: &Order<'_>, budget: &Budget) -> Report {
        work(order, budget).unwrap_or_else(Report::failed)
    }
}

fn work(order: &Order<'_>, budget: &Budget) -> Result<Report, String> {
    find("frama-c").ok_or("not installed: there is no program `frama-c` (Debian package frama-c-base)")?;
    let scratch = Scratch::new()?;
    scratch.file("program.c", format!("{}{}{}", with_sites(order), definitions(order, &DIALECT), sites(order)))?;
    let mut report = Report::default();
    for precision in PRECISIONS {
        let left = budget.deadline.map_or(USUAL, |deadline| deadline.saturating_duration_since(Instant::now()));
        let command = command(order, precision);
        let job = Job { command: &command, directory: scratch.path(), environment: &[], limit: left };
        let ended = run(&job, budget, &mut || false)?;
        if ended.timed_out {
            // A quicker attempt has said something already.
            report.problem = report.problem.or(Some("time limit".into()));
            return Ok(report);
        }
        let shown = std::mem::take(&mut report.unreached);
        report = understood(&ended, order.sites.len());
        report.unreached.extend(shown);
        report.unreached.sort_unstable();
        report.unreached.dedup();
        if report.claim.is_some() || report.note.is_empty() {
            return Ok(report);
        }
    }
    Ok(report)
}

/// The program with a step of its own before every call of the error.
fn with_sites(order: &Order<'_>) -> String {
    let mut text = order.text.to_string();
    let mut numbered: Vec<(usize, usize)> = order.sites.iter().map(|site| site.at).zip(0..).collect();
    numbered.sort_unstable();
    for (at, number) in numbered.into_iter().rev() {
        text.insert_str(at, &format!("tandem_site_{number}(), "));
    }
    let declared: String = (0..order.sites.len()).map(|number| format!("void tandem_site_{number}(void);\n")).collect();
    declared + &text
}

/// What these steps are.
fn sites(order: &Order<'_>) -> String {
    let one = |number| {
        format!("void tandem_site_{number}(void) {{ /*@ check tandem_error_{number}: \\false; */ while (1) ; }}\n")
    };
    (0..order.sites.len()).map(one).collect()
}

fn command(order: &Order<'_>, precision: &str) -> Vec<String> {
    let machine = match order.program.model() {
        DataModel::Ilp32 => "gcc_x86_32",
        DataModel::Lp64 => "gcc_x86_64",
    };
    let words = [
        "frama-c",
        "-machdep",
        machine,
        // What is defined differently there: signed numbers wrap around, and floats may be infinite.
        "-no-warn-signed-overflow",
        "-no-warn-left-shift-negative",
        "-no-warn-right-shift-negative",
        "-warn-special-float",
        "none",
        "-eva",
        "-eva-precision",
        precision,
        "program.c",
    ];
    words.into_iter().map(String::from).collect()
}

/// What its output means. A note without a claim: more precision may help.
fn understood(ended: &Ended, sites: usize) -> Report {
    if let Some(problem) = ended.problem() {
        return Report::failed(problem);
    }
    if !ended.succeeded() || !ended.output.contains("ANALYSIS SUMMARY") {
        let error = ended.output.lines().find(|line| line.contains("rror")).map(str::trim);
        let why = error.map_or_else(|| ended.last_line(), |line| line.chars().take(200).collect());
        return Report::failed(format!("did not come to its end: {why}"));
    }
    let is_error = |line: &&str| line.contains("tandem_error");
    let reached = ended.output.lines().any(|line| is_error(&line));
    if let Some(warning) = ended.output.lines().filter(|line| !is_error(line)).find_map(warning) {
        let note = match reached {
            true => "the error may be reached".to_string(),
            false => format!("no error is reached behind its alarms, which says nothing: {warning}"),
        };
        return Report { problem: Some(note.clone()), note, ..Report::default() };
    }
    if reached {
        let is_reached = |site: &usize| ended.output.contains(&format!("tandem_error_{site}'"));
        let unreached = (0..sites).filter(|site| !is_reached(site)).collect::<Vec<usize>>();
        let note = "the error may be reached".to_string();
        // Of the error itself nobody speaks if all its calls are told apart.
        let unreached = if ended.output.contains("tandem_error'") { Vec::new() } else { unreached };
        return Report { problem: Some(note.clone()), note, unreached, ..Report::default() };
    }
    Report { claim: Some(true), note: "no alarm, and no error is reached".into(), ..Report::default() }
}

/// A warning that is not harmless.
fn warning(line: &str) -> Option<&str> {
    let (key, rest) = line.strip_prefix('[')?.split_once(']')?;
    let is_serious = key.starts_with("eva:alarm") || rest.contains("Warning:") || rest.contains("Error");
    (is_serious && !HARMLESS.iter().any(|harmless| key.starts_with(harmless))).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    fn said(output: &str) -> Report {
        let status = Some(std::process::ExitStatus::from_raw(0));
        understood(&Ended { status, output: output.into(), timed_out: false }, 2)
    }

    #[test]
    fn silence_counts_only_without_alarms() {
        let end = "[eva:summary] ====== ANALYSIS SUMMARY ======\n";
        assert_eq!(said(end).claim, Some(true));
        assert_eq!(said(&format!("[kernel:typing:no-proto] p.c:1: Warning: \n{end}")).claim, Some(true));
        let alarm = "[eva:alarm] p.c:3: Warning: division by zero. assert x != 0;\n";
        assert_eq!(said(&format!("{alarm}{end}")).claim, None);
        let unknown = "[kernel:annot:missing-spec] p.c:6: Warning: \n";
        assert_eq!(said(&format!("{unknown}{end}")).claim, None);
        let reached = "[eva:alarm] p.c:13: Warning: check 'tandem_error' got status unknown.\n";
        assert_eq!(said(&format!("{reached}{end}")).claim, None);
        assert!(said(&format!("{reached}{end}")).unreached.is_empty());
        let first = "[eva:alarm] p.c:13: Warning: check 'tandem_error_0' got status unknown.\n";
        assert_eq!(said(&format!("{first}{end}")).unreached, [1]);
        assert!(said(&format!("{first}{alarm}{end}")).unreached.is_empty());
        let unfinished = said("[kernel] User Error: cannot parse\n");
        assert_eq!(unfinished.claim, None);
        assert!(unfinished.problem.unwrap().contains("cannot parse"));
    }
}
