//! Where the states of a drawing stand: in layers by their distance from the initial state, each layer in the order that its
//! predecessors suggest. Knows sizes and no drawing language.

use std::collections::VecDeque;

use super::gia_picture::Picture;
use super::gia_text::lines;

/// The width of a character, and the height of a line.
pub const CHARACTER: f64 = 6.7;
pub const LINE: f64 = 15.0;
/// The longest label that is drawn.
pub const LABEL: usize = 60;
const GAP: f64 = 30.0;
const MARGIN: f64 = 30.0;

/// A state's box, by its middle.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Spot {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
    pub layer: usize,
}

pub struct Layout {
    pub spots: Vec<Spot>,
    pub width: f64,
    pub height: f64,
}

/// A text of bounded length.
pub fn shortened(text: &str) -> String {
    match text.chars().nth(LABEL) {
        Some(_) => text.chars().take(LABEL - 1).chain(['…']).collect(),
        None => text.to_string(),
    }
}

fn text_width(text: &str) -> f64 {
    text.chars().count().min(LABEL) as f64 * CHARACTER
}

pub fn layout(picture: &Picture) -> Layout {
    let layers = layers(picture);
    let mut spots: Vec<Spot> = picture
        .states
        .iter()
        .map(|state| {
            let lines = lines(state);
            let width = lines.iter().map(|line| text_width(line)).fold(30.0, f64::max) + 20.0;
            Spot { width, height: lines.len() as f64 * LINE + 14.0, ..Spot::default() }
        })
        .collect();
    // Room for the labels of what comes in from above, and for those of loops at the side.
    let mut above = vec![0usize; spots.len()];
    let mut beside = vec![0.0f64; spots.len()];
    let mut wide: Vec<f64> = spots.iter().map(|spot| spot.width).collect();
    for arrow in &picture.arrows {
        let longest = arrow.labels.iter().map(|label| text_width(&label.text())).fold(0.0, f64::max);
        if arrow.source == arrow.target {
            beside[arrow.target] = longest + 40.0;
        } else {
            above[arrow.target] += arrow.labels.len();
            wide[arrow.target] = wide[arrow.target].max(longest);
        }
    }
    let (mut y, mut width) = (MARGIN, 0.0f64);
    for (number, layer) in layers.iter().enumerate() {
        let labels = layer.iter().map(|state| above[*state]).max().unwrap_or(0);
        let tallest = layer.iter().map(|state| spots[*state].height).fold(0.0, f64::max);
        y += if number == 0 { 0.0 } else { 40.0 + labels as f64 * LINE };
        let mut x = MARGIN;
        for state in layer {
            spots[*state] = Spot { x: x + wide[*state] / 2.0, y: y + tallest / 2.0, layer: number, ..spots[*state] };
            x += wide[*state] + beside[*state] + GAP;
        }
        width = width.max(x);
        y += tallest;
    }
    centre(&layers, &mut spots, &wide, &beside, width);
    Layout { spots, width: width + MARGIN, height: y + MARGIN }
}

/// Every layer in the middle of the drawing.
fn centre(layers: &[Vec<usize>], spots: &mut [Spot], wide: &[f64], beside: &[f64], width: f64) {
    for layer in layers {
        let Some(last) = layer.last() else { continue };
        let right = spots[*last].x + wide[*last] / 2.0 + beside[*last] + GAP;
        for state in layer {
            spots[*state].x += (width - right) / 2.0;
        }
    }
}

/// States by their distance from the initial one; those that it does not lead to come last.
fn layers(picture: &Picture) -> Vec<Vec<usize>> {
    let count = picture.states.len();
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    for arrow in &picture.arrows {
        next[arrow.source].push(arrow.target);
    }
    let mut distance: Vec<Option<usize>> = vec![None; count];
    let mut layers: Vec<Vec<usize>> = Vec::new();
    let mut open = VecDeque::new();
    if count > 0 {
        distance[0] = Some(0);
        open.push_back((0, 0));
    }
    // Whoever is found first stands below the left-most of its predecessors: a breadth-first search gives the order for free.
    while let Some((state, layer)) = open.pop_front() {
        if layers.len() == layer {
            layers.push(Vec::new());
        }
        layers[layer].push(state);
        for target in &next[state] {
            if distance[*target].is_none() {
                distance[*target] = Some(layer + 1);
                open.push_back((*target, layer + 1));
            }
        }
    }
    let rest: Vec<usize> = (0..count).filter(|state| distance[*state].is_none()).collect();
    if !rest.is_empty() {
        layers.push(rest);
    }
    layers
}
