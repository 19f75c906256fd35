"""Values for tests/statistics.rs, computed by SciPy and not by the code under test.

In crates/results: python3 tests/data/statistics.py > tests/data/statistics.json

Written by SciPy 1.17.1, NumPy 2.4.6 and statsmodels 0.15 (which only confirms Holm; without it that check is
left out and the file is the same).
"""

import json
import math

import numpy as np
from scipy import optimize, special, stats
from scipy.stats import mstats

rng = np.random.default_rng(20240607)


def floats(values):
    return [float(value) for value in values]


def sample(n, spread=0.01, centre=0.03):
    return rng.normal(centre, spread, n)


def student():
    rows = []
    for df in [0.5, 1, 2, 3.7, 6, 11, 100.5, 799, 1999, 2001, 3200, 1e5, 1e9]:
        for t in [-3.0, -0.2, 0.0, 0.001, 0.7, 1.9, 4.5, 12.0]:
            rows.append({"degrees": df, "t": t, "tail": float(stats.t.sf(t, df))})
    quantiles = []
    for df in [0.5, 1, 2, 3.7, 6, 11, 100.5, 799, 1999, 2001, 3200, 1e5, 1e9]:
        for tail in [0.3, 0.05, 0.025, 0.05 / 400, 1e-9, 0.8]:
            quantiles.append({"degrees": df, "tail": tail, "t": float(stats.t.isf(tail, df))})
    return {"tails": rows, "quantiles": quantiles}


def descriptive():
    rows = []
    for n in [2, 3, 7, 30, 61]:
        values = sample(n)
        rows.append(
            {
                "values": floats(values),
                "median": float(np.median(values)),
                "standard_deviation": float(np.std(values, ddof=1)),
                "quantiles": [[q, float(np.quantile(values, q, method="linear"))] for q in [0, 0.1, 0.5, 0.95, 1]],
            }
        )
    return rows


def tukey_mclaughlin(values, cut):
    """Trimmed mean, standard error and degrees of freedom as Tukey and McLaughlin, and Yuen, define them."""
    n = len(values)
    kept = n - 2 * cut
    winsorized = np.asarray(mstats.winsorize(np.asarray(values), limits=(cut / n, cut / n)))
    error = math.sqrt(np.sum((winsorized - winsorized.mean()) ** 2) / (kept * (kept - 1)))
    mean = float(stats.trim_mean(values, cut / n))
    if cut == 0:
        # SciPy's trimmed_stde fails where nothing is cut.
        assert math.isclose(error, stats.sem(values), rel_tol=1e-12)
        return mean, error, kept - 1
    # SciPy's trimmed_stde divides by h² / n and n - 1 instead of h (h - 1), as Wilcox does.
    theirs = float(mstats.trimmed_stde(np.asarray(values), limits=(cut / n, cut / n)))
    assert math.isclose(theirs * math.sqrt(kept * (n - 1) / (n * (kept - 1))), error, rel_tol=1e-12)
    low, high = mstats.trimmed_mean_ci(np.asarray(values), limits=(cut / n, cut / n), alpha=0.05)
    half = stats.t.ppf(0.975, kept - 1)
    assert math.isclose(low, mean - half * theirs, rel_tol=1e-9), (low, mean - half * theirs)
    assert math.isclose(high, mean + half * theirs, rel_tol=1e-9)
    return mean, error, kept - 1


def one_sample():
    rows = []
    for n, cut in [(3, 0), (5, 1), (7, 1), (12, 2), (20, 2), (9, 3)]:
        for outlier in [0.0, 0.5]:
            values = sample(n)
            values[n // 2] += outlier
            mean, error, degrees = tukey_mclaughlin(values, cut)
            t = stats.t(degrees, mean, error)
            if cut == 0:
                above = stats.ttest_1samp(values, 0.02, alternative="greater").pvalue
                assert math.isclose(above, t.cdf(0.02), rel_tol=1e-9)
            rows.append(
                {
                    "values": floats(values),
                    "cut": cut,
                    "value": mean,
                    "standard_error": error,
                    "degrees": degrees,
                    "low": float(t.ppf(0.025)),
                    "high": float(t.ppf(0.975)),
                    "p_above": float(t.cdf(0.02)),
                    "p_below": float(t.sf(0.02)),
                    "detectable": float(0.02 + (stats.t.isf(0.05 / 40, degrees) + stats.t.isf(0.05, degrees)) * error),
                }
            )
    return rows


def two_samples():
    rows = []
    for (n, cut_n), (m, cut_m) in [((5, 0), (5, 0)), ((7, 1), (7, 1)), ((12, 2), (12, 2)), ((5, 1), (10, 2))]:
        first, second = sample(n, 0.01), sample(m, 0.03, 0.05)
        # ttest_ind cuts the same share of both.
        assert int(cut_n / n * m) == cut_m
        result = stats.ttest_ind(second, first, equal_var=False, trim=cut_n / n)
        value = stats.trim_mean(second, cut_m / m) - stats.trim_mean(first, cut_n / n)
        interval = result.confidence_interval(0.95)
        rows.append(
            {
                "first": floats(first),
                "second": floats(second),
                "cut": [cut_n, cut_m],
                "value": float(value),
                "standard_error": float(value / result.statistic),
                "degrees": float(result.df),
                "low": float(interval.low),
                "high": float(interval.high),
                "p_above": float(
                    stats.ttest_ind(second, first, equal_var=False, trim=cut_n / n, alternative="greater").pvalue
                ),
            }
        )
    return rows


def holm():
    rows = []
    for p in [
        [0.01, 0.04, 0.03, 0.005],
        [0.5, 0.5, 0.001],
        [0.0, 1.0, 0.2, 0.2, 0.0001],
        floats(rng.uniform(0, 1, 40) ** 4),
    ]:
        # Holm 1979: the adjusted value of the j-th smallest is the largest of (m - i + 1) p_i up to it, at most 1.
        m = len(p)
        order = sorted(range(m), key=lambda index: p[index])
        adjusted = [0.0] * m
        for j, index in enumerate(order):
            adjusted[index] = min(1.0, max((m - i) * p[order[i]] for i in range(j + 1)))
        try:
            from statsmodels.stats.multitest import multipletests

            assert np.allclose(multipletests(p, method="holm")[1], adjusted, rtol=1e-12)
        except ImportError:
            pass
        rows.append({"p": p, "adjusted": adjusted})
    return rows


def moderation():
    rows = []
    for spread, degrees in [(0.0, [8] * 200), (0.6, [8] * 200), (1.5, [2, 4, 8, 11] * 10), (0.3, [4] * 12)]:
        true = np.exp(rng.normal(-9, spread, len(degrees)))
        df = np.array(degrees, float)
        variances = true * rng.chisquare(df) / df
        zeros = spread == 1.5
        if zeros:
            variances[[3, 17]] = 0.0
        # Smyth 2004, section 6.2; zeros as in limma's fitFDist.
        floored = np.maximum(variances, 1e-5 * np.median(variances))
        e = np.log(floored) - special.digamma(df / 2) + np.log(df / 2)
        beyond = np.var(e, ddof=1) - np.mean(special.polygamma(1, df / 2))
        if beyond > 0:
            half = optimize.brentq(lambda y: special.polygamma(1, y) - beyond, 1e-9, 1e9, xtol=1e-300, rtol=1e-14)
            d0 = 2 * half
            s0 = math.exp(e.mean() + special.digamma(half) - math.log(half))
            posterior = (d0 * s0 + df * variances) / (d0 + df)
        else:
            d0, s0 = math.inf, math.exp(e.mean())
            posterior = np.full(len(df), s0)
        total = np.minimum(d0 + df, df.sum())
        rows.append(
            {
                "variances": floats(variances),
                "degrees": floats(df),
                "prior_degrees": None if math.isinf(d0) else float(d0),
                "prior_variance": float(s0),
                "posterior": floats(posterior),
                "total": floats(total),
            }
        )
    return rows


def quantile_intervals():
    rows = []
    for n in [6, 7, 15, 30, 61, 100]:
        for q, confidence in [(0.5, 0.95), (0.5, 0.975), (0.95, 0.95)]:
            values = rng.exponential(20, n)
            interval = stats.quantile_test(values, q=0, p=q).confidence_interval(confidence)
            none = math.isnan(interval.low) or math.isnan(interval.high)
            rows.append(
                {
                    "values": floats(values),
                    "share": q,
                    "confidence": confidence,
                    "interval": None if none else [float(interval.low), float(interval.high)],
                }
            )
    return rows


print(
    json.dumps(
        {
            "student": student(),
            "descriptive": descriptive(),
            "one_sample": one_sample(),
            "two_samples": two_samples(),
            "holm": holm(),
            "moderation": moderation(),
            "quantile_intervals": quantile_intervals(),
        },
        separators=(",", ":"),
    ).replace("},{", "},\n{")
)
