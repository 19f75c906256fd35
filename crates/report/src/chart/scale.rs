//! From values to places, and where an axis has its ticks.

/// How an axis spreads its values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scale {
    /// Evenly.
    Linear,
    /// Equal ratios evenly; values above 0.
    Log,
}

/// An axis: what it shows, and from where to where.
#[derive(Debug, Clone)]
pub(crate) struct Axis {
    /// What its values are, with their unit.
    pub(crate) name: String,
    scale: Scale,
    low: f64,
    high: f64,
    /// Values with a line, and their labels.
    marks: Vec<(f64, String)>,
}

impl Axis {
    /// An axis that begins and ends with its first and last mark.
    pub(crate) fn new(name: &str, scale: Scale, marks: Vec<(f64, String)>) -> Self {
        let low = marks.first().map_or(0.0, |it| it.0);
        let high = marks.last().map_or(1.0, |it| it.0);
        Self { name: name.to_owned(), scale, low, high, marks }
    }

    /// A logarithmic axis that holds `values`, with marks at 1, 2 and 5 times powers of ten, as `label` has them.
    pub(crate) fn decades(
        name: &str,
        values: impl IntoIterator<Item = f64>,
        label: impl Fn(f64) -> String,
    ) -> Self {
        let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
        for value in values.into_iter().filter(|it| it.is_finite() && *it > 0.0) {
            low = low.min(value);
            high = high.max(value);
        }
        if high <= 0.0 {
            (low, high) = (1.0, 10.0);
        }
        let all: Vec<f64> = (low.log10().floor() as i32..=high.log10().ceil() as i32)
            .flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power)))
            .collect();
        // From the last mark that is not above the values to the first that is not below them.
        let first = all.iter().rposition(|it| *it <= low).unwrap_or(0);
        let last = all.iter().position(|it| *it >= high).unwrap_or(all.len() - 1).max(first + 1);
        let shown = &all[first..=last.min(all.len() - 1)];
        // Over many decades their powers alone.
        let wide = high / low > 200.0;
        let is_power = |value: f64| (value.log10() - value.log10().round()).abs() < 1e-9;
        let marks = shown
            .iter()
            .map(|&it| (it, if wide && !is_power(it) { String::new() } else { label(it) }))
            .collect();
        Self::new(name, Scale::Log, marks)
    }

    /// A logarithmic axis of ratios that holds `values` and 1, with some seven marks at round per cents, or at round
    /// factors where they reach far.
    pub(crate) fn around_one(name: &str, values: &[f64]) -> Self {
        let reach = values
            .iter()
            .filter(|it| it.is_finite() && **it > 0.0)
            .map(|it| it.ln().abs())
            .fold(0.01, f64::max);
        // Beyond 40 % the marks above 1 would stand in one another's way.
        if reach > 1.4_f64.ln() {
            let all = values.iter().copied().chain([reach.exp().recip(), reach.exp()]);
            return Self::decades(name, all, |it| format!("{it}×"));
        }
        let step = step(reach.exp_m1() / 3.0);
        let count = (reach.exp_m1() / step).ceil() as i32;
        let mark = |it: i32| {
            let share = f64::from(it) * step;
            let label = if it == 0 {
                "0".to_owned()
            } else {
                format!("{:+} %", (share * 1e4).round() / 100.0)
            };
            (1.0 + share, label)
        };
        // Below 1 the reciprocals' distance needs one mark fewer at most; -100 % has no logarithm.
        let marks = (-count..=count).filter(|it| f64::from(*it) * step > -0.95).map(mark).collect();
        Self::new(name, Scale::Log, marks)
    }

    /// A linear axis from 0 to beyond the largest of `values`, with some five marks.
    pub(crate) fn from_zero(
        name: &str,
        values: impl IntoIterator<Item = f64>,
        label: impl Fn(f64) -> String,
    ) -> Self {
        let high = values
            .into_iter()
            .filter(|it| it.is_finite())
            .fold(0.0, f64::max)
            .max(f64::MIN_POSITIVE);
        let step = step(high / 4.0);
        let count = (high / step).ceil().max(1.0) as usize;
        let marks = (0..=count).map(|it| it as f64 * step).map(|it| (it, label(it))).collect();
        Self::new(name, Scale::Linear, marks)
    }

    /// The place of `value` where `from` is the place of the axis's beginning and `to` that of its end; what is beyond
    /// an end is on it.
    pub(crate) fn at(&self, value: f64, from: f64, to: f64) -> f64 {
        let spread =
            |it: f64| if self.scale == Scale::Log { it.max(f64::MIN_POSITIVE).ln() } else { it };
        let (low, high) = (spread(self.low), spread(self.high));
        let share = if high > low { (spread(value) - low) / (high - low) } else { 0.5 };
        from + share.clamp(0.0, 1.0) * (to - from)
    }

    /// Whether `value` is beyond an end.
    pub(crate) fn is_beyond(&self, value: f64) -> bool {
        value < self.low || value > self.high
    }

    /// The places of the marks, and their labels.
    pub(crate) fn ticks(&self, from: f64, to: f64) -> impl Iterator<Item = (f64, &str)> {
        self.marks.iter().map(move |(value, label)| (self.at(*value, from, to), label.as_str()))
    }
}

/// The next of 1, 2 and 5 times powers of ten that is not below `least`.
pub(crate) fn step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .map(|digit| digit * power)
        .into_iter()
        .find(|it| *it >= least * (1.0 - 1e-12))
        .unwrap_or(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decades_hold_their_values() {
        let labels = |values: &[f64]| -> Vec<String> {
            let axis = Axis::decades("", values.iter().copied(), |it| it.to_string());
            for &value in values {
                assert!(!axis.is_beyond(value), "{value} of {values:?}");
            }
            axis.marks.into_iter().map(|it| it.1).collect()
        };
        assert_eq!(labels(&[0.3, 4.0]), ["0.2", "0.5", "1", "2", "5"]);
        assert_eq!(labels(&[1.0]), ["1", "2"]);
        assert_eq!(labels(&[0.9, 950.0]), ["", "1", "", "", "10", "", "", "100", "", "", "1000"]);
        assert_eq!(labels(&[]).len(), 4);
    }

    #[test]
    fn places_are_on_the_axis() {
        let axis = Axis::new("", Scale::Log, vec![(16.0, String::new()), (65536.0, String::new())]);
        assert_eq!(axis.at(16.0, 10.0, 110.0), 10.0);
        assert_eq!(axis.at(65536.0, 10.0, 110.0), 110.0);
        assert!((axis.at(1024.0, 10.0, 110.0) - 60.0).abs() < 1e-9);
        assert_eq!((axis.at(1.0, 10.0, 110.0), axis.at(1e9, 10.0, 110.0)), (10.0, 110.0));
        // Of one mark there is only a middle.
        assert_eq!(Axis::new("", Scale::Log, vec![(5.0, String::new())]).at(5.0, 0.0, 9.0), 4.5);
    }

    #[test]
    fn linear_axes_begin_with_zero() {
        let axis = Axis::from_zero("", [3.0, 17.0], |it| it.to_string());
        let labels: Vec<&str> = axis.ticks(0.0, 1.0).map(|it| it.1).collect();
        assert_eq!(labels, ["0", "5", "10", "15", "20"]);
        assert_eq!(Axis::from_zero("", [], |it| it.to_string()).low, 0.0);
    }

    #[test]
    fn steps_are_round() {
        assert_eq!([0.9, 1.0, 1.1, 3.0, 7.0].map(step), [1.0, 1.0, 2.0, 5.0, 10.0]);
    }
}
