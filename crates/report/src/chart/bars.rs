//! A bar for each backend where there is no size.

use super::{Axis, Frame, figure, px};
use crate::cast::Member;
use maud::{Markup, html};

/// A bar.
#[derive(Debug)]
pub(crate) struct Bar<'a> {
    pub(crate) member: &'a Member,
    pub(crate) value: f64,
    /// Where it lies with confidence, from and to.
    pub(crate) interval: Option<(f64, f64)>,
    /// The value with its unit, beside the bar.
    pub(crate) label: String,
    /// All that there is to say of it.
    pub(crate) says: String,
}

/// The chart.
#[derive(Debug)]
pub(crate) struct Bars<'a> {
    /// What it shows.
    pub(crate) name: String,
    /// From 0.
    pub(crate) x: Axis,
    pub(crate) bars: Vec<Bar<'a>>,
}

const WIDTH: f64 = 400.0;
/// The height of a bar with its place.
const STEP: f64 = 24.0;
/// Room at the right for a value beside the longest bar.
const LABEL: f64 = 76.0;

impl Bars<'_> {
    pub(crate) fn draw(&self) -> Markup {
        let bottom = 6.0 + STEP * self.bars.len() as f64;
        // A letter of 11 pixels is some 6 wide.
        let longest = self.bars.iter().map(|it| it.member.label.chars().count()).max().unwrap_or(0);
        let left = (20.0 + 6.2 * longest as f64).clamp(96.0, WIDTH / 2.0);
        let frame = Frame { left, right: WIDTH - LABEL, top: 4.0, bottom };
        let across = |value| self.x.at(value, frame.left, frame.right);
        let content = html! {
            (frame.horizontal_axis(&self.x))
            @for (index, bar) in self.bars.iter().enumerate() {
                @let top = 7.0 + STEP * index as f64;
                @let middle = top + STEP / 2.0 - 2.0;
                @let end = bar.interval.map_or(bar.value, |it| it.1.max(bar.value));
                g class=(bar.member.class()) data-b=(bar.member.label) {
                    use href=(format!("#m{}", bar.member.hue)) x="6" y=(px(middle)) {}
                    text .name x="15" y=(px(middle + 4.0)) { (bar.member.label) }
                    rect .bar x=(px(frame.left)) y=(px(top)) width=(px((across(bar.value) - frame.left).max(0.5))) height=(px(STEP - 4.0)) {
                        title { (bar.says) }
                    }
                    @if let Some((low, high)) = bar.interval {
                        path .edge d=(format!("M{} {}H{}", px(across(low)), px(middle), px(across(high)))) {}
                    }
                    text .value x=(px(across(end) + 6.0)) y=(px(middle + 4.0)) { (bar.label) }
                }
            }
        };
        figure(&self.name, WIDTH, bottom + 34.0, &content)
    }
}
