//! The machine and its system, as the system tells.
//! How each system tells it is in a file of its own; on others, nothing but the number of processors.

// Compiled for tests everywhere: neither needs its system, only what it would say.
#[cfg(any(target_os = "linux", target_os = "android", test))]
mod linux;
#[cfg(any(target_os = "macos", test))]
mod macos;

use cryptobench_schema::Host;

/// This machine.
pub(crate) fn capture() -> Host {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let host = linux::host(std::path::Path::new("/"));
    #[cfg(target_os = "macos")]
    let host = macos::host(&macos::command);
    #[cfg(not(any(target_os = "linux", target_os = "android", target_os = "macos")))]
    let host = silent();
    named(host)
}

/// What a system says of a hypervisor that it knows of but cannot name.
const UNKNOWN_HYPERVISOR: &str = "unknown hypervisor";

/// `host` with its hypervisor named by the processor, where the system could not.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn named(mut host: Host) -> Host {
    if host.cpu.hypervisor.as_deref() == Some(UNKNOWN_HYPERVISOR)
        && let Some(info) = raw_cpuid::CpuId::new().get_hypervisor_info()
    {
        host.cpu.hypervisor = Some(format!("{:?}", info.identify()));
    }
    host
}

/// Processors of this kind do not name their hypervisor.
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn named(host: Host) -> Host {
    host
}

/// A machine whose system does not tell anything.
#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "macos")))]
fn silent() -> Host {
    Host {
        system: Some(std::env::consts::OS.to_owned()),
        kernel: None,
        cpu: cryptobench_schema::Cpu {
            model: None,
            signature: None,
            microcode: None,
            flags: Vec::new(),
            logical: available(),
            smt: None,
            hypervisor: None,
            governor: None,
            boost: None,
        },
        memory_bytes: None,
        load: None,
        on_battery: None,
    }
}

/// The processors that this process may use, where the system does not tell how many are online.
fn available() -> u32 {
    std::thread::available_parallelism()
        .ok()
        .and_then(|count| u32::try_from(count.get()).ok())
        .unwrap_or(1)
}

#[cfg(test)]
mod tests {
    #[test]
    fn this_machine_tells_something() {
        let host = super::capture();
        assert!(host.system.is_some_and(|system| !system.is_empty()));
        assert!(host.cpu.logical >= 1);
        assert!(host.cpu.flags.is_sorted());
        if cfg!(any(target_os = "linux", target_os = "macos")) {
            assert!(host.kernel.is_some());
            assert!(host.memory_bytes.is_some_and(|bytes| bytes > 1 << 20));
            assert!(host.load.is_some_and(|load| load >= 0.0));
        }
    }
}
