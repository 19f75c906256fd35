//! macOS, from what `sysctl`, `sw_vers` and `pmset` print. They come as a function, so that tests need no
//! Mac. A command that is missing or fails is something not known, never an error.

use cryptobench_schema::{Cpu, Host};

/// What a command with these arguments prints, trimmed, where it succeeds.
type Run<'a> = &'a dyn Fn(&str, &[&str]) -> Option<String>;

/// Runs a command of the system.
#[cfg(target_os = "macos")]
pub(crate) fn command(program: &str, arguments: &[&str]) -> Option<String> {
    let output = std::process::Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

/// The machine that `run` runs on.
pub(crate) fn host(run: Run) -> Host {
    let sysctl = |name: &str| run("sysctl", &["-n", name]);
    Host {
        system: system(run),
        kernel: sysctl("kern.osrelease"),
        cpu: cpu(run),
        memory_bytes: sysctl("hw.memsize").and_then(|bytes| bytes.parse().ok()),
        // `{ 1.23 1.50 1.70 }`
        load: sysctl("vm.loadavg").and_then(|averages| {
            averages.trim_matches(['{', '}', ' ']).split_whitespace().next()?.parse().ok()
        }),
        on_battery: run("pmset", &["-g", "batt"]).and_then(|status| {
            match (status.contains("'Battery Power'"), status.contains("'AC Power'")) {
                (true, _) => Some(true),
                (false, true) => Some(false),
                (false, false) => None,
            }
        }),
    }
}

fn system(run: Run) -> Option<String> {
    let name = run("sw_vers", &["-productName"]).unwrap_or_else(|| "macOS".to_owned());
    Some(match run("sw_vers", &["-productVersion"]) {
        Some(version) => format!("{name} {version}"),
        None => name,
    })
}

fn cpu(run: Run) -> Cpu {
    let sysctl = |name: &str| run("sysctl", &["-n", name]);
    let number = |name: &str| sysctl(name).and_then(|text| text.parse::<u32>().ok());
    Cpu {
        model: sysctl("machdep.cpu.brand_string"),
        signature: signature(run),
        microcode: sysctl("machdep.cpu.microcode_version"),
        flags: flags(run),
        logical: number("hw.activecpu")
            .or_else(|| number("hw.logicalcpu"))
            .unwrap_or_else(super::available),
        smt: number("hw.logicalcpu")
            .zip(number("hw.physicalcpu"))
            .map(|(logical, physical)| logical > physical),
        // A guest knows that it is one, and what kind of machine it plays.
        hypervisor: (number("kern.hv_vmm_present") == Some(1))
            .then(|| sysctl("hw.model").unwrap_or_else(|| super::UNKNOWN_HYPERVISOR.to_owned())),
        governor: None,
        boost: None,
    }
}

/// Intel's family, model and stepping, or the number that Apple's processors have instead.
fn signature(run: Run) -> Option<String> {
    let sysctl = |name: &str| run("sysctl", &["-n", name]);
    let intel = ["machdep.cpu.family", "machdep.cpu.model", "machdep.cpu.stepping"]
        .into_iter()
        .map(sysctl)
        .collect::<Option<Vec<_>>>();
    intel.map(|parts| parts.join("/")).or_else(|| {
        let family: u32 = sysctl("hw.cpufamily")?.parse().ok()?;
        Some(format!("{family:#010x}"))
    })
}

/// Intel's lists, and of `hw.optional.*` what is there, without that prefix; sorted.
fn flags(run: Run) -> Vec<String> {
    let mut flags: Vec<String> = Vec::new();
    for list in ["machdep.cpu.features", "machdep.cpu.leaf7_features"] {
        let list = run("sysctl", &["-n", list]).unwrap_or_default();
        flags.extend(list.split_whitespace().map(str::to_owned));
    }
    // Not `-n`: here the names are what is asked for.
    let optional = run("sysctl", &["hw.optional"]).unwrap_or_default();
    flags.extend(optional.lines().filter_map(|line| {
        let (name, value) = line.strip_prefix("hw.optional.")?.split_once(':')?;
        (value.trim() == "1").then(|| name.to_owned())
    }));
    flags.sort_unstable();
    flags.dedup();
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The host of a machine that answers these commands.
    fn host_of(answers: &[(&str, &str)]) -> Host {
        host(&|program, arguments| {
            let command = [&[program][..], arguments].concat().join(" ");
            let (_, answer) = answers.iter().find(|(asked, _)| *asked == command)?;
            Some((*answer).to_owned())
        })
    }

    #[test]
    fn an_apple_processor() {
        let host = host_of(&[
            ("sw_vers -productName", "macOS"),
            ("sw_vers -productVersion", "15.1"),
            ("sysctl -n kern.osrelease", "24.1.0"),
            ("sysctl -n machdep.cpu.brand_string", "Apple M3 Pro"),
            ("sysctl -n hw.cpufamily", "1912690738"),
            ("sysctl -n hw.activecpu", "12"),
            ("sysctl -n hw.logicalcpu", "12"),
            ("sysctl -n hw.physicalcpu", "12"),
            ("sysctl -n hw.memsize", "38654705664"),
            ("sysctl -n vm.loadavg", "{ 1.53 1.60 1.72 }"),
            ("sysctl -n kern.hv_vmm_present", "0"),
            (
                "sysctl hw.optional",
                "hw.optional.arm.FEAT_AES: 1\nhw.optional.arm.FEAT_SME: 0\nhw.optional.AdvSIMD: 1",
            ),
            (
                "pmset -g batt",
                "Now drawing from 'Battery Power'\n -InternalBattery-0\t90%; discharging",
            ),
        ]);
        assert_eq!(
            host,
            Host {
                system: Some("macOS 15.1".to_owned()),
                kernel: Some("24.1.0".to_owned()),
                cpu: Cpu {
                    model: Some("Apple M3 Pro".to_owned()),
                    signature: Some("0x72015832".to_owned()),
                    microcode: None,
                    flags: ["AdvSIMD", "arm.FEAT_AES"].map(str::to_owned).to_vec(),
                    logical: 12,
                    smt: Some(false),
                    hypervisor: None,
                    governor: None,
                    boost: None,
                },
                memory_bytes: Some(38_654_705_664),
                load: Some(1.53),
                on_battery: Some(true),
            }
        );
    }

    #[test]
    fn an_intel_processor_in_a_virtual_machine() {
        let host = host_of(&[
            ("sysctl -n machdep.cpu.family", "6"),
            ("sysctl -n machdep.cpu.model", "158"),
            ("sysctl -n machdep.cpu.stepping", "10"),
            ("sysctl -n machdep.cpu.microcode_version", "248"),
            ("sysctl -n machdep.cpu.features", "FPU AES SSE4.1"),
            ("sysctl -n machdep.cpu.leaf7_features", "AVX2 ADX"),
            ("sysctl -n hw.logicalcpu", "8"),
            ("sysctl -n hw.physicalcpu", "4"),
            ("sysctl -n kern.hv_vmm_present", "1"),
            ("sysctl -n hw.model", "VMware7,1"),
            ("pmset -g batt", "Now drawing from 'AC Power'"),
        ]);
        assert_eq!(host.cpu.signature.as_deref(), Some("6/158/10"));
        assert_eq!(host.cpu.microcode.as_deref(), Some("248"));
        assert_eq!(host.cpu.flags, ["ADX", "AES", "AVX2", "FPU", "SSE4.1"]);
        assert_eq!(host.cpu.logical, 8);
        assert_eq!(host.cpu.smt, Some(true));
        assert_eq!(host.cpu.hypervisor.as_deref(), Some("VMware7,1"));
        assert_eq!(host.on_battery, Some(false));
    }

    #[test]
    fn without_commands_nothing_is_known() {
        let host = host_of(&[]);
        assert_eq!(host.system.as_deref(), Some("macOS"));
        assert!(host.cpu.logical >= 1);
        assert!(host.cpu.flags.is_empty());
        let Cpu { model, signature, microcode, hypervisor, .. } = host.cpu;
        assert_eq!([model, signature, microcode, hypervisor, host.kernel], [const { None }; 5]);
        assert_eq!((host.memory_bytes, host.load, host.on_battery), (None, None, None));
        assert_eq!(host_of(&[("pmset -g batt", "?")]).on_battery, None);
    }
}
