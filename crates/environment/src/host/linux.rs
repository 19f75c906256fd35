//! Linux, from the files of /proc, /sys and /etc under a root, so that tests have roots of their own.
//! A file that is missing, unreadable or unlike itself is something not known, never an error.

use cryptobench_schema::{Cpu, Host};
use std::{fs, path::Path};

/// The machine whose file system begins at `root`.
pub(crate) fn host(root: &Path) -> Host {
    let root = Root(root);
    Host {
        system: system(&root).or_else(|| Some("Linux".to_owned())),
        kernel: root.line("proc/sys/kernel/osrelease"),
        cpu: cpu(&root),
        memory_bytes: memory_bytes(&root),
        load: root
            .line("proc/loadavg")
            .and_then(|line| line.split_whitespace().next()?.parse().ok()),
        on_battery: on_battery(&root),
    }
}

struct Root<'a>(&'a Path);

impl Root<'_> {
    /// The text of a file.
    fn text(&self, path: &str) -> Option<String> {
        let bytes = fs::read(self.0.join(path)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The text of a file of one line, where it has any.
    fn line(&self, path: &str) -> Option<String> {
        let text = self.text(path)?;
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// A file that says 0 or 1.
    fn switch(&self, path: &str) -> Option<bool> {
        match self.line(path)?.as_str() {
            "0" => Some(false),
            "1" => Some(true),
            _ => None,
        }
    }

    /// The names in a directory.
    fn names(&self, path: &str) -> Option<Vec<String>> {
        let entries = fs::read_dir(self.0.join(path)).ok()?;
        Some(entries.flatten().map(|it| it.file_name().to_string_lossy().into_owned()).collect())
    }
}

/// The distribution and its version (os-release(5)).
fn system(root: &Root) -> Option<String> {
    let text = root.text("etc/os-release").or_else(|| root.text("usr/lib/os-release"))?;
    let value = |key: &str| {
        text.lines()
            .find_map(|line| line.trim().strip_prefix(key)?.strip_prefix('='))
            .map(unquoted)
            .filter(|value| !value.is_empty())
    };
    value("PRETTY_NAME").or_else(|| {
        let name = value("NAME")?;
        Some(match value("VERSION") {
            Some(version) => format!("{name} {version}"),
            None => name,
        })
    })
}

/// A value as a shell reads it, as far as os-release has shell in it.
fn unquoted(value: &str) -> String {
    let value = value.trim();
    let inner = ['"', '\'']
        .into_iter()
        .find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(value);
    let mut text = String::with_capacity(inner.len());
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        if character == '\\' {
            text.extend(characters.next());
        } else {
            text.push(character);
        }
    }
    text
}

fn memory_bytes(root: &Root) -> Option<u64> {
    let text = root.text("proc/meminfo")?;
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = total.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// Whether the power comes from a battery. Batteries of mice and keyboards are supplies as well, with a
/// scope of `Device`.
fn on_battery(root: &Root) -> Option<bool> {
    const SUPPLIES: &str = "sys/class/power_supply";
    let mut plugs = Vec::new();
    let mut discharging = Vec::new();
    for name in root.names(SUPPLIES)? {
        let of = |attribute: &str| root.line(&format!("{SUPPLIES}/{name}/{attribute}"));
        match of("type").as_deref() {
            Some("Mains" | "USB") => plugs.extend(of("online").map(|online| online != "0")),
            Some("Battery") if of("scope").as_deref() != Some("Device") => {
                discharging.push(of("status").as_deref() == Some("Discharging"));
            }
            _ => {}
        }
    }
    let plugged = plugs.contains(&true);
    let unplugged = !plugs.is_empty() && !discharging.is_empty();
    Some(!plugged && (unplugged || discharging.contains(&true)))
}

fn cpu(root: &Root) -> Cpu {
    const CPUS: &str = "sys/devices/system/cpu";
    let of = |path: &str| format!("{CPUS}/{path}");
    let info = CpuInfo(root.text("proc/cpuinfo").unwrap_or_default());
    let flags = info.flags();
    Cpu {
        model: info.model(),
        signature: info.signature(),
        microcode: info.value("microcode").map(str::to_owned),
        logical: root
            .line(&of("online"))
            .and_then(|list| listed(&list))
            .or_else(|| info.processors())
            .unwrap_or_else(super::available),
        smt: root.switch(&of("smt/active")),
        hypervisor: hypervisor(root, &flags),
        governor: root.line(&of("cpu0/cpufreq/scaling_governor")),
        boost: root
            .switch(&of("cpufreq/boost"))
            .or_else(|| root.switch(&of("intel_pstate/no_turbo")).map(|none| !none)),
        flags,
    }
}

/// How many numbers a list like `0-3,8` has.
fn listed(list: &str) -> Option<u32> {
    list.split(',').try_fold(0u32, |sum, range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        sum.checked_add(last.checked_sub(first)?.checked_add(1)?)
    })
}

/// /proc/cpuinfo: a paragraph of `key : value` for each processor. Which keys there are depends on the
/// architecture.
struct CpuInfo(String);

impl CpuInfo {
    /// Every value of `key`, one for each processor that has it.
    fn values<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.lines().filter_map(move |line| {
            let (found, value) = line.split_once(':')?;
            (found.trim() == key).then(|| value.trim()).filter(|value| !value.is_empty())
        })
    }

    /// The first processor's.
    fn value<'a>(&'a self, key: &'a str) -> Option<&'a str> {
        self.values(key).next()
    }

    fn processors(&self) -> Option<u32> {
        u32::try_from(self.values("processor").count()).ok().filter(|&count| count > 0)
    }

    /// Feature flags, sorted: `flags` on x86, `Features` on Arm.
    fn flags(&self) -> Vec<String> {
        let flags = self.value("flags").or_else(|| self.value("Features")).unwrap_or_default();
        let mut flags: Vec<String> = flags.split_whitespace().map(str::to_owned).collect();
        flags.sort_unstable();
        flags
    }

    /// The model's name; Arm has numbers instead, and often cores of several kinds.
    fn model(&self) -> Option<String> {
        if let Some(name) = self.value("model name") {
            return Some(name.to_owned());
        }
        let mut kinds: Vec<String> = self
            .values("CPU implementer")
            .zip(self.values("CPU part"))
            .map(|(implementer, part)| {
                arm_core(implementer, part)
                    .map_or_else(|| format!("implementer {implementer} part {part}"), str::to_owned)
            })
            .collect();
        // Cores of a kind need not be neighbours.
        kinds.sort_unstable();
        kinds.dedup();
        (!kinds.is_empty()).then(|| kinds.join(" + "))
    }

    /// `family/model/stepping`, or on Arm `implementer/part/revision`.
    fn signature(&self) -> Option<String> {
        if let (Some(family), Some(model)) = (self.value("cpu family"), self.value("model")) {
            let stepping = self.value("stepping").unwrap_or("?");
            return Some(format!("{family}/{model}/{stepping}"));
        }
        let implementer = self.value("CPU implementer")?;
        let part = self.value("CPU part")?;
        let variant = self
            .value("CPU variant")
            .and_then(|it| u32::from_str_radix(it.trim_start_matches("0x"), 16).ok());
        Some(match (variant, self.value("CPU revision")) {
            (Some(variant), Some(revision)) => {
                format!("{implementer}/{part}/r{variant}p{revision}")
            }
            _ => format!("{implementer}/{part}"),
        })
    }
}

/// The names of cores that people measure on, by the numbers in MIDR_EL1 (as in lscpu's tables).
fn arm_core(implementer: &str, part: &str) -> Option<&'static str> {
    Some(match (implementer, part) {
        ("0x41", "0xd03") => "Arm Cortex-A53",
        ("0x41", "0xd05") => "Arm Cortex-A55",
        ("0x41", "0xd08") => "Arm Cortex-A72",
        ("0x41", "0xd0b") => "Arm Cortex-A76",
        ("0x41", "0xd0c") => "Arm Neoverse-N1",
        ("0x41", "0xd40") => "Arm Neoverse-V1",
        ("0x41", "0xd49") => "Arm Neoverse-N2",
        ("0x41", "0xd4f") => "Arm Neoverse-V2",
        ("0x41", "0xd84") => "Arm Neoverse-V3",
        ("0x41", "0xd8e") => "Arm Neoverse-N3",
        ("0xc0", "0xac3") => "Ampere-1",
        ("0xc0", "0xac4") => "Ampere-1a",
        _ => return None,
    })
}

/// What firmware calls machines that are virtual, where no flag of the processor says so.
const VIRTUAL: [&str; 11] = [
    "Amazon EC2",
    "Apple Virtualization",
    "Google Compute Engine",
    "KVM",
    "OpenStack",
    "Parallels",
    "QEMU",
    "Virtual Machine",
    "VirtualBox",
    "VMware",
    "Xen",
];

fn hypervisor(root: &Root, flags: &[String]) -> Option<String> {
    if let Some(kind) = root.line("sys/hypervisor/type") {
        return Some(kind);
    }
    let of = |attribute: &str| root.line(&format!("sys/class/dmi/id/{attribute}"));
    let machine = match (of("sys_vendor"), of("product_name")) {
        (Some(vendor), Some(product)) if !product.starts_with(&vendor) => {
            Some(format!("{vendor} {product}"))
        }
        (vendor, product) => product.or(vendor),
    };
    // x86 processors say whether there is a hypervisor, and firmware at best what it is called.
    if flags.iter().any(|flag| flag == "hypervisor") {
        return Some(machine.unwrap_or_else(|| super::UNKNOWN_HYPERVISOR.to_owned()));
    }
    let x86 = flags.iter().any(|flag| flag == "sse2");
    // Amazon's whole machines have the same vendor as its parts of machines.
    machine.filter(|name| {
        !x86 && VIRTUAL.iter().any(|it| name.contains(it)) && !name.ends_with(".metal")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    /// A file system with these files.
    fn tree(files: &[(&str, &str)]) -> TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, content) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        root
    }

    fn host_of(files: &[(&str, &str)]) -> Host {
        host(tree(files).path())
    }

    const X86_VM: &str = "\
processor\t: 0
vendor_id\t: GenuineIntel
cpu family\t: 6
model\t\t: 143
model name\t: Intel(R) Xeon(R) Platinum 8488C
stepping\t: 8
microcode\t: 0x2b000639
cpu MHz\t\t: 2400.000
flags\t\t: fpu vme sse2 aes hypervisor avx512f
bugs\t\t: spectre_v1 spectre_v2
power management:

processor\t: 1
vendor_id\t: GenuineIntel
cpu family\t: 6
model\t\t: 143
model name\t: Intel(R) Xeon(R) Platinum 8488C
stepping\t: 8
microcode\t: 0x2b000639
flags\t\t: fpu vme sse2 aes hypervisor avx512f
";

    #[test]
    fn a_virtual_x86_machine() {
        let host = host_of(&[
            ("proc/cpuinfo", X86_VM),
            ("proc/meminfo", "MemTotal:       16116568 kB\nMemFree:         1 kB\n"),
            ("proc/loadavg", "0.42 0.30 0.20 1/123 4567\n"),
            ("proc/sys/kernel/osrelease", "6.8.0-1021-aws\n"),
            ("etc/os-release", "NAME=\"Ubuntu\"\nPRETTY_NAME=\"Ubuntu 24.04.1 LTS\"\nID=ubuntu\n"),
            ("sys/devices/system/cpu/online", "0-1\n"),
            ("sys/devices/system/cpu/smt/active", "1\n"),
            ("sys/class/dmi/id/sys_vendor", "Amazon EC2\n"),
            ("sys/class/dmi/id/product_name", "m7i.large\n"),
        ]);
        assert_eq!(
            host,
            Host {
                system: Some("Ubuntu 24.04.1 LTS".to_owned()),
                kernel: Some("6.8.0-1021-aws".to_owned()),
                cpu: Cpu {
                    model: Some("Intel(R) Xeon(R) Platinum 8488C".to_owned()),
                    signature: Some("6/143/8".to_owned()),
                    microcode: Some("0x2b000639".to_owned()),
                    flags: ["aes", "avx512f", "fpu", "hypervisor", "sse2", "vme"]
                        .map(str::to_owned)
                        .to_vec(),
                    logical: 2,
                    smt: Some(true),
                    hypervisor: Some("Amazon EC2 m7i.large".to_owned()),
                    governor: None,
                    boost: None,
                },
                memory_bytes: Some(16_116_568 * 1024),
                load: Some(0.42),
                on_battery: None,
            }
        );
    }

    #[test]
    fn a_laptop_that_saves_power() {
        let battery = "sys/class/power_supply/BAT0";
        let mut files = vec![
            (
                "proc/cpuinfo",
                "processor : 0\nmodel name : Some Core\ncpu family : 6\nmodel : 154\nflags : aes sse2\n",
            ),
            ("sys/devices/system/cpu/online", "0-7,12-15\n"),
            ("sys/devices/system/cpu/smt/active", "0\n"),
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"),
            ("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n"),
            ("sys/class/dmi/id/sys_vendor", "QEMU enthusiasts\n"),
            ("sys/class/power_supply/AC/type", "Mains\n"),
            ("sys/class/power_supply/AC/online", "0\n"),
            ("sys/class/power_supply/BAT0/type", "Battery\n"),
            ("sys/class/power_supply/BAT0/status", "Discharging\n"),
            ("sys/class/power_supply/mouse/type", "Battery\n"),
            ("sys/class/power_supply/mouse/scope", "Device\n"),
        ];
        let host = host_of(&files);
        assert_eq!(host.cpu.logical, 12);
        assert_eq!(host.cpu.smt, Some(false));
        assert_eq!(host.cpu.governor.as_deref(), Some("powersave"));
        assert_eq!(host.cpu.boost, Some(true));
        assert_eq!(host.cpu.signature.as_deref(), Some("6/154/?"));
        assert_eq!(host.cpu.hypervisor, None, "x86 processors say so themselves");
        assert_eq!(host.on_battery, Some(true));

        // Plugged in, whatever the battery does meanwhile.
        let plugged = tree(&files);
        fs::write(plugged.path().join("sys/class/power_supply/AC/online"), "1\n").unwrap();
        assert_eq!(super::host(plugged.path()).on_battery, Some(false));

        // Without a plug to ask, the battery knows.
        files.retain(|(path, _)| !path.contains("/AC/"));
        let batteries = tree(&files);
        assert_eq!(super::host(batteries.path()).on_battery, Some(true));
        fs::write(batteries.path().join(battery).join("status"), "Full\n").unwrap();
        assert_eq!(super::host(batteries.path()).on_battery, Some(false));

        // The mouse's battery is nobody's power.
        files.retain(|(path, _)| !path.contains("/BAT0/"));
        assert_eq!(host_of(&files).on_battery, Some(false));
    }

    #[test]
    fn boost_has_two_places() {
        let boost = "sys/devices/system/cpu/cpufreq/boost";
        let no_turbo = "sys/devices/system/cpu/intel_pstate/no_turbo";
        let of = |files: &[(&str, &str)]| host_of(files).cpu.boost;
        assert_eq!(of(&[(boost, "1\n")]), Some(true));
        assert_eq!(of(&[(boost, "0\n")]), Some(false));
        assert_eq!(of(&[(no_turbo, "1\n")]), Some(false));
        assert_eq!(of(&[(boost, "perhaps\n")]), None);
    }

    const NEOVERSE: &str = "\
processor\t: 0
BogoMIPS\t: 2100.00
Features\t: fp asimd aes pmull sha2 sve
CPU implementer\t: 0x41
CPU architecture: 8
CPU variant\t: 0x1
CPU part\t: 0xd40
CPU revision\t: 1

processor\t: 1
Features\t: fp asimd aes pmull sha2 sve
CPU implementer\t: 0x41
CPU variant\t: 0x1
CPU part\t: 0xd40
CPU revision\t: 1
";

    #[test]
    fn an_arm_server() {
        let vendor = ("sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
        let part =
            [("proc/cpuinfo", NEOVERSE), vendor, ("sys/class/dmi/id/product_name", "c7g.large\n")];
        let cpu = host_of(&part).cpu;
        assert_eq!(cpu.model.as_deref(), Some("Arm Neoverse-V1"));
        assert_eq!(cpu.signature.as_deref(), Some("0x41/0xd40/r1p1"));
        assert_eq!(cpu.microcode, None);
        assert_eq!(cpu.flags, ["aes", "asimd", "fp", "pmull", "sha2", "sve"]);
        assert_eq!(cpu.logical, 2, "counted in cpuinfo");
        assert_eq!(cpu.hypervisor.as_deref(), Some("Amazon EC2 c7g.large"));

        let whole =
            [("proc/cpuinfo", NEOVERSE), vendor, ("sys/class/dmi/id/product_name", "c7g.metal\n")];
        assert_eq!(host_of(&whole).cpu.hypervisor, None);
    }

    #[test]
    fn arm_cores_of_several_kinds() {
        let core = |part| format!("processor : 0\nCPU implementer : 0x41\nCPU part : {part}\n\n");
        let mixed = [core("0xd0b"), core("0xd05"), core("0xd0b"), core("0xfff")].concat();
        let cpu = host_of(&[("proc/cpuinfo", &mixed)]).cpu;
        assert_eq!(
            cpu.model.as_deref(),
            Some("Arm Cortex-A55 + Arm Cortex-A76 + implementer 0x41 part 0xfff")
        );
        assert_eq!(cpu.signature.as_deref(), Some("0x41/0xd0b"));
    }

    #[test]
    fn a_hypervisor_is_named_as_well_as_can_be() {
        let of = |files: &[(&str, &str)]| host_of(files).cpu.hypervisor;
        let flag = ("proc/cpuinfo", "flags : sse2 hypervisor\n");
        assert_eq!(of(&[flag]).as_deref(), Some("unknown hypervisor"));
        assert_eq!(of(&[flag, ("sys/hypervisor/type", "xen\n")]).as_deref(), Some("xen"));
        let vendor = ("sys/class/dmi/id/sys_vendor", "VMware, Inc.\n");
        assert_eq!(of(&[flag, vendor]).as_deref(), Some("VMware, Inc."));
        let product = ("sys/class/dmi/id/product_name", "VMware, Inc. Platform\n");
        assert_eq!(of(&[flag, vendor, product]).as_deref(), Some("VMware, Inc. Platform"));
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn os_release_is_shell() {
        let of = |text| host_of(&[("etc/os-release", text)]).system;
        assert_eq!(of("NAME=Alpine\nVERSION='3.20 \"x\"'\n").as_deref(), Some("Alpine 3.20 \"x\""));
        assert_eq!(of("PRETTY_NAME=\"A \\\"B\\\" \\$C\"\n").as_deref(), Some("A \"B\" $C"));
        assert_eq!(of("NAME=Arch\n").as_deref(), Some("Arch"));
        assert_eq!(of("PRETTY_NAME=\"\"\nNAME=\n").as_deref(), Some("Linux"));
        let elsewhere = host_of(&[("usr/lib/os-release", "NAME=Fedora\n")]);
        assert_eq!(elsewhere.system.as_deref(), Some("Fedora"));
    }

    #[test]
    fn lists_of_processors() {
        assert_eq!(listed("0"), Some(1));
        assert_eq!(listed("0-3,8,10-11"), Some(7));
        assert_eq!(listed(""), None);
        assert_eq!(listed("3-0"), None);
        assert_eq!(listed("0-4294967295"), None);
    }

    /// Of a machine that tells nothing, nothing is known.
    fn assert_unknown(host: &Host) {
        let Cpu { model, signature, microcode, flags, logical, smt, hypervisor, governor, boost } =
            &host.cpu;
        assert_eq!(host.system.as_deref(), Some("Linux"));
        assert_eq!((&host.memory_bytes, &host.load), (&None, &None));
        assert_eq!([model, signature, microcode, hypervisor, governor], [&None; 5]);
        assert_eq!((smt, boost), (&None, &None));
        assert!(flags.is_empty() && *logical >= 1);
    }

    #[test]
    fn nothing_there_is_nothing_known() {
        let empty = host_of(&[]);
        assert_unknown(&empty);
        assert_eq!((empty.kernel, empty.on_battery), (None, None));
        assert_unknown(&host(Path::new("/no/such/root")));
    }

    #[test]
    fn nonsense_is_nothing_known() {
        let root = tree(&[
            ("proc/cpuinfo", ""),
            ("proc/meminfo", "MemTotal: lots kB\n"),
            ("proc/loadavg", "\n"),
            ("sys/devices/system/cpu/online", "all\n"),
            ("sys/devices/system/cpu/smt/active", "2\n"),
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "\n"),
            ("sys/class/power_supply/odd/type", "\n"),
            // A directory where a file belongs.
            ("proc/sys/kernel/osrelease/file", ""),
        ]);
        fs::write(root.path().join("proc/cpuinfo"), b"\xff\xfe:\x00\n::\nmodel name\t:\n").unwrap();
        fs::create_dir_all(root.path().join("etc")).unwrap();
        fs::write(root.path().join("etc/os-release"), b"PRETTY_NAME\n\xff=\n").unwrap();
        let host = host(root.path());
        assert_unknown(&host);
        assert_eq!((host.kernel, host.on_battery), (None, Some(false)));
    }
}
