//! Each round as a dot about its case's middle: how sure a number is, at a glance.

use super::{Axis, Frame, Scale, figure, px, scale::step};
use crate::cast::Member;
use maud::{Markup, html};

/// The rounds of one case.
#[derive(Debug)]
pub(crate) struct Row<'a> {
    pub(crate) member: &'a Member,
    /// What the case is, beside its backend.
    pub(crate) label: String,
    /// How far each round lay from the middle of all: 0.01 for 1 % slower.
    pub(crate) deviations: Vec<f64>,
    /// All that there is to say of it.
    pub(crate) says: String,
}

/// The chart.
#[derive(Debug)]
pub(crate) struct Rounds<'a> {
    /// What it shows.
    pub(crate) name: String,
    pub(crate) rows: Vec<Row<'a>>,
}

const WIDTH: f64 = 400.0;
const STEP: f64 = 13.0;
/// The axis reaches at least this far, so that what is quiet looks quiet.
const LEAST: f64 = 0.02;
/// And no farther: what is beyond is drawn at the end, as an arrow.
const MOST: f64 = 0.10;

impl Rounds<'_> {
    pub(crate) fn draw(&self) -> Markup {
        let farthest = self
            .rows
            .iter()
            .flat_map(|it| &it.deviations)
            .fold(0.0_f64, |farthest, it| farthest.max(it.abs()));
        let reach = farthest.clamp(LEAST, MOST);
        let step = step(reach / 2.0);
        let count = (reach / step).ceil() as i32;
        let marks = (-count..=count)
            .map(|it| {
                (
                    f64::from(it) * step,
                    format!("{:+} %", (f64::from(it) * step * 1e3).round() / 10.0),
                )
            })
            .map(|(at, label)| (at, if at == 0.0 { "0".to_owned() } else { label }))
            .collect();
        let axis = Axis::new("a round against the median of all", Scale::Linear, marks);
        let bottom = 6.0 + STEP * self.rows.len() as f64;
        let frame = Frame { left: 140.0, right: WIDTH - 26.0, top: 4.0, bottom };
        let content = html! {
            (frame.horizontal_axis(&axis))
            @for (index, row) in self.rows.iter().enumerate() {
                @let middle = 4.0 + STEP * (index as f64 + 0.5);
                g class=(row.member.class()) data-b=(row.member.label) {
                    title { (row.says) }
                    text .name x="2" y=(px(middle + 3.5)) { (row.label) " " (row.member.label) }
                    path .dots d=(self.dots(row, &axis, &frame, middle)) {}
                }
            }
        };
        figure(&self.name, WIDTH, bottom + 34.0, &content)
    }

    /// A dot is a line without length and with round ends; one beyond the axis is an arrow at its end.
    fn dots(&self, row: &Row<'_>, axis: &Axis, frame: &Frame, middle: f64) -> String {
        row.deviations
            .iter()
            .map(|&it| {
                let x = axis.at(it, frame.left, frame.right);
                if axis.is_beyond(it) {
                    let back = if it > 0.0 { -3.0 } else { 3.0 };
                    format!("M{} {}l{} 3l{} 3", px(x + back), px(middle - 3.0), -back, back)
                } else {
                    format!("M{} {}h0", px(x), px(middle))
                }
            })
            .collect()
    }
}
