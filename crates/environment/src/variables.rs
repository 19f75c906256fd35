//! Which environment variables belong in a record: those that change what the libraries, the allocator
//! or the suite do. All others are nobody's business.

use std::{collections::BTreeMap, ffi::OsString};

const NAMES: [&str; 11] = [
    // Capability masks: OpenSSL and AWS-LC read them, and turn code paths off.
    "OPENSSL_ia32cap",
    "OPENSSL_armcap",
    // What OpenSSL loads, and from where.
    "OPENSSL_CONF",
    "OPENSSL_MODULES",
    "OPENSSL_ENGINES",
    "RAYON_NUM_THREADS",
    "GLIBC_TUNABLES",
    "LD_PRELOAD",
    "DYLD_INSERT_LIBRARIES",
    "RUSTFLAGS",
    // How much slower the worker for calibration is than it would be.
    "PLANTED_SHARE",
];

const PREFIXES: [&str; 2] = ["CRYPTOBENCH_", "MALLOC_"];

/// Those of `variables` that are recorded. Values that are no Unicode are approximated.
pub(crate) fn recorded(
    variables: impl IntoIterator<Item = (OsString, OsString)>,
) -> BTreeMap<String, String> {
    variables
        .into_iter()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
        .filter(|(name, _)| {
            NAMES.contains(&name.as_str()) || PREFIXES.iter().any(|it| name.starts_with(it))
        })
        .map(|(name, value)| (name, value.to_string_lossy().into_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changes_results_is_recorded() {
        let set = [
            ("OPENSSL_ia32cap", ":~0x200000200000000"),
            ("OPENSSL_CONF", ""),
            ("OPENSSL_MODULES", "/opt/modules"),
            ("OPENSSL_ENGINES", "/opt/engines"),
            ("CRYPTOBENCH_SIZES", "16,64"),
            ("MALLOC_ARENA_MAX", "1"),
            ("NOT_MALLOC_", "1"),
            ("HOME", "/home/someone"),
            ("AWS_SECRET_ACCESS_KEY", "hunter2"),
            ("RUSTFLAGS", "-Ctarget-cpu=native"),
            ("PLANTED_SHARE", "0.03"),
        ];
        let recorded = recorded(set.map(|(name, value)| (name.into(), value.into())));
        let names: Vec<&str> = recorded.keys().map(String::as_str).collect();
        assert_eq!(
            names,
            [
                "CRYPTOBENCH_SIZES",
                "MALLOC_ARENA_MAX",
                "OPENSSL_CONF",
                "OPENSSL_ENGINES",
                "OPENSSL_MODULES",
                "OPENSSL_ia32cap",
                "PLANTED_SHARE",
                "RUSTFLAGS"
            ]
        );
        assert_eq!(recorded["OPENSSL_ia32cap"], ":~0x200000200000000");
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_unicode_does_not_panic() {
        use std::os::unix::ffi::OsStringExt;

        let raw = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
        let recorded = recorded([
            (raw(b"LD_PRELOAD"), raw(b"/lib/\xff.so")),
            (raw(b"CRYPTOBENCH_\xff"), raw(b"1")),
        ]);
        assert_eq!(recorded.len(), 1);
        assert_eq!(recorded["LD_PRELOAD"], "/lib/\u{fffd}.so");
    }
}
