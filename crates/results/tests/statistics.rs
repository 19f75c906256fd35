//! The statistics against values that SciPy computed: tests/data/statistics.py says how.
//! What they do with degenerate samples is tested beside each.

use cryptobench_results::statistics::{
    Prior, Variance, difference_of_trimmed_means, holm, median, quantile, quantile_interval,
    standard_deviation, trimmed_mean, upper_quantile, upper_tail,
};
use serde_json::Value;

fn data(section: &str) -> Value {
    let data: Value = serde_json::from_str(include_str!("data/statistics.json")).unwrap();
    data[section].clone()
}

fn rows(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    rows(value).iter().map(number).collect()
}

fn count(value: &Value) -> usize {
    value.as_u64().unwrap().try_into().unwrap()
}

#[track_caller]
fn near(ours: f64, theirs: &Value, relative: f64) {
    let theirs = number(theirs);
    assert!((ours - theirs).abs() <= relative * theirs.abs().max(1e-12), "{ours} is not {theirs}");
}

#[test]
fn student() {
    let data = data("student");
    for row in rows(&data["tails"]) {
        let (degrees, t) = (number(&row["degrees"]), number(&row["t"]));
        let ours = upper_tail(t, degrees);
        // Tails that no test decides by are known less well.
        near(ours, &row["tail"], if degrees > 2000.0 && t > 4.0 { 1e-3 } else { 1e-7 });
    }
    for row in rows(&data["quantiles"]) {
        let (degrees, tail) = (number(&row["degrees"]), number(&row["tail"]));
        near(upper_quantile(tail, degrees), &row["t"], 1e-6);
    }
}

#[test]
fn location_and_spread() {
    let data = data("descriptive");
    for row in rows(&data) {
        let values = numbers(&row["values"]);
        near(median(&values).unwrap(), &row["median"], 1e-12);
        near(standard_deviation(&values).unwrap(), &row["standard_deviation"], 1e-12);
        for pair in rows(&row["quantiles"]) {
            near(quantile(&values, number(&pair[0])).unwrap(), &pair[1], 1e-12);
        }
    }
}

#[test]
fn trimmed_means() {
    let data = data("one_sample");
    for row in rows(&data) {
        let ours = trimmed_mean(&numbers(&row["values"]), count(&row["cut"])).unwrap();
        near(ours.value, &row["value"], 1e-12);
        near(ours.standard_error, &row["standard_error"], 1e-10);
        near(ours.degrees, &row["degrees"], 0.0);
        near(ours.interval(0.95).low, &row["low"], 1e-9);
        near(ours.interval(0.95).high, &row["high"], 1e-9);
        near(ours.p_above(0.02), &row["p_above"], 1e-9);
        near(ours.p_below(0.02), &row["p_below"], 1e-9);
        near(ours.detectable(0.02, 0.05 / 40.0, 0.95), &row["detectable"], 1e-9);
    }
}

#[test]
fn two_trimmed_means() {
    let data = data("two_samples");
    for row in rows(&data) {
        let (first, second) = (numbers(&row["first"]), numbers(&row["second"]));
        let cut = (count(&row["cut"][0]), count(&row["cut"][1]));
        let ours = difference_of_trimmed_means(&first, &second, cut).unwrap();
        near(ours.value, &row["value"], 1e-12);
        near(ours.standard_error, &row["standard_error"], 1e-10);
        near(ours.degrees, &row["degrees"], 1e-10);
        near(ours.interval(0.95).low, &row["low"], 1e-9);
        near(ours.interval(0.95).high, &row["high"], 1e-9);
        near(ours.p_above(0.0), &row["p_above"], 1e-9);
    }
}

#[test]
fn holm_s_adjustment() {
    let data = data("holm");
    for row in rows(&data) {
        let ours = holm(&numbers(&row["p"]));
        for (ours, theirs) in ours.iter().zip(rows(&row["adjusted"])) {
            near(*ours, theirs, 1e-12);
        }
    }
}

#[test]
fn moderated_variances() {
    let data = data("moderation");
    for row in rows(&data) {
        let variances: Vec<Variance> = numbers(&row["variances"])
            .into_iter()
            .zip(numbers(&row["degrees"]))
            .map(|(value, degrees)| Variance { value, degrees })
            .collect();
        let prior = Prior::fit(&variances).unwrap();
        near(prior.variance, &row["prior_variance"], 1e-9);
        match row["prior_degrees"].as_f64() {
            None => assert_eq!(prior.degrees, f64::INFINITY),
            Some(_) => near(prior.degrees, &row["prior_degrees"], 1e-9),
        }
        for (index, &own) in variances.iter().enumerate() {
            let moderated = prior.moderate(own);
            near(moderated.value, &row["posterior"][index], 1e-9);
            near(moderated.degrees, &row["total"][index], 1e-9);
        }
    }
}

#[test]
fn intervals_of_quantiles() {
    let data = data("quantile_intervals");
    for row in rows(&data) {
        let values = numbers(&row["values"]);
        let ours = quantile_interval(&values, number(&row["share"]), number(&row["confidence"]));
        let theirs = &row["interval"];
        match ours {
            None => assert!(theirs.is_null(), "{theirs}"),
            Some(ours) => {
                near(ours.low, &theirs[0], 0.0);
                near(ours.high, &theirs[1], 0.0);
            }
        }
    }
}
