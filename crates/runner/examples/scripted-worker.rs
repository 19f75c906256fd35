//! A worker without cryptography: the protocol of docs/worker-protocol.md in its smallest form, to start from in
//! another language, and the worker that the runner's tests are held against. Arguments make it misbehave.

use std::{
    io::{self, BufRead as _, Write as _},
    process::exit,
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
    // `FAULT` at `PLACE`: a request's first word, or a case that is being prepared or timed.
    let mut arguments = std::env::args().skip(1);
    let fault = arguments.next().or_else(|| std::env::var("FAULT").ok()).unwrap_or_default();
    let place = arguments.next().or_else(|| std::env::var("PLACE").ok()).unwrap_or_default();
    let mut prepared: Vec<&str> = Vec::new();
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        let words: Vec<&str> = line.split(' ').collect();
        let case = match *words {
            ["prepare", case] => case.to_owned(),
            ["time", handle, ..] | ["drop", handle] => handle
                .parse()
                .ok()
                .and_then(|it: usize| prepared.get(it))
                .unwrap_or(&"")
                .to_string(),
            _ => String::new(),
        };
        if !place.is_empty() && (words[0] == place || format!("{} {case}", words[0]) == place) {
            misbehave(&fault);
            continue;
        }
        let answer = match *words {
            ["hello", _] => "cryptobench-worker 1 {\"implementations\":[]}".to_owned(),
            ["list"] => CASES.map(|case| format!("{case}\n")).concat(),
            ["prepare", case] => match CASES.iter().find(|known| **known == case) {
                Some(known) => {
                    prepared.push(known);
                    format!("ok {} {DIGEST}", prepared.len() - 1)
                }
                None => "unsupported it has four cases".to_owned(),
            },
            ["time", handle, untimed, iterations, _placement] => {
                let number = |word: &str| word.parse::<u64>().unwrap_or(0);
                let slow =
                    prepared.get(number(handle) as usize).is_some_and(|it| it.contains("slow"));
                let operation = if slow { OPERATION + OPERATION / 10 } else { OPERATION };
                spin(number(untimed) * operation);
                spin(number(iterations) * operation).to_string()
            }
            ["drop", _] => "ok".to_owned(),
            ["quit"] => return,
            _ => format!("error what is `{line}`?"),
        };
        println!("{answer}");
        let _ = io::stdout().flush();
    }
}

/// Passes `nanoseconds`, and returns how many it really were.
fn spin(nanoseconds: u64) -> u64 {
    let start = Instant::now();
    while (start.elapsed().as_nanos() as u64) < nanoseconds {}
    start.elapsed().as_nanos() as u64
}

/// Instead of the answer.
fn misbehave(fault: &str) {
    match fault {
        "die" => {
            eprintln!("something broke");
            exit(3);
        }
        "hang" => sleep(Duration::from_secs(3600)),
        "garbage" => println!("\u{1b}[31mall is well"),
        "binary" => {
            let _ = io::stdout().write_all(b"\xff\xfe\n");
        }
        "endless" => loop {
            if io::stdout().write_all(&[b'x'; 1 << 16]).is_err() {
                exit(0);
            }
        },
        "talkative" => println!("ok\nok"),
        "newer" => println!("cryptobench-worker 99 {{}}"),
        "no-json" => println!("cryptobench-worker 1 {{"),
        "wrong" => println!("ok 0 {}", "0".repeat(64)),
        "failed" => println!("failed it cannot"),
        "zero" => println!("0"),
        other => {
            eprintln!("there is no fault `{other}`");
            exit(2);
        }
    }
    let _ = io::stdout().flush();
}
