//! Plots as pictures in the page (SVG): quantile plots and scatter plots with logarithmic axes, as papers have them.

use std::fmt::Write;

use super::escape;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 430.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 18.0;
const TOP: f64 = 18.0;
const BOTTOM: f64 = 48.0;
/// No time is shown that is shorter: the clock says nothing about it.
const SHORTEST: f64 = 0.01;
pub const COLOURS: [&str; 6] = ["#1d5fa8", "#c2571a", "#2b7d3b", "#8b3fa0", "#a3811a", "#4b4f56"];

/// A logarithmic scale of seconds.
#[derive(Clone, Copy)]
struct Scale {
    longest: f64,
    from: f64,
    to: f64,
}

impl Scale {
    fn at(self, seconds: f64) -> f64 {
        let part = (seconds.clamp(SHORTEST, self.longest) / SHORTEST).log10() / (self.longest / SHORTEST).log10();
        self.from + (self.to - self.from) * part
    }

    /// Powers of ten, and the end.
    fn ticks(self) -> Vec<f64> {
        let powers = (-2..6).map(|power| 10f64.powi(power)).filter(|value| *value <= self.longest * 0.95);
        powers.chain([self.longest]).collect()
    }
}

/// Seconds as people write them.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

fn begin(title: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"system-ui, sans-serif\" font-size=\"13\" role=\"img\">\
         <title>{}</title>\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n",
        escape(title)
    )
}

fn line(out: &mut String, (x1, y1): (f64, f64), (x2, y2): (f64, f64), style: &str) {
    let _ = writeln!(out, "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" {style}/>");
}

fn text(out: &mut String, (x, y): (f64, f64), anchor: &str, words: &str) {
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"#333\">{}</text>",
        escape(words)
    );
}

const GRID: &str = "stroke=\"#e2e5e9\"";

fn upright_axis(out: &mut String, scale: Scale, words: &str) {
    for tick in scale.ticks() {
        let y = scale.at(tick);
        line(out, (LEFT, y), (WIDTH - RIGHT, y), GRID);
        text(out, (LEFT - 6.0, y + 4.0), "end", &number(tick));
    }
    let (x, y) = (15.0, (TOP + HEIGHT - BOTTOM) / 2.0);
    let _ = writeln!(
        out,
        "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\" transform=\"rotate(-90 {x} {y})\" fill=\"#333\">{}</text>",
        escape(words)
    );
}

/// How many tasks are solved (across) if each may take so long (up), for each series of times.
pub fn quantile(series: &[(String, Vec<f64>)], limit: f64) -> String {
    let mut out = begin("Quantile plot");
    let scale = Scale { longest: limit.max(1.0), from: HEIGHT - BOTTOM, to: TOP };
    let most = series.iter().map(|(_, times)| times.len()).max().unwrap_or(0).max(1);
    let across = |count: f64| LEFT + (WIDTH - LEFT - RIGHT) * count / most as f64;
    upright_axis(&mut out, scale, "seconds");
    let step = step(most);
    for count in (0..=most).step_by(step) {
        let x = across(count as f64);
        line(&mut out, (x, TOP), (x, HEIGHT - BOTTOM), GRID);
        text(&mut out, (x, HEIGHT - BOTTOM + 18.0), "middle", &count.to_string());
    }
    text(
        &mut out,
        ((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 10.0),
        "middle",
        "tasks solved correctly, the quickest first",
    );
    for (index, (name, times)) in series.iter().enumerate() {
        let colour = COLOURS[index % COLOURS.len()];
        let mut times = times.clone();
        times.sort_by(f64::total_cmp);
        // A line begins at the axis, so that a single task is one too.
        let begin = times.first().map(|time| (0, time));
        let points = begin.into_iter().chain(times.iter().enumerate().map(|(number, time)| (number + 1, time)));
        let points: Vec<String> =
            points.map(|(count, time)| format!("{:.1},{:.1}", across(count as f64), scale.at(*time))).collect();
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            points.join(" ")
        );
        legend(&mut out, index, &format!("{name} ({})", times.len()));
    }
    out + "</svg>"
}

/// How numbers grow with the time: for each series, its values from the given seconds on.
pub fn growth(series: &[(String, Vec<(f64, usize)>)]) -> String {
    let mut out = begin("Growth over time");
    let all = || series.iter().flat_map(|(_, values)| values);
    let end = all().map(|(time, _)| *time).fold(0.001, f64::max);
    let most = all().map(|(_, value)| *value).max().unwrap_or(0).max(1);
    let across = |time: f64| LEFT + (WIDTH - LEFT - RIGHT) * time / end;
    let up = |value: usize| HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * value as f64 / most as f64;
    for value in (0..=most).step_by(step(most)) {
        line(&mut out, (LEFT, up(value)), (WIDTH - RIGHT, up(value)), GRID);
        text(&mut out, (LEFT - 6.0, up(value) + 4.0), "end", &value.to_string());
    }
    for part in 0..=5 {
        let time = end * f64::from(part) / 5.0;
        line(&mut out, (across(time), TOP), (across(time), HEIGHT - BOTTOM), GRID);
        text(&mut out, (across(time), HEIGHT - BOTTOM + 18.0), "middle", &number(time));
    }
    text(&mut out, ((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 10.0), "middle", "seconds");
    for (index, (name, values)) in series.iter().enumerate() {
        let colour = COLOURS[index % COLOURS.len()];
        let (mut points, mut last) = (Vec::new(), 0);
        for (time, value) in values.iter().chain(&[(end, values.last().map_or(0, |(_, value)| *value))]) {
            points.push(format!("{:.1},{:.1} {:.1},{:.1}", across(*time), up(last), across(*time), up(*value)));
            last = *value;
        }
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            points.join(" ")
        );
        legend(&mut out, index, &format!("{name} ({last})"));
    }
    out + "</svg>"
}

fn legend(out: &mut String, index: usize, words: &str) {
    let y = TOP + 16.0 + 18.0 * index as f64;
    let style = format!("stroke=\"{}\" stroke-width=\"3\"", COLOURS[index % COLOURS.len()]);
    line(out, (LEFT + 12.0, y - 4.0), (LEFT + 34.0, y - 4.0), &style);
    text(out, (LEFT + 40.0, y), "start", words);
}

/// A round distance of ticks: at most about ten of them.
fn step(most: usize) -> usize {
    let rough = (most / 8).max(1);
    let power = 10usize.pow(rough.ilog10());
    match rough / power {
        0 | 1 => power,
        2..=4 => 2 * power,
        _ => 5 * power,
    }
}

/// A task in a scatter plot.
pub struct Point {
    pub x: f64,
    pub y: f64,
    pub title: String,
    pub colour: &'static str,
}

/// Each task by its time in one run (across) and in another (up). Who is below the diagonal was quicker in the other.
pub fn scatter(points: &[Point], across: &str, up: &str, limit: f64) -> String {
    let mut out = begin("Scatter plot");
    let longest = limit.max(1.0);
    let rows = Scale { longest, from: HEIGHT - BOTTOM, to: TOP };
    let columns = Scale { longest, from: LEFT, to: WIDTH - RIGHT };
    upright_axis(&mut out, rows, &format!("{up}, seconds"));
    for tick in columns.ticks() {
        let x = columns.at(tick);
        line(&mut out, (x, TOP), (x, HEIGHT - BOTTOM), GRID);
        text(&mut out, (x, HEIGHT - BOTTOM + 18.0), "middle", &number(tick));
    }
    text(&mut out, ((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 10.0), "middle", &format!("{across}, seconds"));
    let diagonal = |factor: f64| {
        let from = (SHORTEST / factor).max(SHORTEST);
        let to = (longest / factor).min(longest);
        ((columns.at(from), rows.at(from * factor)), (columns.at(to), rows.at(to * factor)))
    };
    for (factor, style) in [
        (1.0, "stroke=\"#555\""),
        (10.0, "stroke=\"#999\" stroke-dasharray=\"4 4\""),
        (0.1, "stroke=\"#999\" stroke-dasharray=\"4 4\""),
    ] {
        let (from, to) = diagonal(factor);
        line(&mut out, from, to, style);
    }
    for Point { x, y, title, colour } in points {
        let (x, y) = (columns.at(*x), rows.at(*y));
        let _ = writeln!(
            out,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\" fill-opacity=\"0.55\"><title>{}</title></circle>",
            escape(title)
        );
    }
    out + "</svg>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_logarithmic() {
        let scale = Scale { longest: 100.0, from: 0.0, to: 4.0 };
        let places: Vec<f64> = [0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 999.0].map(|value| scale.at(value)).to_vec();
        for (place, expected) in places.iter().zip([0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 4.0]) {
            assert!((place - expected).abs() < 1e-9, "{places:?}");
        }
        assert_eq!(scale.ticks(), [0.01, 0.1, 1.0, 10.0, 100.0]);
        assert_eq!((number(0.01), number(10.0)), ("0.01".into(), "10".into()));
    }

    #[test]
    fn plots_hold_every_task() {
        let plot = quantile(&[("a".into(), vec![3.0, 1.0]), ("b".into(), Vec::new())], 20.0);
        assert!(plot.contains("a (2)") && plot.contains("b (0)"));
        let point = Point { x: 1.0, y: 30.0, title: "x<y".into(), colour: "#000" };
        let plot = scatter(&[point], "a", "b", 20.0);
        assert!(plot.contains("<title>x&lt;y</title>") && plot.contains("<circle"));
        assert_eq!((step(1), step(40), step(479)), (1, 5, 50));
    }
}
