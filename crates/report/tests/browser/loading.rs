//! What is loaded and what runs: nothing but the page itself, with and without scripts.

use crate::{PAGE, driver::Seen, made_up, of};

#[test]
fn nothing_is_loaded_and_nothing_runs_but_the_page() {
    for page in [&*PAGE, &of(&[made_up::duel()])] {
        let Some(seen) = Seen::open(page) else { return };
        assert!(seen.ask::<bool>("document.documentElement.classList.contains('js')"));
        seen.unfold();
        seen.click("[data-toggle=b]");
        let heard = seen.heard();
        assert_eq!(heard.complaints, [] as [String; 0]);
        assert_eq!(heard.requests, [seen.address()]);
        assert_eq!(seen.ask::<usize>("performance.getEntriesByType('resource').length"), 0);
        assert_eq!(seen.ask::<String>("typeof window.hacked"), "undefined");
        assert_eq!(seen.count_all("script"), 2);
        for never in [
            "img",
            "iframe",
            "object",
            "embed",
            "audio",
            "video",
            "form",
            "base",
            "[style]",
            "[onerror]",
        ] {
            assert_eq!(seen.count_all(never), 0, "{never}");
        }
    }
}

#[test]
fn words_of_a_record_are_shown_as_they_are() {
    let Some(seen) = Seen::open(&PAGE) else { return };
    let shown = cryptobench_report::text::visible(made_up::HOSTILE).into_owned();
    for place in [".warnings", ".failed", ".reasons", ".facts", "pre", "footer", "header"] {
        let text: String = seen.ask(&format!(
            "[...document.querySelectorAll('{place}')].map((it) => it.textContent).join()"
        ));
        assert!(text.contains(&shown), "{place}: {text}");
    }
    assert!(seen.ask::<bool>(
        "!/[\\u0000-\\u0008\\u202a-\\u202e]/.test(document.documentElement.textContent)"
    ));
}

#[test]
fn without_scripts_the_numbers_are_there_and_what_needs_scripts_is_not() {
    let Some(seen) = Seen::without_scripts(&PAGE) else { return };
    assert!(!seen.ask::<bool>("document.documentElement.classList.contains('js')"));
    for hidden in ["#reference", "#reset", ".controls input", ".algorithms", ".scripted"] {
        assert_eq!(seen.count(hidden), 0, "{hidden}");
    }
    assert_eq!(seen.count(".legend label"), 6);
    assert_eq!(seen.count(".legend .b"), 6);
    assert!(seen.count(".winners td.lead") > 10);
    assert!(seen.text(".winners td.lead .by").contains('×'));
    assert_eq!(seen.count("td button, th button"), 0);
    seen.unfold();
    assert!(seen.text(".numbers tr[data-contest='aes-256-gcm/seal/16'] .ratio").ends_with('×'));
    assert!(seen.count("svg.chart path.line") > 12);
    assert!(seen.ask::<bool>(
        "[...document.querySelectorAll('svg.chart path.line')].every((it) => it.getTotalLength() > 50)"
    ));
    assert!(seen.count("svg.chart rect.bar") > 3);
}

/// The test above is worth as much as what this one finds.
#[test]
fn what_goes_wrong_is_heard() {
    let Some(seen) = Seen::open(&PAGE) else { return };
    assert_eq!(seen.heard().complaints, [] as [String; 0]);
    for wrong in [
        "console.warn('a warning')",
        "void setTimeout(() => { throw new Error('an exception'); })",
        "void document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.hacked = 1' }))",
        "void document.body.append(Object.assign(document.createElement('img'), { src: 'file:///nothing.png' }))",
        "document.body.setAttribute('style', 'color: red')",
    ] {
        seen.ask::<serde_json::Value>(wrong);
        let heard = seen.heard();
        assert_eq!(heard.complaints.len(), 1, "{wrong}: {heard:?}");
    }
    assert_eq!(seen.ask::<String>("typeof window.hacked"), "undefined");
}
