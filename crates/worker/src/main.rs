//! The program that times slices on request, on its standard input and output. What it understands is in
//! the library beside it.

use cryptobench_environment::capture;
use std::{env, io, process::ExitCode};

const HELP: &str = "\
cryptobench-worker: proves and times cases on request

It is started by `cryptobench`, reads requests from standard input and answers on standard output, a line each:
docs/worker-protocol.md. By hand:

  hello 1
  list
  prepare aes-256-gcm/seal/ring/1024
  time 0 100 5000 7      (case 0: 100 iterations untimed, 5000 timed, placement drawn from 7; nanoseconds)
  drop 0
  quit
";

fn main() -> ExitCode {
    if let Some(argument) = env::args_os().nth(1) {
        return match argument.to_str() {
            Some("--help" | "-h") => {
                print!("{HELP}");
                ExitCode::SUCCESS
            }
            Some("--version" | "-V") => {
                println!("cryptobench-worker {}", env!("CARGO_PKG_VERSION"));
                ExitCode::SUCCESS
            }
            _ => {
                eprintln!("error: unknown argument {argument:?}; `--help` says what there is");
                ExitCode::from(2)
            }
        };
    }
    if !ends_with_parent() {
        return ExitCode::SUCCESS;
    }
    let suite = cryptobench_backends::suite();
    let environment = || {
        let backends: Vec<_> = suite
            .backends()
            .iter()
            .map(|backend| (backend.id().clone(), backend.provenance().clone()))
            .collect();
        capture(&backends)
    };
    match cryptobench_worker::serve(&suite, &environment, io::stdin().lock(), io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever asked has gone.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Has the system end this program when whoever started it ends, where it can: while something hangs, or takes its
/// time, nobody here sees the end of the input. Returns whether there is still somebody.
fn ends_with_parent() -> bool {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Signal, getppid, set_parent_process_death_signal};
        let parent = getppid();
        // Where it is forbidden, the end of the input has to do.
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
        // It may have ended just before.
        getppid() == parent
    }
    #[cfg(not(target_os = "linux"))]
    true
}
