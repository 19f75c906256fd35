//! What can be seen of a page without a browser: its size, that it is the same twice, and that what has no number has a
//! reason.

#[path = "browser/made_up.rs"]
mod made_up;

use cryptobench_report::page::{Options, page};

#[test]
fn a_thousand_cases_are_no_more_than_two_megabytes() {
    let input = made_up::of_cases(1000);
    assert!(input.record.cases.len() >= 1000);
    let page = page(&[input], &Options::default());
    assert!(page.len() <= 2_000_000, "{} bytes", page.len());
}

#[test]
fn words_of_a_record_make_no_elements() {
    let options = Options { command: made_up::HOSTILE.to_owned(), ..Options::default() };
    for inputs in
        [vec![made_up::input(made_up::HOSTILE, made_up::HOSTILE, 1.0)], vec![made_up::duel()]]
    {
        let page = page(&inputs, &options);
        assert_eq!(page.matches("<script").count(), 2);
        assert_eq!(page.matches("</script").count(), 2);
        for never in ["<img", "<!--", "\u{202e}", "\u{7}"] {
            assert!(!page.contains(never), "{never}");
        }
        assert!(page.contains("&lt;img src=x"));
    }
}

#[test]
fn a_page_is_the_same_twice() {
    let make = || {
        let inputs =
            [made_up::input("old", "Some CPU", 1.2), made_up::input("new", "Another CPU", 1.0)];
        page(&inputs, &Options::default())
    };
    assert_eq!(make(), make());
}

#[test]
fn what_has_no_number_has_a_dagger_and_a_reason() {
    let input = made_up::input("made-up", "Some CPU", 1.0);
    let absent: Vec<(String, String, String)> = input
        .record
        .unsupported
        .iter()
        .map(|it| (&it.id, it.reason.clone()))
        .chain(input.record.failed.iter().map(|it| (&it.id, format!("failed: {}", it.reason))))
        .map(|(id, reason)| (id.contest.to_string(), id.backend.to_string(), reason))
        .collect();
    assert_eq!(absent.len(), 4);
    let page = page(&[input], &Options::default());
    for (contest, backend, reason) in absent {
        let reason = cryptobench_report::text::visible(&reason).into_owned();
        let escaped = reason
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
            .replace('"', "&quot;");
        let cell = format!("data-b=\"{backend}\" title=\"{escaped}\">†<sup>");
        assert!(page.contains(&cell), "{contest} {backend}: {cell}");
        assert!(page.contains(&format!(" {backend}: {escaped}</li>")), "{contest} {backend}");
        assert!(
            !page.contains(&format!("data-b=\"{backend}\" data-contest=\"{contest}\"")),
            "{contest} {backend}"
        );
    }
    for zero in [">0.000 ns<", ">0 B/s<", ">NaN", ">inf", "Infinity ns"] {
        assert!(!page.contains(zero), "{zero}");
    }
}
