//! The one logical processor that runner and workers share, so that a request and its answer wake nobody on
//! another. Where the system has no pinning, nothing is pinned.

use thiserror::Error;

/// A processor that cannot be pinned to.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("cannot run on processor {processor}: {reason}")]
pub struct PinError {
    processor: u32,
    reason: String,
}

/// The processor to share: of those that this process may use the fastest, and of equals the last, since the
/// first ones are those that most systems handle interrupts on. `None` where the system has no pinning.
#[must_use]
pub fn suggested() -> Option<u32> {
    let speed = |processor: &u32| {
        ["cpu_capacity", "cpufreq/cpuinfo_max_freq"].into_iter().find_map(|file| {
            let path = format!("/sys/devices/system/cpu/cpu{processor}/{file}");
            std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok()
        })
    };
    allowed().into_iter().max_by_key(|processor| (speed(processor), *processor))
}

/// Pins the calling thread, and all processes that it starts, to `processor`.
///
/// # Errors
///
/// Where the system has no such processor, does not allow it, or has no pinning.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub fn pin(processor: u32) -> Result<(), PinError> {
    use rustix::thread::{CpuSet, sched_setaffinity};
    let error = |reason: String| PinError { processor, reason };
    let number = processor as usize;
    if !allowed().contains(&processor) {
        return Err(error(format!("this process may use only {:?}", allowed())));
    }
    let mut set = CpuSet::new();
    set.set(number);
    sched_setaffinity(None, &set).map_err(|errno| error(errno.to_string()))
}

/// The processors that this process may use.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn allowed() -> Vec<u32> {
    use rustix::thread::{CpuSet, sched_getaffinity};
    let Ok(set) = sched_getaffinity(None) else {
        return Vec::new();
    };
    (0..CpuSet::MAX_CPU)
        .filter(|processor| set.is_set(*processor))
        .filter_map(|it| u32::try_from(it).ok())
        .collect()
}

/// Pins the calling thread, and all processes that it starts, to `processor`.
///
/// # Errors
///
/// Always: this system has no pinning.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub fn pin(processor: u32) -> Result<(), PinError> {
    Err(PinError { processor, reason: "this system has no pinning".to_owned() })
}

/// The processors that this process may be pinned to: none.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn allowed() -> Vec<u32> {
    Vec::new()
}
