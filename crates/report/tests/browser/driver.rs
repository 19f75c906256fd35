//! A page in Chromium: what a reader does, and what is then to be seen. What should be there the tests know.

use headless_chrome::{
    Browser, LaunchOptions, Tab,
    browser::tab::point::Point,
    protocol::cdp::{
        Emulation, Log, Network, Runtime,
        types::{Event, Method},
    },
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::{
    env, fs,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError, Weak},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// Long for a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(60);

/// The browser of the tests that run now. What is `static` is never dropped, and would leave Chromium behind; so whoever
/// is the last to use it ends it.
static SHARED: Mutex<Weak<Browser>> = Mutex::new(Weak::new());

/// A tab with a page.
pub(crate) struct Seen {
    tab: Arc<Tab>,
    heard: Arc<Mutex<Heard>>,
    file: PathBuf,
    _directory: TempDir,
    _browser: Arc<Browser>,
}

/// What a tab told since it was opened.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// The addresses of all requests.
    pub(crate) requests: Vec<String>,
    /// Exceptions, all that is on the console, and what the browser itself complains of.
    pub(crate) complaints: Vec<String>,
}

/// A browser; `None` where there is none and none is required.
fn browser() -> Option<Arc<Browser>> {
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(browser) = shared.upgrade() {
        return Some(browser);
    }
    let Some(path) = chromium() else {
        let how = "Chromium or Chrome is not in PATH: install it (Debian: apt-get install chromium), or set CHROME to its path";
        assert!(env::var_os("BROWSER_TESTS").is_none_or(|it| it != "required"), "{how}");
        eprintln!("skipped: {how}");
        return None;
    };
    let options = LaunchOptions {
        path: Some(path),
        // Root and containers cannot have it, and all pages here are our own.
        sandbox: false,
        idle_browser_timeout: 10 * PATIENCE,
        ..LaunchOptions::default()
    };
    let browser = Arc::new(Browser::new(options).expect("Chromium starts"));
    *shared = Arc::downgrade(&browser);
    Some(browser)
}

/// Where Chromium is.
fn chromium() -> Option<PathBuf> {
    if let Some(path) = env::var_os("CHROME") {
        return Some(path.into());
    }
    let path = env::var_os("PATH")?;
    let directories: Vec<PathBuf> = env::split_paths(&path).collect();
    ["chromium", "chromium-browser", "google-chrome"]
        .iter()
        .flat_map(|name| directories.iter().map(move |it| it.join(name)))
        .find(|it| it.is_file())
}

impl Seen {
    /// `page` in a new tab; `None` where there is no browser.
    pub(crate) fn open(page: &str) -> Option<Self> {
        let seen = Self::blank(page)?;
        seen.go("");
        Some(seen)
    }

    /// The same without scripts.
    pub(crate) fn without_scripts(page: &str) -> Option<Self> {
        let seen = Self::blank(page)?;
        seen.call::<Emulation::SetScriptExecutionDisabled>(json!({ "value": true }));
        seen.go("");
        Some(seen)
    }

    /// The same in a window of so many pixels.
    pub(crate) fn in_window(page: &str, width: u32) -> Option<Self> {
        let seen = Self::blank(page)?;
        seen.width(width);
        seen.go("");
        Some(seen)
    }

    /// The same with a fragment of the address.
    pub(crate) fn at(page: &str, fragment: &str) -> Option<Self> {
        let seen = Self::blank(page)?;
        seen.go(fragment);
        Some(seen)
    }

    fn blank(page: &str) -> Option<Self> {
        let browser = browser()?;
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("page.html");
        fs::write(&file, page).expect("a file");
        let tab = browser.new_tab().expect("a tab");
        tab.set_default_timeout(PATIENCE);
        let heard = Arc::new(Mutex::new(Heard::default()));
        let hears = Arc::clone(&heard);
        let listener = move |event: &Event| {
            let mut heard = hears.lock().unwrap_or_else(PoisonError::into_inner);
            match event {
                // What an address holds itself is not fetched from anywhere.
                Event::NetworkRequestWillBeSent(it)
                    if !it.params.request.url.starts_with("data:") =>
                {
                    heard.requests.push(it.params.request.url.clone())
                }
                Event::RuntimeConsoleAPICalled(it) => heard.complaints.push(format!("{it:?}")),
                Event::RuntimeExceptionThrown(it) => heard.complaints.push(format!("{it:?}")),
                Event::LogEntryAdded(it) => heard.complaints.push(format!("{it:?}")),
                _ => {}
            }
        };
        tab.add_event_listener(Arc::new(listener)).expect("a listener");
        let seen = Self { tab, heard, file, _directory: directory, _browser: browser };
        seen.call::<Network::Enable>(json!({}));
        seen.call::<Runtime::Enable>(Value::Null);
        seen.call::<Log::Enable>(Value::Null);
        // As in a window that is in front, whichever tab is.
        seen.call::<Emulation::SetFocusEmulationEnabled>(json!({ "enabled": true }));
        seen.width(1280);
        Some(seen)
    }

    /// The address of the page.
    pub(crate) fn address(&self) -> String {
        format!("file://{}", self.file.display())
    }

    fn go(&self, fragment: &str) {
        self.tab.navigate_to(&format!("{}{fragment}", self.address())).expect("the page");
        // A document that is about to be filled can be complete, too.
        self.until(
            "document.readyState === 'complete' && location.protocol === 'file:' && document.querySelector('footer') !== null",
        );
    }

    fn call<M: Method + Serialize + DeserializeOwned>(&self, parameters: Value) -> M::ReturnObject {
        let method: M = serde_json::from_value(parameters).expect("parameters");
        self.tab.call_method(method).expect("an answer")
    }

    /// The value of the JavaScript `expression`.
    pub(crate) fn ask<T: DeserializeOwned>(&self, expression: &str) -> T {
        let answer = self.call::<Runtime::Evaluate>(json!({
            "expression": expression,
            "returnByValue": true,
            "awaitPromise": true,
        }));
        assert!(answer.exception_details.is_none(), "{expression}: {:?}", answer.exception_details);
        let value = answer.result.value.unwrap_or_default();
        serde_json::from_value(value.clone())
            .unwrap_or_else(|error| panic!("{expression}: {error}: {value}"))
    }

    /// Waits until `condition` holds.
    pub(crate) fn until(&self, condition: &str) {
        let begun = Instant::now();
        while !self.ask::<bool>(&format!("Boolean({condition})")) {
            assert!(begun.elapsed() < PATIENCE, "never: {condition}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Whether an element of `selector` is to be seen.
    pub(crate) fn shows(&self, selector: &str) -> bool {
        self.count(selector) > 0
    }

    /// How many elements of `selector` are to be seen.
    pub(crate) fn count(&self, selector: &str) -> usize {
        let selector = json!(selector);
        // The first alone does not know of closed details, the second not of SVG.
        self.ask(&format!(
            "[...document.querySelectorAll({selector})].filter((it) => it.getClientRects().length && it.checkVisibility()).length"
        ))
    }

    /// How many elements of `selector` there are.
    pub(crate) fn count_all(&self, selector: &str) -> usize {
        self.ask(&format!("document.querySelectorAll({}).length", json!(selector)))
    }

    /// The text of the first element of `selector`.
    pub(crate) fn text(&self, selector: &str) -> String {
        let selector = json!(selector);
        self.ask(&format!("document.querySelector({selector}).textContent.trim()"))
    }

    /// The middle of the first element of `selector`, which is brought into view.
    fn middle(&self, selector: &str) -> Point {
        let selector = json!(selector);
        let (x, y) = self.ask(&format!(
            "(() => {{
                const it = document.querySelector({selector});
                it.scrollIntoView({{ block: 'center' }});
                const box = it.getBoundingClientRect();
                return [box.left + box.width / 2, box.top + box.height / 2];
            }})()"
        ));
        Point { x, y }
    }

    /// Clicks on the first element of `selector`.
    pub(crate) fn click(&self, selector: &str) {
        self.tab.click_point(self.middle(selector)).expect("a click");
    }

    /// Moves the pointer over the first element of `selector`.
    pub(crate) fn point_at(&self, selector: &str) {
        self.tab.move_mouse_to_point(self.middle(selector)).expect("a move");
    }

    /// Presses a key.
    pub(crate) fn press(&self, key: &str) {
        self.tab.press_key(key).expect("a key");
    }

    /// Chooses an option as a reader would who has found it.
    pub(crate) fn choose(&self, selector: &str, value: &str) {
        let (selector, value) = (json!(selector), json!(value));
        self.ask::<Value>(&format!(
            "(() => {{
                const it = document.querySelector({selector});
                it.value = {value};
                it.dispatchEvent(new Event('change', {{ bubbles: true }}));
            }})()"
        ));
    }

    /// A window of so many pixels, before a page is loaded.
    fn width(&self, pixels: u32) {
        self.call::<Emulation::SetDeviceMetricsOverride>(json!({
            "width": pixels, "height": 800, "deviceScaleFactor": 1, "mobile": pixels < 600,
        }));
    }

    /// `light` or `dark`.
    pub(crate) fn scheme(&self, scheme: &str) {
        self.call::<Emulation::SetEmulatedMedia>(json!({
            "features": [{ "name": "prefers-color-scheme", "value": scheme }],
        }));
    }

    /// As it is printed from a dark screen.
    pub(crate) fn print(&self) {
        self.call::<Emulation::SetEmulatedMedia>(json!({
            "media": "print",
            "features": [{ "name": "prefers-color-scheme", "value": "dark" }],
        }));
    }

    /// Opens all that can be opened.
    pub(crate) fn unfold(&self) {
        self.ask::<Value>(
            "document.querySelectorAll('details').forEach((it) => { it.open = true; })",
        );
    }

    /// What the tab told, once it has had the time to.
    pub(crate) fn heard(&self) -> Heard {
        thread::sleep(Duration::from_millis(200));
        std::mem::take(&mut self.heard.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Seen {
    fn drop(&mut self) {
        // Nothing to be done where the browser is gone.
        let _ = self.tab.close(false);
    }
}
