//! Many tests at once: Holm's step-down adjustment (Holm 1979).
//! Which tests belong together is for the caller to say.

/// The p-values adjusted, in the order given: rejecting those below a level rejects a true hypothesis with at
/// most that probability in the whole family, whatever the dependence between the tests. What is not a
/// probability counts as 1.
#[must_use]
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let p = |index: usize| {
        let p = p_values[index];
        if p.is_nan() { 1.0 } else { p.clamp(0.0, 1.0) }
    };
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_unstable_by(|&a, &b| p(a).total_cmp(&p(b)));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut least = 0.0_f64;
    for (rank, &index) in order.iter().enumerate() {
        least = least.max(p(index) * (p_values.len() - rank) as f64).min(1.0);
        adjusted[index] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_tests_and_no_probabilities() {
        assert!(holm(&[]).is_empty());
        assert_eq!(holm(&[0.03]), [0.03]);
        assert_eq!(holm(&[f64::NAN, 0.01, -1.0, 7.0]), [1.0, 0.03, 0.0, 1.0]);
    }
}
