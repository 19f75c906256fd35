//! A directory that looks like a checkout, and the program run in it. What it should say is in the tests.

use cryptobench_results::record::{Record, keep};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// A worker that answers with constant times: 100 ns for `quick`, 110 for `slow`, 100 for `alike`. With `SIV` it has a
/// second algorithm, and with a document of the user's it encrypts that. `broken` fails
/// its proof while `BROKEN` is set, each slice takes `DELAY` seconds, and with `ALIEN` it has other cases.
const WORKER: &str = r#"#!/bin/sh
digest=5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9
next=0
while read -r word one two three four; do
    case $word in
    hello)
        governor=
        [ -n "$POWERSAVE" ] && governor=',"governor":"powersave"'
        echo 'cryptobench-worker 1 {"host":{"system":"Some System","cpu":{"model":"Some CPU","signature":"1/2/3","logical":1'"$governor"'}},"build":{"opt_level":"3"},"implementations":[]}'
        ;;
    list)
        if [ -n "$ALIEN" ]; then
            printf '%s\n' sha-256/hash/quick/16 sha-256/hash/quick/64 ''
            continue
        fi
        for size in 16 1024; do
            for backend in quick slow alike; do echo "aes-256-gcm/seal/$backend/$size"; done
        done
        echo x25519/derive/quick
        echo x25519/derive/slow
        echo ecdh-p256/derive/quick
        if [ -n "$SIV" ]; then
            for backend in quick slow; do echo "aes-256-gcm-siv/seal/$backend/1024"; done
        fi
        if [ -n "$CRYPTOBENCH_DOCUMENT" ]; then
            size=$(($(wc -c <"$CRYPTOBENCH_DOCUMENT")))
            for operation in whole fields; do
                echo "control/$operation/harness/$size"
                for backend in quick slow; do echo "aes-256-gcm/$operation/$backend/$size"; done
            done
        fi
        [ -n "$BROKEN" ] && echo x25519/derive/broken
        if [ -n "$MANY" ]; then
            for size in 64 128 256 1350 4096 8192 16384 65536; do
                for operation in seal open; do
                    for backend in quick slow; do echo "aes-256-gcm/$operation/$backend/$size"; done
                done
            done
        fi
        echo
        ;;
    prepare)
        case $one in
        */broken*) echo "failed the tag was wrong" ;;
        */alike) echo "unsupported it has no curves" ;;
        *)
            eval "case_$next=\$one"
            echo "ok $next $digest"
            next=$((next + 1))
            ;;
        esac
        ;;
    time)
        # Slices take 250 µs, and no time is believed that has not passed.
        sleep "${DELAY:-0.0003}"
        eval "case=\$case_$one"
        case $case in
        */slow*) echo $((three * 110)) ;;
        *) echo $((three * 100)) ;;
        esac
        ;;
    drop) echo ok ;;
    quit) exit 0 ;;
    esac
done
"#;

/// How the program ended, and what it said.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Something that looks like a checkout.
pub(crate) struct Checkout(TempDir);

impl Checkout {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let worker = directory.path().join("crates/worker");
        fs::create_dir_all(&worker).expect("a directory");
        fs::write(worker.join("Cargo.toml"), "").expect("a file");
        Self(directory)
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    /// Keeps `record` as `name`.
    pub(crate) fn keep(&self, name: &str, record: &Record) -> PathBuf {
        let path = self.path(&format!("reports/records/{name}.json.zst"));
        keep(record, &path).expect("a record");
        path
    }

    /// Writes a file among the records.
    pub(crate) fn write(&self, path: &str, content: &[u8]) -> PathBuf {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(&path, content).expect("a file");
        path
    }

    /// Writes the worker.
    pub(crate) fn worker(&self) -> PathBuf {
        self.variant("worker.sh", "")
    }

    /// Writes a worker that differs from the other one by `what` alone, which does nothing.
    pub(crate) fn variant(&self, path: &str, what: &str) -> PathBuf {
        let path = self.write(path, format!("{WORKER}{what}").as_bytes());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
        }
        path
    }

    pub(crate) fn command(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cryptobench"));
        command
            .args(arguments)
            .current_dir(self.0.path())
            .envs(variables.iter().copied())
            .env_remove("CARGO_TARGET_DIR")
            .env_remove("CRITERION_HOME")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, &[])
    }

    pub(crate) fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        self.ran(self.command(arguments, variables).output().expect("the program"))
    }

    /// What `output` says, with this directory as `DIR`.
    pub(crate) fn ran(&self, output: Output) -> Ran {
        let text = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).expect("UTF-8");
            // macOS gives a temporary directory two names.
            let real = self.0.path().canonicalize().expect("a directory");
            text.replace(&*real.to_string_lossy(), "DIR")
                .replace(&*self.0.path().to_string_lossy(), "DIR")
        };
        Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// Measures with the worker, unpinned and quickly, whatever else `arguments` say.
    pub(crate) fn measure(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        self.ran(self.measuring(arguments, variables).wait_with_output().expect("the program"))
    }

    /// The same, while it runs.
    pub(crate) fn measuring(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Child {
        let worker = self.worker();
        let mut all = arguments.to_vec();
        all.extend(["--cpu", "none", "--quick", "--seed", "1", "--worker"]);
        all.push(worker.to_str().expect("UTF-8"));
        self.command(&all, variables).spawn().expect("the program")
    }
}

/// Waits until `path` holds `text`.
pub(crate) fn wait_for(path: &Path, text: &str) {
    let began = Instant::now();
    while !fs::read_to_string(path).is_ok_and(|it| it.contains(text)) {
        assert!(began.elapsed() < Duration::from_secs(60), "{} never had {text}", path.display());
        std::thread::sleep(Duration::from_millis(5));
    }
}
