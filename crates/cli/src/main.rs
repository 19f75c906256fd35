//! The program `cryptobench`: one file per subcommand in `cmd`. Data go to standard output, talk to standard
//! error; what is measured and how it is judged is in the runner and in the results.

/// Says something on standard error. Where nobody listens any more, that is no reason to stop.
macro_rules! say {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($text)*);
    }};
}

mod cmd;
mod measuring;
mod name;
mod output;
mod progress;
mod session;
mod workspace;

use clap::Parser;
use cryptobench_runner::WorkerError;
use std::process::ExitCode;

/// Which implementation of a cryptographic operation is fastest on this machine, and did it change?
#[derive(Debug, Parser)]
#[command(name = "cryptobench", version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: cmd::Command,
}

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// All is well.
    Well,
    /// A case failed its proof or while it was timed, or a slow-down is confirmed.
    Failed,
    /// The comparison leaves out what it should have had.
    Incomplete,
    /// The user stopped it.
    Stopped,
}

/// The exit code of an error.
const ERROR: u8 = 2;

impl From<End> for ExitCode {
    fn from(end: End) -> Self {
        match end {
            End::Well => Self::SUCCESS,
            End::Failed => Self::from(1),
            End::Incomplete => Self::from(3),
            // As a shell has it for an interrupt.
            End::Stopped => Self::from(130),
        }
    }
}

/// Whether `error` is the user's wish to stop, met while a worker was asked something.
fn is_stopped(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<WorkerError>())
        .any(|cause| matches!(cause, WorkerError::Stopped))
}

fn main() -> ExitCode {
    // Ends with code 2 by itself where the arguments are wrong.
    let arguments = Arguments::parse();
    match arguments.command.run() {
        Ok(end) => end.into(),
        // A reader that has read enough, such as `head`.
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) if is_stopped(&error) => {
            say!("stopped");
            End::Stopped.into()
        }
        Err(error) => {
            say!("error: {}", output::legible(&output::told(&error)));
            ExitCode::from(ERROR)
        }
    }
}
