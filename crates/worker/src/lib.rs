//! The worker's side of the protocol: requests in, proofs and times out. The lines are types of
//! `cryptobench-schema`, the timed region is the harness's; docs/worker-protocol.md is the reference.

use cryptobench_harness::{
    Cell, Digest, Failure, OwnDocument, Placement, Registration, Suite, Timed, every_contest,
    guarded, prove, proved_with, sizes_here,
};
use cryptobench_schema::{
    BackendId, CaseId, Contest, Environment,
    protocol::{
        Dropped, Greeting, Handle, NEWEST, OLDEST, Prepared, Request, RequestError, Slice, Timing,
        one_line,
    },
    sizes,
};
use std::{
    collections::HashMap,
    io::{self, BufRead, Write},
};

/// Answers the requests in `input` until it ends or says `quit`.
///
/// What is wrong with a request is an answer, and so is whatever goes wrong in a library.
///
/// # Errors
///
/// Where `input` cannot be read or `output` not be written: nobody is there any more.
pub fn serve(
    suite: &Suite,
    environment: &dyn Fn() -> Environment,
    mut input: impl BufRead,
    mut output: impl Write,
) -> io::Result<()> {
    let mut worker = Worker { suite, proved: HashMap::new(), cases: HashMap::new(), next: 0 };
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        // What is not UTF-8 is no request, and is told so.
        let request = String::from_utf8_lossy(&line);
        let answer = match request.trim_end_matches(['\r', '\n']).parse::<Request>() {
            Ok(Request::Hello(asked)) => greeting(asked, environment),
            Ok(Request::List) => list(suite),
            Ok(Request::Prepare(case)) => worker.prepare(&case).to_string(),
            Ok(Request::Time(slice)) => worker.time(slice).to_string(),
            Ok(Request::Drop(handle)) => worker.drop(handle).to_string(),
            Ok(Request::Quit) => return Ok(()),
            // A newer runner may know cases that this worker does not.
            Err(RequestError::Case(error)) => Prepared::Unsupported(error.to_string()).to_string(),
            Err(error) => format!("error {}", one_line(&error.to_string(), 200)),
        };
        // One write, so that a runner that waits is woken once.
        output.write_all(format!("{answer}\n").as_bytes())?;
        output.flush()?;
    }
}

fn greeting(asked: u32, environment: &dyn Fn() -> Environment) -> String {
    match serde_json::to_string(&environment()) {
        Ok(environment) => {
            Greeting { version: asked.clamp(OLDEST, NEWEST), environment }.to_string()
        }
        Err(error) => format!("error the environment is no JSON: {error}"),
    }
}

/// Every case, one a line, and an empty line, whose end the caller adds.
fn list(suite: &Suite) -> String {
    let mut lines = String::new();
    for contest in every_contest() {
        for backend in suite.backends() {
            if backend.registration(&contest).is_some() {
                lines.push_str(&contest.case(backend.id().clone()).to_string());
                lines.push('\n');
            }
        }
    }
    lines
}

/// The proofs of one contest.
type Proofs = Vec<(BackendId, Result<Option<Digest>, Failure>)>;

struct Worker<'a> {
    suite: &'a Suite,
    /// What is proved: one proof is for all cases of a contest, and for those of the contests that are proved with it.
    proved: HashMap<Contest, Proofs>,
    cases: HashMap<Handle, Box<dyn Timed>>,
    next: u32,
}

impl Worker<'_> {
    fn prepare(&mut self, case: &CaseId) -> Prepared {
        if case.contest.operation.is_of_document()
            && let Err(failure) = OwnDocument::of_environment()
        {
            return Prepared::Failed(failure.to_string());
        }
        let registration = match registration(self.suite, case) {
            Ok(registration) => registration,
            Err(reason) => return Prepared::Unsupported(reason),
        };
        let digest = match self.proof(case) {
            Ok(digest) => digest,
            Err(failure) => return Prepared::Failed(failure.to_string()),
        };
        let ready = || {
            let mut timed = registration.timed(&case.contest)?;
            // Self-tests and processor detection of a library run in its first call.
            if !case.contest.takes_long() {
                timed.time(1, Placement::drawn(0))?;
            }
            Ok(timed)
        };
        match guarded(ready) {
            Ok(timed) => {
                let handle = Handle(self.next);
                self.next += 1;
                self.cases.insert(handle, timed);
                Prepared::Ready {
                    handle,
                    digest: digest.map(|it| it.to_string()),
                    note: registration.its_note().map(str::to_owned),
                }
            }
            Err(failure) => Prepared::Failed(failure.to_string()),
        }
    }

    fn proof(&mut self, case: &CaseId) -> Result<Option<Digest>, Failure> {
        let CaseId { contest, backend } = case;
        let suite = self.suite;
        let all = || suite.backends().iter().map(|it| it.id().clone()).collect::<Vec<_>>();
        self.proved
            .entry(proved_with(contest))
            .or_insert_with_key(|contest| prove(suite, contest, &all()))
            .iter()
            .find(|(id, _)| id == backend)
            .map_or_else(|| Err(Failure::unsupported("not proved")), |(_, proof)| proof.clone())
    }

    fn time(&mut self, slice: Slice) -> Timing {
        let Slice { handle, untimed, iterations, placement } = slice;
        let Some(timed) = self.cases.get_mut(&handle) else {
            return Timing::Failed(unknown(handle));
        };
        let placement = Placement::drawn(placement);
        let burst = || {
            if untimed > 0 {
                timed.time(untimed, placement)?;
            }
            timed.time(iterations, placement)
        };
        match guarded(burst) {
            // Never nothing: who reads it divides by it.
            Ok(time) => {
                Timing::Nanoseconds(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).max(1))
            }
            Err(failure) => Timing::Failed(failure.to_string()),
        }
    }

    fn drop(&mut self, handle: Handle) -> Dropped {
        match self.cases.remove(&handle) {
            // What was timed still computes the right thing, or the time was for something else.
            Some(mut timed) => match guarded(|| timed.check()) {
                Ok(()) => Dropped::Done,
                Err(failure) => Dropped::Failed(failure.to_string()),
            },
            None => Dropped::Failed(unknown(handle)),
        }
    }
}

fn unknown(handle: Handle) -> String {
    format!("no case is prepared as {}", handle.0)
}

/// The registration of `case`, or why there is none.
fn registration<'a>(suite: &'a Suite, case: &CaseId) -> Result<&'a Registration, String> {
    let CaseId { contest, backend } = case;
    // A message as large as the memory would end the process.
    let known = sizes(contest.algorithm, contest.operation);
    if let (Some(size), Some(known)) = (contest.size, known) {
        let (_, here) = sizes_here(contest.operation, known);
        if !here.contains(&size) {
            return Err(format!("{size} is none of its sizes: {here:?}"));
        }
    }
    let backend =
        suite.get(backend).ok_or_else(|| format!("{backend} is not compiled into this worker"))?;
    match backend.cell(contest) {
        Cell::Has(registration) => Ok(registration),
        Cell::Lacks(reason) => Err(reason.to_owned()),
        Cell::Unexplained => Err("its adapter does not say".to_owned()),
    }
}
