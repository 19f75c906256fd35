//! The share of values up to each value, one curve for each backend: an empirical distribution function.

use super::{Axis, Frame, Scale, figure, marker, px};
use crate::cast::Member;
use maud::{Markup, html};

/// The values of one backend.
#[derive(Debug)]
pub(crate) struct Distribution<'a> {
    pub(crate) member: &'a Member,
    /// In rising order.
    pub(crate) values: &'a [f64],
    /// Quantiles to mark: share, value, and what to say.
    pub(crate) marks: Vec<(f64, f64, String)>,
}

/// The chart.
#[derive(Debug)]
pub(crate) struct Cumulative<'a> {
    /// What it shows.
    pub(crate) name: String,
    pub(crate) x: Axis,
    pub(crate) distributions: Vec<Distribution<'a>>,
}

const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 250.0;
const FRAME: Frame = Frame { left: 46.0, right: WIDTH - 22.0, top: 22.0, bottom: HEIGHT - 36.0 };
/// Most steps that are drawn of a curve; more could not be seen.
const STEPS: usize = 200;

impl Cumulative<'_> {
    pub(crate) fn draw(&self) -> Markup {
        let shares = [0.0, 0.25, 0.5, 0.75, 0.95, 1.0];
        // There is no room for 100 % beside 95 %.
        let label = |it| if it < 1.0 { format!("{:.0} %", it * 100.0) } else { String::new() };
        let marks = shares.map(|it| (it, label(it))).to_vec();
        let y = Axis::new("share of keys", Scale::Linear, marks);
        let across = |value| self.x.at(value, FRAME.left, FRAME.right);
        let up = |share| y.at(share, FRAME.bottom, FRAME.top);
        let content = html! {
            (FRAME.horizontal_axis(&self.x))
            (FRAME.vertical_axis(&y))
            @for it in &self.distributions {
                g class=(it.member.class()) data-b=(it.member.label) {
                    path .line d=(steps(it.values).map(|(value, share)| (px(across(value)), px(up(share))))
                        .enumerate().map(|(index, (x, y))| if index == 0 { format!("M{x} {}V{y}", px(FRAME.bottom)) } else { format!("H{x}V{y}") })
                        .collect::<String>()) {}
                    @for (share, value, says) in &it.marks {
                        (marker(across(*value), up(*share), it.member, says))
                    }
                }
            }
        };
        figure(&self.name, WIDTH, HEIGHT, &content)
    }
}

/// The steps of the distribution function of `values`, which are in rising order, thinned where there are many.
fn steps(values: &[f64]) -> impl Iterator<Item = (f64, f64)> {
    let count = values.len().min(STEPS);
    (0..count).map(move |step| {
        let index = (step + 1) * values.len() / count - 1;
        (values[index], (index + 1) as f64 / values.len() as f64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_end_with_everything() {
        assert_eq!(steps(&[1.0, 2.0]).collect::<Vec<_>>(), [(1.0, 0.5), (2.0, 1.0)]);
        assert_eq!(steps(&[]).count(), 0);
        let many: Vec<f64> = (0..1001).map(f64::from).collect();
        let steps: Vec<_> = steps(&many).collect();
        assert_eq!((steps.len(), steps[STEPS - 1]), (STEPS, (1000.0, 1.0)));
    }
}
