//! What can be read: contrast, narrow windows, paper.

use crate::{PAGE, driver::Seen, made_up, of};

/// A page with every part.
fn whole() -> String {
    of(&[made_up::input("old", "Some CPU", 1.2), made_up::input("new", "Another CPU", 1.0)])
}

#[test]
fn everything_stands_out_from_what_is_behind_it() {
    let Some(seen) = Seen::open(&whole()) else { return };
    seen.unfold();
    seen.point_at("svg.chart use");
    for scheme in ["light", "dark"] {
        seen.scheme(scheme);
        let (looked, wrong): (usize, Vec<String>) = seen.ask(include_str!("contrast.js"));
        assert!(looked > 1000, "{looked}");
        assert_eq!(wrong, [] as [String; 0], "{scheme}");
    }
    let dark: String = seen.ask("getComputedStyle(document.body).backgroundColor");
    seen.scheme("light");
    assert_ne!(seen.ask::<String>("getComputedStyle(document.body).backgroundColor"), dark);
}

#[test]
fn no_window_is_too_narrow() {
    // Words, one letter below the other.
    const SQUEEZED: &str = "[...document.querySelectorAll('td, th, dd, dt, li, p, label')]
        .filter((it) => it.checkVisibility() && it.textContent.length > 20 && it.getBoundingClientRect().width < 60)
        .map((it) => `${it.tagName}: ${it.textContent.slice(0, 40)}`).slice(0, 5)";
    // What sticks out, and is not within something that scrolls by itself.
    let beyond = |width: u32| {
        format!(
        "[document.documentElement.scrollWidth, innerWidth, [...document.body.querySelectorAll('*')]
            .filter((it) => it.checkVisibility() && it.getBoundingClientRect().right > {width} + 1)
            .filter((it) => !it.closest('.scroll, pre, svg'))
            .map((it) => `${{it.tagName}}.${{it.className}}: ${{it.textContent.slice(0, 40)}}`).slice(0, 5)]"
    )
    };
    for page in [&*PAGE, &whole(), &of(&[made_up::duel()]), &of(&[made_up::scenarios(7)])] {
        for width in [320, 768, 1280] {
            let Some(seen) = Seen::in_window(page, width) else { return };
            for open in [false, true] {
                if open {
                    seen.unfold();
                }
                for scheme in ["light", "dark"] {
                    seen.scheme(scheme);
                    let (scroll, inner, beyond): (u32, u32, Vec<String>) = seen.ask(&beyond(width));
                    assert!(
                        scroll <= inner && inner == width,
                        "{scroll} > {inner} at {width} (open: {open}): {beyond:?}"
                    );
                    assert_eq!(beyond, [] as [String; 0], "at {width}");
                    let squeezed: Vec<String> = seen.ask(SQUEEZED);
                    assert_eq!(squeezed, [] as [String; 0], "at {width}");
                }
            }
        }
    }
}

#[test]
fn paper_has_the_numbers_on_white_and_nothing_to_set() {
    let Some(seen) = Seen::open(&PAGE) else { return };
    seen.unfold();
    assert!(seen.shows("#reset"));
    seen.print();
    for hidden in ["nav", "#reference", "#reset", ".controls input", ".algorithms", ".scripted"] {
        assert_eq!(seen.count(hidden), 0, "{hidden}");
    }
    assert!(
        seen.shows(".legend label") && seen.shows(".winners td") && seen.shows("svg.chart .line")
    );
    let (paper, ink): (String, String) = seen.ask(
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]",
    );
    assert_eq!(paper, "rgb(255, 255, 255)");
    assert_eq!(ink, "rgb(27, 31, 36)");
    assert_ne!(
        seen.ask::<String>("getComputedStyle(document.querySelector('.controls')).position"),
        "sticky"
    );
    let (looked, wrong): (usize, Vec<String>) = seen
        .ask(&include_str!("contrast.js").replace("prefers-color-scheme: dark", "max-width: 0"));
    assert!(looked > 1000, "{looked}");
    assert_eq!(wrong, [] as [String; 0]);
}
