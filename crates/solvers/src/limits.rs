//! Limits of a query, and how the kernel enforces them. They are set from outside with `prlimit`, because code
//! between fork and exec would make every start slow.

use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Limits of one query. We watch wall time and output; the kernel enforces the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From sending the query to the last reply; a fresh process includes its start.
    pub wall: Duration,
    /// Processor time of the solver, per query.
    pub cpu: Option<Duration>,
    /// Bytes of memory of one process.
    pub memory: Option<u64>,
    /// Bytes of output of one query, both streams together.
    pub output: usize,
    /// The time limit passed to the solver itself, so that it can answer `unknown` and survive.
    pub soft: Option<Duration>,
}

impl Limits {
    /// The shortest time limit. That of processor time is not exceeded before the clock shows as much.
    pub fn shortest(&self) -> Duration {
        let others = self.cpu.into_iter().chain(self.soft);
        others.fold(self.wall, Duration::min)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            wall: Duration::from_secs(10),
            cpu: None,
            memory: Some(4 << 30),
            output: 16 << 20,
            soft: None,
        }
    }
}

/// How the memory of a solver is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Memory {
    /// By address space: exact, and enforced by the kernel.
    #[default]
    AddressSpace,
    /// By resident pages, checked from time to time: for Java and sanitizer builds, which reserve far more than they
    /// use.
    Resident,
}

/// Makes exceeding `ulimit -f` an error instead of a fatal signal.
pub fn survive_large_files() {
    // SAFETY: no handler is installed; the signal is ignored.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Sets the limits that the kernel enforces. Failure is not an error: the process may have ended already.
pub(crate) fn apply(pid: Pid, limits: &Limits, memory: Memory) {
    // Core files of a solver that crashes a thousand times an hour would fill the disk.
    set(pid, Resource::Core, 0);
    if let (Some(bytes), Memory::AddressSpace) = (limits.memory, memory) {
        set(pid, Resource::As, bytes);
    }
    if let Some(cpu) = limits.cpu {
        allow_cpu(pid, cpu);
    }
}

/// Limits the total processor time of a process; whole seconds, rounded up.
pub(crate) fn allow_cpu(pid: Pid, most: Duration) {
    let seconds = most.as_millis().div_ceil(1000) as u64;
    // The soft limit sends SIGXCPU. Only it changes between queries, because a lowered hard limit can never rise
    // again. A solver that ignores the signal reaches the wall limit.
    set(pid, Resource::Cpu, seconds.max(1));
}

fn set(pid: Pid, resource: Resource, current: u64) {
    let maximum = getrlimit(resource).maximum;
    let limit = Rlimit {
        current: Some(maximum.map_or(current, |most| current.min(most))),
        maximum,
    };
    let _ = prlimit(Some(pid), resource, limit);
}
