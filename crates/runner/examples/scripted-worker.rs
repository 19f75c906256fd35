//! A worker without cryptography: the protocol of docs/worker-protocol.md in its smallest form, to start from in
//! another language, and the worker that the runner's tests are held against. `Script` is for the tests alone.

use std::{
    env,
    fs::{self, OpenOptions},
    io::{self, BufRead as _, Write as _},
    process::{self, Command, exit},
    thread::sleep,
    time::{Duration, Instant},
};

/// What it has: two backends that compute the same, of which `slow` takes a tenth longer.
const CASES: [&str; 4] = [
    "aes-256-gcm/seal/quick/16",
    "aes-256-gcm/seal/slow/16",
    "x25519/derive/quick",
    "x25519/derive/slow",
];
/// SHA-256 of its output, if it had one.
const DIGEST: &str = "5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9";
/// Nanoseconds of one operation of `quick`.
const OPERATION: u64 = 2_000;

fn main() {
    let script = Script::new();
    let mut prepared: Vec<String> = Vec::new();
    let mut answered = 0;
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        script.note(&line);
        if let Some(answer) = script.written(&mut answered) {
            let _ = io::stdout().write_all(&answer).and_then(|()| io::stdout().flush());
            continue;
        }
        let words: Vec<&str> = line.split(' ').collect();
        let case = match *words {
            ["prepare", case] => case.to_owned(),
            ["time", handle, ..] | ["drop", handle] => {
                let known = prepared.get(number(handle) as usize);
                known.cloned().unwrap_or_default()
            }
            _ => String::new(),
        };
        if script.is_place(words[0], &case) {
            script.misbehave(&mut prepared, &case);
            continue;
        }
        let answer = match *words {
            ["hello", _] => "cryptobench-worker 1 {}".to_owned(),
            ["list"] => CASES.map(|case| format!("{case}\n")).concat(),
            ["prepare", _] if CASES.contains(&case.as_str()) || script.has_everything => {
                prepared.push(case);
                format!("ok {} {DIGEST}", prepared.len() - 1)
            }
            ["prepare", _] => "unsupported it has four cases".to_owned(),
            ["time", _, untimed, iterations, placement] => {
                let slow = if case.contains("/slow") { OPERATION / 10 } else { 0 };
                let (untimed, iterations) = (number(untimed), number(iterations));
                match script.computed(slow > 0, untimed, iterations, number(placement)) {
                    Some(nanoseconds) => {
                        // The runner believes no time that has not passed.
                        spin(nanoseconds);
                        nanoseconds.to_string()
                    }
                    None => {
                        spin(untimed * (OPERATION + slow));
                        spin(iterations * (OPERATION + slow)).to_string()
                    }
                }
            }
            ["drop", _] => "ok".to_owned(),
            ["quit"] => return,
            _ => format!("error what is `{line}`?"),
        };
        println!("{answer}");
        let _ = io::stdout().flush();
        script.after(words[0]);
    }
}

fn number(word: &str) -> u64 {
    word.parse().unwrap_or(0)
}

/// Passes `nanoseconds`, and returns how many it really were.
fn spin(nanoseconds: u64) -> u64 {
    let start = Instant::now();
    while (start.elapsed().as_nanos() as u64) < nanoseconds {}
    start.elapsed().as_nanos() as u64
}

/// What tests make of it, by variables.
struct Script {
    /// `FAULT`: what it does instead of answering at `PLACE`.
    fault: String,
    /// `PLACE`: a request's first word, or that and a case.
    place: String,
    /// `COMPUTED`: nanoseconds of an operation of `quick`. Times are computed by it, not measured.
    computed: Option<u64>,
    /// `NEIGHBOURS`: how many per cent a computed slice after an untimed burst takes longer than one without.
    neighbours: u64,
    /// `JITTER`: computed slices take that much longer at the most, by their placement.
    jitter: u64,
    /// `LOG`: a file to which its number and the requests are added.
    log: Option<String>,
    /// `ANSWERS`: all of its answers, whatever the requests are, one a line; then it ends.
    answers: Option<Vec<u8>>,
    /// `EVERYTHING`: it also has what it does not list.
    has_everything: bool,
}

impl Script {
    fn new() -> Self {
        let text = |name: &str| env::var(name).unwrap_or_default();
        let script = Self {
            fault: text("FAULT"),
            place: text("PLACE"),
            computed: env::var("COMPUTED").ok().map(|it| number(&it)),
            neighbours: number(&text("NEIGHBOURS")),
            jitter: number(&text("JITTER")),
            log: env::var("LOG").ok(),
            answers: env::var_os("ANSWERS").map(|it| fs::read(it).expect("answers")),
            has_everything: env::var_os("EVERYTHING").is_some(),
        };
        let who = if env::var_os("INNER").is_some() { "inner" } else { "pid" };
        script.note(&format!("{who} {}", process::id()));
        if env::var_os("WRAPPED").is_some() {
            // A script around a worker, as it is common in other languages.
            let program = env::current_exe().expect("this program");
            let status = Command::new(program).env_remove("WRAPPED").env("INNER", "1").status();
            exit(status.ok().and_then(|it| it.code()).unwrap_or(1));
        }
        script
    }

    /// The next of the answers that were written beforehand, with its end.
    fn written(&self, answered: &mut usize) -> Option<Vec<u8>> {
        let lines = self.answers.as_ref()?.split(|byte| *byte == b'\n');
        *answered += 1;
        let line = lines.into_iter().nth(*answered - 1).unwrap_or_else(|| exit(0));
        Some([line, b"\n"].concat())
    }

    /// Adds `line` to the log, in one write, since others may write to it too.
    fn note(&self, line: &str) {
        if let Some(log) = &self.log {
            let file = OpenOptions::new().append(true).create(true).open(log);
            let written = file.and_then(|mut it| it.write_all(format!("{line}\n").as_bytes()));
            written.expect("a log");
        }
    }

    fn is_place(&self, word: &str, case: &str) -> bool {
        // Some faults are beside the answer.
        self.fault != "leave"
            && !self.place.is_empty()
            && (self.place == word || self.place == format!("{word} {case}"))
    }

    fn computed(&self, slow: bool, untimed: u64, iterations: u64, placement: u64) -> Option<u64> {
        let operation = self.computed? + if slow { self.computed? / 10 } else { 0 };
        let time = iterations * operation;
        let neighbours = if untimed > 0 { time * self.neighbours / 100 } else { 0 };
        let jitter = if self.jitter > 0 { placement % self.jitter } else { 0 };
        Some(time + neighbours + jitter)
    }

    /// Beside the answer.
    fn after(&self, word: &str) {
        if self.fault == "leave" && self.place == word {
            exit(0);
        }
    }

    /// Instead of the answer.
    fn misbehave(&self, prepared: &mut Vec<String>, case: &str) {
        // In one write, as an answer is.
        let say = |text: &str| {
            let _ = io::stdout().write_all(format!("{text}\n").as_bytes());
        };
        match self.fault.as_str() {
            "die" => {
                eprintln!("something broke");
                exit(3);
            }
            // By another, as by a system that is short of memory.
            "killed" => {
                let kill = format!("kill -9 {}", process::id());
                let _ = Command::new("sh").args(["-c", &kill]).status();
            }
            "hang" => sleep(Duration::from_secs(3600)),
            "trickle" => loop {
                let _ = io::stdout().write_all(b"x").and_then(|()| io::stdout().flush());
                sleep(Duration::from_millis(1));
            },
            "chatter" => loop {
                // A line after the other, none of which ends the list.
                say("tea");
                sleep(Duration::from_millis(1));
            },
            "garbage" => say("\u{1b}[31mall is well"),
            "binary" => {
                let _ = io::stdout().write_all(b"\xff\xfe\n");
            }
            "endless" => loop {
                if io::stdout().write_all(&[b'x'; 1 << 16]).is_err() {
                    exit(0);
                }
            },
            "lines" => loop {
                if io::stdout().write_all("tea\n".repeat(1 << 12).as_bytes()).is_err() {
                    exit(0);
                }
            },
            "talkative" => say("ok\nok"),
            "newer" => say("cryptobench-worker 99 {}"),
            "no-json" => say("cryptobench-worker 1 {"),
            "wrong" => {
                prepared.push(case.to_owned());
                say(&format!("ok {} {}", prepared.len() - 1, "0".repeat(64)));
            }
            "same" => say(&format!("ok 0 {DIGEST}")),
            "failed" => say("failed it cannot"),
            "unsupported" => say("unsupported it cannot"),
            "zero" => say("0"),
            "one" => say("1"),
            "ages" => say(&u64::MAX.to_string()),
            other => {
                eprintln!("there is no fault `{other}`");
                exit(2);
            }
        }
        let _ = io::stdout().flush();
    }
}
