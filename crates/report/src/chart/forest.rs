//! Changes with their intervals, one below the other, and the margin that does not matter: a forest plot.

use super::{Axis, Frame, figure, px};
use crate::cast::Member;
use cryptobench_schema::Algorithm;
use maud::{Markup, html};

/// One change.
#[derive(Debug)]
pub(crate) struct Tick<'a> {
    pub(crate) member: &'a Member,
    pub(crate) algorithm: Algorithm,
    /// What changed, beside its backend.
    pub(crate) label: String,
    /// New over old.
    pub(crate) ratio: f64,
    /// Where that lies with confidence, from and to.
    pub(crate) interval: Option<(f64, f64)>,
    /// A class for its verdict.
    pub(crate) verdict: &'static str,
    /// All that there is to say of it.
    pub(crate) says: String,
}

/// The chart.
#[derive(Debug)]
pub(crate) struct Forest<'a> {
    /// What it shows.
    pub(crate) name: String,
    /// Ratios that count as no change, from and to.
    pub(crate) margin: (f64, f64),
    pub(crate) x: Axis,
    pub(crate) rows: Vec<Tick<'a>>,
}

const WIDTH: f64 = 640.0;
const STEP: f64 = 18.0;

impl Forest<'_> {
    pub(crate) fn draw(&self) -> Markup {
        let bottom = 6.0 + STEP * self.rows.len() as f64;
        let frame = Frame { left: 270.0, right: WIDTH - 14.0, top: 4.0, bottom };
        let across = |value| self.x.at(value, frame.left, frame.right);
        let (from, to) = (across(self.margin.0), across(self.margin.1));
        let content = html! {
            rect .margin x=(px(from)) y=(px(frame.top)) width=(px(to - from)) height=(px(bottom - frame.top)) {}
            (frame.horizontal_axis(&self.x))
            line .one x1=(px(across(1.0))) x2=(px(across(1.0))) y1=(px(frame.top)) y2=(px(bottom)) {}
            @for (index, row) in self.rows.iter().enumerate() {
                @let middle = 4.0 + STEP * (index as f64 + 0.5);
                g class=(format!("{} {}", row.member.class(), row.verdict)) data-b=(row.member.label) data-a=(row.algorithm) {
                    text .name x="2" y=(px(middle + 4.0)) { (row.label) }
                    @if let Some((low, high)) = row.interval {
                        path .whisker d=(format!("M{} {}H{}", px(across(low)), px(middle), px(across(high)))) {}
                    }
                    (super::marker(across(row.ratio), middle, row.member, &row.says))
                }
            }
        };
        figure(&self.name, WIDTH, bottom + 34.0, &content)
    }
}
