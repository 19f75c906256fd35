//! What was chosen is in the address, and comes back from it.

use crate::{PAGE, driver::Seen};
use serde_json::Value;

/// Everything that choosing changes.
fn state(seen: &Seen) -> Value {
    seen.ask(
        "[document.getElementById('reference').value,
            [...document.querySelectorAll('.controls input')].filter((it) => !it.checked).map((it) => it.value),
            [...document.querySelectorAll('th[aria-sort]')].map((it) => it.getAttribute('aria-sort')),
            [...document.querySelectorAll('td')].filter((it) => it.checkVisibility()).map((it) => it.textContent.trim())]",
    )
}

fn hash(seen: &Seen) -> String {
    seen.ask("location.hash")
}

#[test]
fn an_address_passed_on_shows_the_same() {
    let Some(seen) = Seen::open(&PAGE) else { return };
    assert_eq!(hash(&seen), "");
    let untouched = state(&seen);
    seen.choose("#reference", "openssl");
    seen.click("input[value=ring]");
    seen.click("input[value=rustcrypto]");
    seen.click(".algorithms summary");
    seen.click("input[value='ecdh-p256']");
    seen.click(".matrix th:nth-child(3) button");
    seen.click(".matrix th:nth-child(3) button");
    let chosen = state(&seen);
    assert_ne!(chosen, untouched);

    let again = Seen::at(&PAGE, &hash(&seen)).expect("a browser");
    assert_eq!(state(&again), chosen);
    assert_eq!(hash(&again), hash(&seen));

    // A link goes to its part and keeps what was chosen.
    seen.click("nav a[href='#sure']");
    assert!(hash(&seen).starts_with("#sure&ref=openssl&"), "{}", hash(&seen));
    assert_eq!(state(&seen), chosen);
    seen.until("Math.abs(document.getElementById('sure').getBoundingClientRect().top) < 150");
    let again = Seen::at(&PAGE, &hash(&seen)).expect("a browser");
    assert_eq!(state(&again), chosen);
    again.until("Math.abs(document.getElementById('sure').getBoundingClientRect().top) < 150");
    assert_eq!(again.heard().complaints, [] as [String; 0]);

    // An address typed into the same tab.
    again.ask::<Value>("void (location.hash = '#which')");
    again.until("document.getElementById('reference').value === ''");
    assert_eq!(state(&again), untouched);
}

#[test]
fn an_address_of_somebody_else_is_passed_over() {
    let Some(plain) = Seen::open(&PAGE) else { return };
    let untouched = state(&plain);
    for fragment in [
        "#",
        "#nowhere",
        "#ref=nobody&hide=nobody,&off=nothing&sort=999.0a,0.999d,x",
        "#&&&==&ref&hide",
        "#ref=openssl&hide=%E0%A4%A",
        "#<script>window.hacked=1</script>&ref=%22%3E%3Cimg%20src=x%20onerror=window.hacked=1%3E",
        "#__proto__&ref=__proto__&hide=constructor&sort=0.-1a",
    ] {
        let seen = Seen::at(&PAGE, fragment).expect("a browser");
        assert_eq!(state(&seen), untouched, "{fragment}");
        assert_eq!(seen.heard().complaints, [] as [String; 0], "{fragment}");
        assert_eq!(seen.ask::<String>("typeof window.hacked"), "undefined", "{fragment}");
    }
}
