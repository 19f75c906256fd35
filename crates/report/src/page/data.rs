//! What the script needs to compute ratios to another reference, and the order among the backends that are shown.

use super::Page;
use serde::Serialize;

/// Everything.
#[derive(Serialize)]
struct Data {
    /// The labels of all backends; sides are named by their place here.
    backends: Vec<String>,
    runs: Vec<Run>,
}

/// One record.
#[derive(Serialize)]
struct Run {
    contests: Vec<Contest>,
}

/// One contest.
#[derive(Serialize)]
struct Contest {
    /// Its id.
    id: String,
    /// Who takes part, the fastest first.
    sides: Vec<usize>,
    /// For each pair of sides i < j, in the order (0, 1), (0, 2), …, (1, 2), …: the logarithm of j's time over i's, its
    /// interval, and the one-sided p-value against i not being faster. Zeroes where something is not known: JSON
    /// has no infinity.
    pairs: Vec<(Number, Option<(Number, Number)>, Option<Number>)>,
}

/// A number with more digits than anybody reads, so that what is rounded for reading is rounded once.
#[derive(Clone, Copy)]
struct Number(f64);

impl Serialize for Number {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rounded = (self.0 * 1e9).round() / 1e9;
        if rounded == 0.0 { serializer.serialize_u8(0) } else { serializer.serialize_f64(rounded) }
    }
}

/// The data as JSON that cannot end the element it stands in, whatever names hold.
pub(crate) fn json(page: &Page<'_>) -> String {
    let run = |view: &super::View<'_>| {
        let contest = |it: &cryptobench_results::ranking::RankedContest| {
            let mut pairs = Vec::new();
            for (index, first) in it.sides.iter().enumerate() {
                for second in &it.sides[index + 1..] {
                    let ratio = it.ratio(&second.key, &first.key);
                    pairs.push(ratio.map_or((Number(0.0), None, None), |it| {
                        (
                            Number(it.log_ratio),
                            it.interval.map(|it| (Number(it.low), Number(it.high))),
                            it.p_slower.map(Number),
                        )
                    }));
                }
            }
            let member = |key| view.member(&page.cast, key).index;
            Contest {
                id: it.contest.to_string(),
                sides: it.sides.iter().map(|side| member(&side.key)).collect(),
                pairs,
            }
        };
        Run { contests: view.ranking.contests.iter().map(contest).collect() }
    };
    let data = Data {
        backends: page.cast.members().iter().map(|it| it.label.clone()).collect(),
        runs: page.views.iter().map(run).collect(),
    };
    let json = serde_json::to_string(&data).expect("names and finite numbers");
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}
