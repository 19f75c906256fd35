//! What the build of the linked OpenSSL tells about itself only at compile time: whether it was vendored,
//! and whether it has the 64-bit code for P-384 and P-521. Builds nothing.

use std::{env, fs, path::PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(built_from_crate)");
    // What openssl-sys did counts, not what it was asked: OPENSSL_NO_VENDOR overrules the feature.
    if variable("DEP_OPENSSL_VENDORED").is_some() {
        println!("cargo::rustc-cfg=built_from_crate");
    }
    println!("cargo::rustc-env=EC_NISTP_64_GCC_128={}", ec_nistp_64_gcc_128());
}

/// Whether OpenSSL was configured with `ec_nistp_64_gcc_128`: `yes`, `no`, or `unknown`.
fn ec_nistp_64_gcc_128() -> &'static str {
    let architecture = variable("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    for directory in include_directories(&architecture) {
        // Fedora's configuration.h only chooses one of several by architecture; before OpenSSL 3 the
        // file was opensslconf.h.
        for name in [
            "configuration.h".to_owned(),
            format!("configuration-{architecture}.h"),
            "opensslconf.h".to_owned(),
        ] {
            let header = directory.join("openssl").join(name);
            let Ok(text) = fs::read_to_string(&header) else {
                continue;
            };
            println!("cargo::rerun-if-changed={}", header.display());
            // Every configuration switches something off; a file that does not is not the one.
            let mut off = text.lines().filter_map(switched_off).peekable();
            if off.peek().is_some() {
                return if off.any(|option| option == "EC_NISTP_64_GCC_128") {
                    "no"
                } else {
                    "yes"
                };
            }
        }
    }
    "unknown"
}

/// The option that a line `#  define OPENSSL_NO_…` switches off.
fn switched_off(line: &str) -> Option<&str> {
    let define = line.trim().strip_prefix('#')?.trim_start().strip_prefix("define")?;
    define.trim().strip_prefix("OPENSSL_NO_")
}

/// Where the headers may be: in the directory that openssl-sys names, or the system's, where pkg-config
/// names none because compilers know it. Debian keeps what differs between architectures one level deeper.
fn include_directories(architecture: &str) -> Vec<PathBuf> {
    let directory = match variable("DEP_OPENSSL_INCLUDE") {
        Some(directory) => PathBuf::from(directory),
        None if variable("HOST") == variable("TARGET") => PathBuf::from("/usr/include"),
        None => return Vec::new(),
    };
    let abi = variable("CARGO_CFG_TARGET_ENV").unwrap_or_default();
    vec![directory.join(format!("{architecture}-linux-{abi}")), directory]
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok()
}
