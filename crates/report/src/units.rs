//! Numbers as people read them: times, ratios, intervals, shares. Every number with its unit.

use cryptobench_results::{ranking::RankedSide, statistics::Interval};
use cryptobench_schema::{Contest, Unit, sizes};

/// A unit of time, by its name and its nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeUnit {
    name: &'static str,
    nanoseconds: f64,
}

impl TimeUnit {
    /// `ns`, `µs`, `ms` or `s`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }
}

/// The unit in which `nanoseconds` has one to three digits before the point.
pub fn unit(nanoseconds: f64) -> TimeUnit {
    let all = [("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];
    let (name, nanoseconds) =
        all.into_iter().rev().find(|(_, size)| nanoseconds.abs() >= *size).unwrap_or(all[0]);
    TimeUnit { name, nanoseconds }
}

/// The unit that suits the shortest of `times`, in nanoseconds.
pub fn unit_among(times: impl Iterator<Item = f64>) -> TimeUnit {
    unit(times.fold(f64::INFINITY, f64::min))
}

/// `nanoseconds` with three or four digits, in a unit that may be another's, so that a column has one.
pub fn scaled(nanoseconds: f64, unit: TimeUnit) -> String {
    format!("{} {}", digits(nanoseconds / unit.nanoseconds), unit.name)
}

/// Four significant digits, as many as differ from run to run, and no more than three after the point.
fn digits(value: f64) -> String {
    let after = match value.abs() {
        it if it < 10.0 => 3,
        it if it < 100.0 => 2,
        it if it < 1000.0 => 1,
        _ => 0,
    };
    format!("{value:.after$}")
}

/// Bytes a second of one operation on `bytes` in `nanoseconds`, in the unit that suits the fastest of those that
/// it stands among. 1 GB is 10⁹ bytes.
pub fn throughput(bytes: u64, nanoseconds: f64, fastest: f64) -> String {
    let bytes = bytes as f64;
    if bytes / fastest >= 0.1 {
        format!("{} GB/s", digits(bytes / nanoseconds))
    } else {
        format!("{} MB/s", digits(bytes / nanoseconds * 1e3))
    }
}

/// As many digits as the order of a table needs.
pub fn coarse(value: f64) -> f64 {
    format!("{value:.6e}").parse().unwrap_or(value)
}

/// The unit of the shortest times.
pub const NANOSECONDS: TimeUnit = TimeUnit { name: "ns", nanoseconds: 1.0 };

/// A round number as short as it can be written: `0.2`, `50`, `2k`, `10M`.
pub fn short(value: f64) -> String {
    let all = [("", 1.0), ("k", 1e3), ("M", 1e6), ("G", 1e9)];
    let (name, size) = all.into_iter().rev().find(|(_, size)| value >= *size).unwrap_or(all[0]);
    format!("{}{name}", rounded(value / size))
}

/// A round time as short as it can be written: `50 ms`.
pub fn shortest(nanoseconds: f64) -> String {
    let unit = unit(nanoseconds);
    format!("{} {}", rounded(nanoseconds / unit.nanoseconds), unit.name)
}

/// Without what floating point adds to a round number.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// A time's number alone, where its unit stands beside it already.
pub fn bare(nanoseconds: f64, unit: TimeUnit) -> String {
    digits(nanoseconds / unit.nanoseconds)
}

/// The interval of a time, in its unit.
pub fn time_interval(interval: Interval, unit: TimeUnit) -> String {
    format!("[{}, {}]", bare(interval.low, unit), scaled(interval.high, unit))
}

/// The same beside a time that has the unit.
pub fn bare_interval(interval: Interval, unit: TimeUnit) -> String {
    format!("[{}, {}]", bare(interval.low, unit), bare(interval.high, unit))
}

/// `number` of what `singular` names.
pub fn count(number: usize, singular: &str) -> String {
    format!("{number} {singular}{}", if number == 1 { "" } else { "s" })
}

/// The rank of `side` among `all` of its contest: `2=` where it shares it, `-` where rounds cannot say.
pub fn rank(side: &RankedSide, all: &[RankedSide]) -> String {
    let Some(rank) = side.rank else { return "-".to_owned() };
    let sharing = all.iter().filter(|it| it.rank == Some(rank)).count();
    format!("{rank}{}", if sharing > 1 { "=" } else { "" })
}

/// Operations a second of which one takes `nanoseconds`.
pub fn rate(nanoseconds: f64) -> String {
    rate_among(nanoseconds, nanoseconds)
}

/// The same, in the unit that suits an operation that takes `fastest` nanoseconds.
pub fn rate_among(nanoseconds: f64, fastest: f64) -> String {
    let all = [("1", 1.0), ("k", 1e3), ("M", 1e6), ("G", 1e9)];
    let suits = |(_, size): &(&str, f64)| 1e9 / fastest >= *size;
    let (name, size) = all.into_iter().rev().find(suits).unwrap_or(all[0]);
    format!("{} {name}/s", digits(1e9 / nanoseconds / size))
}

/// A size with its unit.
pub fn size(contest: Contest) -> String {
    match (contest.size, sizes(contest.algorithm, contest.operation).map(|it| it.unit)) {
        (Some(size), Some(Unit::Bytes | Unit::PieceBytes)) => format!("{size} B"),
        (Some(size), Some(Unit::ModulusBits)) => format!("{size} bit"),
        (Some(size), None) => size.to_string(),
        (None, _) => String::new(),
    }
}

/// How many times as fast, from the logarithm of the other's time over this one's.
pub fn times_as_fast(log_ratio: f64) -> String {
    let ratio = log_ratio.exp();
    if ratio >= 100.0 {
        format!("{ratio:.0}")
    } else if ratio >= 10.0 {
        format!("{ratio:.1}")
    } else {
        format!("{ratio:.2}")
    }
}

/// The interval of [`times_as_fast`], from that of the logarithm.
pub fn times_interval(interval: Interval) -> String {
    format!("[{}, {}]", times_as_fast(interval.low), times_as_fast(interval.high))
}

/// How many times, in words: the two ends of an interval of logarithms, with one digit after the point, or as many as tell
/// them apart and from 1.
pub fn times(interval: Interval) -> String {
    let (low, high) = (interval.low.exp(), interval.high.exp());
    let written = |digits: usize| (format!("{low:.digits$}"), format!("{high:.digits$}"));
    let (low, high) = (1..4)
        .map(|digits| (digits, written(digits)))
        .find(|(digits, (low, high))| {
            let one = format!("{:.digits$}", 1.0);
            low != high && *low != one && *high != one && low.parse() != Ok(0.0)
        })
        .map_or_else(|| written(4), |it| it.1);
    if low == high { low } else { format!("{low} to {high}") }
}

/// A factor from its logarithm, for a column of such.
pub fn factor(log_ratio: f64) -> String {
    let factor = log_ratio.exp();
    match factor {
        it if it >= 1000.0 => format!("{it:.0}"),
        it if it >= 100.0 => format!("{it:.1}"),
        it if it >= 10.0 => format!("{it:.2}"),
        it => format!("{it:.3}"),
    }
}

/// A factor with its interval, where it has one: `1.951 [1.934, 1.972]`.
pub fn factor_between(log_ratio: f64, interval: Option<Interval>) -> String {
    let interval = interval
        .map_or_else(String::new, |it| format!(" [{}, {}]", factor(it.low), factor(it.high)));
    format!("{}{interval}", factor(log_ratio))
}

/// Bytes in the largest unit of which they are a whole number: `28 KiB`.
pub fn bytes(number: u64) -> String {
    let all = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    let whole = all.into_iter().find(|(_, size)| number >= *size && number.is_multiple_of(*size));
    whole.map_or_else(|| format!("{number} B"), |(name, size)| format!("{} {name}", number / size))
}

/// A number without a unit.
pub fn number(value: f64) -> String {
    digits(value)
}

/// Gigabits a second of one operation on `bytes` in `nanoseconds`: 10⁹ bits.
pub fn gigabits(bytes: u64, nanoseconds: f64) -> String {
    digits(bytes as f64 * 8.0 / nanoseconds)
}

/// A ratio from its logarithm, with as many digits as its interval makes sensible.
pub fn ratio(log_ratio: f64) -> String {
    let ratio = log_ratio.exp();
    if ratio >= 100.0 {
        format!("{ratio:.0}×")
    } else if ratio >= 10.0 {
        format!("{ratio:.2}×")
    } else {
        format!("{ratio:.4}×")
    }
}

/// The interval of a ratio from that of its logarithm.
pub fn ratio_interval(interval: Interval) -> String {
    let bare = |log_ratio| ratio(log_ratio).trim_end_matches('×').to_owned();
    format!("[{}, {}]", bare(interval.low), bare(interval.high))
}

/// A change in per cent from the logarithm of its ratio, with its sign.
pub fn change(log_ratio: f64) -> String {
    // Not -0.
    format!("{:+.2} %", (log_ratio.exp_m1() * 1e4).round() / 100.0 + 0.0)
}

/// How far a value lies from another, 0.01 for one per cent, with its sign.
pub fn deviation(share: f64) -> String {
    format!("{:+.1} %", (share * 1e3).round() / 10.0 + 0.0)
}

/// A change without its sign.
pub fn share(log_ratio: f64) -> String {
    // More than a factor of a thousand is no number that anybody reads.
    if log_ratio.abs() > 1000_f64.ln() {
        return "more than 99900 %".to_owned();
    }
    format!("{:.2} %", log_ratio.exp_m1().abs() * 100.0)
}

/// A probability.
pub fn probability(value: f64) -> String {
    if value < 0.0001 { "<0.0001".to_owned() } else { format!("{value:.4}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_four_digits_and_their_unit() {
        for (nanoseconds, text) in [
            (0.5, "0.500 ns"),
            (71.234, "71.23 ns"),
            (999.96, "1000.0 ns"),
            (1000.0, "1.000 µs"),
            (17_654.0, "17.65 µs"),
            (35_510_000.0, "35.51 ms"),
            (2.5e9, "2.500 s"),
            (2.5e13, "25000 s"),
        ] {
            assert_eq!(scaled(nanoseconds, unit(nanoseconds)), text);
        }
        assert_eq!(scaled(71.234, unit(5e3)), "0.071 µs");
    }

    #[test]
    fn throughputs_rates_and_sizes_have_their_units() {
        assert_eq!(throughput(16384, 4096.0, 4096.0), "4.000 GB/s");
        assert_eq!(throughput(16, 50_000.0, 100.0), "0.000 GB/s");
        assert_eq!(throughput(16, 2000.0, 2000.0), "8.000 MB/s");
        assert_eq!(rate(50.0), "20.00 M/s");
        assert_eq!(rate(35_510.0), "28.16 k/s");
        assert_eq!(rate(8e9), "0.125 1/s");
        let size = |contest: &str| size(contest.parse().expect("a contest"));
        assert_eq!(size("aes-256-gcm/seal/1350"), "1350 B");
        assert_eq!(size("rsa-pss-sha256/sign/2048"), "2048 bit");
        assert_eq!(size("x25519/derive"), "");
        assert_eq!(times_as_fast(1.1234_f64.ln()), "1.12");
        assert_eq!(times_as_fast(44.0_f64.ln()), "44.0");
    }

    #[test]
    fn numbers_of_sentences_are_told_apart() {
        let times = |low: f64, high: f64| times(Interval { low: low.ln(), high: high.ln() });
        assert_eq!(times(1.91, 2.04), "1.9 to 2.0");
        assert_eq!(times(1.91, 1.94), "1.91 to 1.94");
        assert_eq!(times(1.003, 1.24), "1.003 to 1.240");
        assert_eq!(times(0.98, 1.03), "0.98 to 1.03");
        assert_eq!(times(0.97, 0.9998), "0.9700 to 0.9998");
        assert_eq!(times(2.0, 2.0), "2.0000");
        assert_eq!(times(23.04, 31.0), "23.0 to 31.0");
        assert_eq!(times(0.0, 0.5), "0.0000 to 0.5000");
        assert_eq!(factor_between(1.951_f64.ln(), None), "1.951");
        let interval = Interval { low: 9.9_f64.ln(), high: 123.4_f64.ln() };
        assert_eq!(factor_between(12.345_f64.ln(), Some(interval)), "12.35 [9.900, 123.4]");
        assert_eq!(
            [28 << 10, 32 << 20, 1 << 30, 1000, 1025, 0].map(bytes).join(", "),
            "28 KiB, 32 MiB, 1 GiB, 1000 B, 1025 B, 0 B"
        );
        assert_eq!(gigabits(8192, 8192.0), "8.000");
    }

    #[test]
    fn ratios_and_changes_come_from_logarithms() {
        let interval = Interval { low: 1.01_f64.ln(), high: 1.03_f64.ln() };
        assert_eq!(ratio(1.0213_f64.ln()), "1.0213×");
        assert_eq!(ratio(44.0_f64.ln()), "44.00×");
        assert_eq!(ratio(1234.0_f64.ln()), "1234×");
        assert_eq!(ratio_interval(interval), "[1.0100, 1.0300]");
        assert_eq!(change(1.0213_f64.ln()), "+2.13 %");
        assert_eq!(change(0.98_f64.ln()), "-2.00 %");
        assert_eq!(share(0.98_f64.ln()), "2.00 %");
        assert_eq!(share(1e5), "more than 99900 %");
        assert_eq!(probability(0.0), "<0.0001");
        assert_eq!(probability(0.04567), "0.0457");
    }
}
