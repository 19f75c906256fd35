//! One line for each backend over sizes, on logarithmic axes.

use super::{Axis, Frame, figure, marker, px};
use crate::cast::Member;
use maud::{Markup, html};

/// A line of one backend.
#[derive(Debug)]
pub(crate) struct Series<'a> {
    pub(crate) member: &'a Member,
    /// In the order of the line.
    pub(crate) points: Vec<Point>,
}

/// A point of a line.
#[derive(Debug)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// Where it lies with confidence, from and to.
    pub(crate) interval: Option<(f64, f64)>,
    /// All that there is to say of it.
    pub(crate) says: String,
}

/// The chart.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    /// What it shows.
    pub(crate) name: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) series: Vec<Series<'a>>,
    /// A line that is nobody's, to measure the others by; empty for none.
    pub(crate) floor: Vec<Point>,
}

const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 250.0;
const FRAME: Frame = Frame { left: 46.0, right: WIDTH - 18.0, top: 22.0, bottom: HEIGHT - 36.0 };
/// The sizes begin and end a little inside, so that no marker lies on a label.
const SIZES: Frame = Frame { left: FRAME.left + 8.0, right: FRAME.right - 6.0, ..FRAME };

impl Lines<'_> {
    pub(crate) fn draw(&self) -> Markup {
        let floor: Vec<&Point> = self.floor.iter().filter(|it| self.holds(it.x, it.y)).collect();
        let content = html! {
            (SIZES.horizontal_axis(&self.x))
            (FRAME.vertical_axis(&self.y))
            // One place alone is no line.
            @if floor.len() > 1 {
                path .floor d=(self.path(floor.iter().map(|it| (it.x, it.y)))) {}
                @for point in &floor {
                    circle .floor cx=(px(self.across(point.x))) cy=(px(self.up(point.y))) r="2" { title { (point.says) } }
                }
            }
            @for series in &self.series {
                g class=(series.member.class()) data-b=(series.member.label) {
                    path .line d=(self.path(series.points.iter().map(|it| (it.x, it.y)))) {}
                    @let whiskers = self.whiskers(&series.points);
                    @if !whiskers.is_empty() { path .whisker d=(whiskers) {} }
                    @for point in &series.points {
                        (marker(self.across(point.x), self.up(point.y), series.member, &point.says))
                    }
                }
            }
        };
        figure(&self.name, WIDTH, HEIGHT, &content)
    }

    fn holds(&self, x: f64, y: f64) -> bool {
        !self.x.is_beyond(x) && !self.y.is_beyond(y)
    }

    fn across(&self, x: f64) -> f64 {
        self.x.at(x, SIZES.left, SIZES.right)
    }

    fn up(&self, y: f64) -> f64 {
        self.y.at(y, FRAME.bottom, FRAME.top)
    }

    /// What of the line is on the axes.
    fn path(&self, points: impl Iterator<Item = (f64, f64)>) -> String {
        let mut path = String::new();
        for (x, y) in points.filter(|(x, y)| self.holds(*x, *y)) {
            let step = if path.is_empty() { 'M' } else { 'L' };
            path.push_str(&format!("{step}{} {}", px(self.across(x)), px(self.up(y))));
        }
        path
    }

    /// A vertical line for each interval that is long enough to be seen.
    fn whiskers(&self, points: &[Point]) -> String {
        let mut path = String::new();
        for point in points {
            let Some((low, high)) = point.interval else { continue };
            let (low, high) = (self.up(low), self.up(high));
            if (low - high).abs() >= 1.0 {
                path.push_str(&format!("M{} {}V{}", px(self.across(point.x)), px(low), px(high)));
            }
        }
        path
    }
}
