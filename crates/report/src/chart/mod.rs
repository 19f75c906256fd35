//! Charts as inline SVG, drawn when the page is made. What they show is the page's.
//!
//! Of our own, since none of the crates that draw charts does what this page needs together: elements with
//! classes, so that a style sheet colours them for light and dark and a script can leave a backend out; a title in each point;
//! logarithmic axes with the ticks that sizes have. plotters has neither classes nor titles; poloto has classes, but
//! no titles in its points and no logarithmic axes; charts-rs and kuva write colours into the elements.

mod bars;
mod cumulative;
mod forest;
mod lines;
mod rounds;
mod scale;

pub(crate) use bars::{Bar, Bars};
pub(crate) use cumulative::{Cumulative, Distribution};
pub(crate) use forest::{Forest, Tick as ForestRow};
pub(crate) use lines::{Lines, Point, Series};
pub(crate) use rounds::{Rounds, Row};
pub(crate) use scale::{Axis, Scale};

use crate::cast::Member;
use maud::{Markup, html};

/// A coordinate: tenths of a pixel are enough.
pub(crate) fn px(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    // Not -0.
    format!("{}", rounded + 0.0)
}

/// The place that a chart's data have in it.
#[derive(Debug, Clone, Copy)]
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Frame {
    /// Vertical lines of `axis` with their labels below.
    fn horizontal_axis(&self, axis: &Axis) -> Markup {
        html! {
            @for (at, label) in axis.ticks(self.left, self.right) {
                line .grid x1=(px(at)) x2=(px(at)) y1=(px(self.top)) y2=(px(self.bottom)) {}
                @if !label.is_empty() {
                    text .tick x=(px(at)) y=(px(self.bottom + 14.0)) text-anchor="middle" { (label) }
                }
            }
            text .axis x=(px((self.left + self.right) / 2.0)) y=(px(self.bottom + 29.0)) text-anchor="middle" { (axis.name) }
        }
    }

    /// Horizontal lines of `axis` with their labels at the left, and its name above.
    fn vertical_axis(&self, axis: &Axis) -> Markup {
        html! {
            @for (at, label) in axis.ticks(self.bottom, self.top) {
                line .grid x1=(px(self.left)) x2=(px(self.right)) y1=(px(at)) y2=(px(at)) {}
                @if !label.is_empty() {
                    text .tick x=(px(self.left - 5.0)) y=(px(at + 3.5)) text-anchor="end" { (label) }
                }
            }
            text .axis x="2" y="11" { (axis.name) }
        }
    }
}

/// The frame of every chart: what it is for those who do not see it, and one stop of the keyboard.
fn figure(name: &str, width: f64, height: f64, content: &Markup) -> Markup {
    html! {
        svg .chart viewBox=(format!("0 0 {} {}", px(width), px(height))) width=(px(width)) height=(px(height))
            role="img" aria-label=(name) tabindex="0" { (content) }
    }
}

/// The marker of `member` at a place, with what it says.
fn marker(x: f64, y: f64, member: &Member, says: &str) -> Markup {
    html! {
        use href=(format!("#m{}", member.hue)) x=(px(x)) y=(px(y)) { title { (says) } }
    }
}
