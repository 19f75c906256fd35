//! Values of charts, by keyboard and by pointer.

use crate::{PAGE, driver::Seen};

/// The chart of `aes-256-gcm/seal`.
const CHART: &str = "svg.chart[aria-label^='aes-256-gcm/seal']";

#[test]
fn the_keyboard_reaches_a_chart_and_reads_its_values() {
    let Some(seen) = Seen::open(&PAGE) else { return };
    let mut tabs = 0;
    while !seen.ask::<bool>("document.activeElement.matches('svg.chart')") {
        seen.press("Tab");
        tabs += 1;
        assert!(tabs < 300, "no chart");
    }
    assert!(!seen.shows("#tip"));
    let said = || {
        let text = seen.text("#tip");
        assert!(seen.shows("#tip"));
        assert_eq!(seen.text("#says"), text, "said aloud");
        assert_eq!(seen.count(".here"), 1);
        text
    };
    seen.ask::<serde_json::Value>(&format!("document.querySelector(\"{CHART}\").focus()"));
    let mut texts = Vec::new();
    for _ in 0..11 {
        seen.press("ArrowRight");
        texts.push(said());
    }
    // Five of the copy, then those of the first backend.
    assert!(texts[0].starts_with("a copy of the message, no cryptography, 16 B: "), "{texts:?}");
    assert!(
        texts[5].starts_with("aws-lc, 16 B: ")
            && texts[5].contains(" GB/s, 83.")
            && texts[5].contains(" ns ["),
        "{texts:?}"
    );
    assert!(
        texts[9].starts_with("aws-lc, 65536 B: ") && texts[9].contains(" GB/s, 13."),
        "{texts:?}"
    );
    assert!(texts[10].starts_with("graviola, 256 B: "), "{texts:?}");
    seen.press("ArrowLeft");
    assert_eq!(said(), texts[9]);
    seen.press("ArrowDown");
    assert!(said().starts_with("graviola, 65536 B: "));
    seen.press("ArrowUp");
    assert_eq!(said(), texts[9]);
    let (left, right, top, bottom, width): (f64, f64, f64, f64, f64) = seen.ask(
        "(() => { const it = document.getElementById('tip').getBoundingClientRect(); return [it.left, it.right, it.top, it.bottom, innerWidth]; })()",
    );
    assert!(
        0.0 <= left && right <= width && 0.0 <= top && bottom <= 800.0,
        "{left} {right} {top} {bottom}"
    );
    seen.press("Escape");
    assert!(!seen.shows("#tip"));
    assert_eq!(seen.count(".here"), 0);
    // What is left out is not read.
    seen.click("input[value='aws-lc']");
    seen.ask::<serde_json::Value>(&format!("document.querySelector(\"{CHART}\").focus()"));
    for _ in 0..6 {
        seen.press("ArrowRight");
    }
    assert!(said().starts_with("graviola, 256 B: "));
    seen.press("Tab");
    assert!(!seen.shows("#tip"));
}

#[test]
fn the_pointer_reads_the_nearest_value() {
    let Some(seen) = Seen::open(&PAGE) else { return };
    for (point, says) in [
        ("g[data-b=ring] use:nth-of-type(1)", "ring, 16 B: "),
        ("g[data-b=ring] use:nth-of-type(5)", "ring, 65536 B: "),
        ("g[data-b=rustcrypto] use:nth-of-type(3)", "rustcrypto, 1024 B: "),
        ("circle.floor:nth-of-type(2)", "a copy of the message, no cryptography, 256 B: "),
    ] {
        seen.point_at(&format!("{CHART} {point}"));
        seen.until("!document.getElementById('tip').hidden");
        assert!(seen.text("#tip").starts_with(says), "{says}: {}", seen.text("#tip"));
        assert_eq!(seen.text("#says"), "", "nothing is said aloud of a pointer");
        seen.point_at("h1");
        seen.until("document.getElementById('tip').hidden");
    }
    seen.point_at("svg.chart[aria-label^='x25519/derive'] rect");
    seen.until("!document.getElementById('tip').hidden");
    assert!(seen.text("#tip").starts_with("aws-lc: 32."), "{}", seen.text("#tip"));
    seen.unfold();
    seen.point_at("svg.chart[aria-label^='x25519/derive: each round'] .dots");
    seen.until("document.getElementById('tip').textContent.includes('%')");
    seen.point_at("svg.chart[aria-label^='rsa keygen'] use");
    seen.until(
        "document.getElementById('tip').textContent.startsWith('aws-lc: median of 84 keys ')",
    );
}
