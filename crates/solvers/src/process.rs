//! One child process: started in its own group, fed, read and timed with one poll loop, and always reaped. It knows
//! bytes and times; `reply` gives the bytes their meaning.

use crate::coverage::Attached;
use crate::fence;
use crate::guard;
use crate::invocation::{Invocation, ScratchFolder, absolute};
use crate::limits::{self, Limits, Memory};
use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::{Errno, read, write};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long a solver may take to end after it closed its output.
const GRACE: Duration = Duration::from_millis(500);
/// How long to wait beyond the remaining processor time before the next look at a process.
const CLOCK_STEP: Duration = Duration::from_millis(2);
/// How much more processor time than a query may use the kernel's limit gives a live process.
const AHEAD: Duration = Duration::from_secs(10);
/// How often resident memory is checked, if the kernel cannot limit it.
const LOOK: Duration = Duration::from_millis(50);

/// Why waiting stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The output is complete.
    Reached,
    /// The process ended.
    Ended,
    /// The process closed its output but still runs.
    Closed,
    /// The time limit.
    Deadline,
    /// The output limit.
    Flooded,
    /// The memory limit, checked by us.
    Memory,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It still runs: one query of a live session.
    Alive,
    /// It exited with this code.
    Exit(i32),
    /// It was ended by a signal that we did not send.
    Signal(i32),
    /// We killed it, for this reason.
    Killed(Stop),
}

/// The resources that a process and its children used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub cpu: Duration,
    /// Peak memory in bytes; zero if it cannot be distinguished from ours.
    pub max_rss: u64,
}

/// Processor time of all processes in nanoseconds; for living ones up to their last query.
static SPENT: AtomicU64 = AtomicU64::new(0);

/// Processor time that all processes have used so far, for any purpose.
pub fn spent() -> Duration {
    Duration::from_nanos(SPENT.load(Ordering::Relaxed))
}

/// A running child with its pipes; killed with its whole group and reaped when dropped.
#[derive(Debug)]
pub struct Process {
    pid: Pid,
    /// Adds its processor time to the total.
    clock: Option<libc::clockid_t>,
    pidfd: OwnedFd,
    stdin: Option<OwnedFd>,
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
    mark: String,
    /// Its temporary working folder, if it has no other.
    _scratch: Option<ScratchFolder>,
    /// Keeps the record of its edges open, if there is one.
    _attached: Option<Attached>,
    limits: Limits,
    memory: Memory,
    /// Processor time at the last measurement, if nothing was asked since.
    spent: Option<Duration>,
    /// How much of its time is already in the total.
    counted: Duration,
    /// The kernel's processor time limit.
    allowed: Duration,
    /// Our own memory when it was started.
    inherited: u64,
    reaped: bool,
    /// Output that was read but not yet taken.
    pub out: Vec<u8>,
    pub err: Vec<u8>,
}

impl Process {
    /// Starts a process under limits.
    pub fn start(what: &Invocation, limits: &Limits, memory: Memory) -> std::io::Result<Process> {
        let mark = guard::mark();
        let (mut command, scratch) = placed(what, &mark)?;
        command
            .envs(what.environment.iter().map(|(name, value)| (name, value)))
            .env(guard::MARK, &mark)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let attached = match &scratch {
            Some(scratch) => what.coverage.attach(scratch.path())?,
            None => None,
        };
        let variables = attached.iter().flat_map(|attached| &attached.variables);
        command.envs(variables.map(|(name, path)| (name, path)));
        // A process in a folder of the user is the user's own tool.
        let mut child = match &scratch {
            Some(scratch) => fence::spawn(&mut command, what, scratch.path())?,
            None => command.spawn()?,
        };
        let pid = Pid::from_child(&child);
        limits::apply(pid, limits, memory);
        let stdin = child.stdin.take().map(OwnedFd::from);
        let stdout = child.stdout.take().map(OwnedFd::from);
        let stderr = child.stderr.take().map(OwnedFd::from);
        let pidfd = match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(pidfd) => pidfd,
            Err(error) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(error.into());
            }
        };
        let process = Process {
            pid,
            clock: cpu_clock(pid),
            pidfd,
            stdin,
            stdout,
            stderr,
            mark,
            _scratch: scratch,
            _attached: attached,
            limits: limits.clone(),
            memory,
            spent: Some(Duration::ZERO),
            counted: Duration::ZERO,
            allowed: limits.cpu.unwrap_or_default(),
            inherited: own_peak(),
            reaped: false,
            out: Vec::new(),
            err: Vec::new(),
        };
        for pipe in [&process.stdin, &process.stdout, &process.stderr] {
            let pipe = pipe.as_ref().ok_or(Errno::BADF)?;
            fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)?;
        }
        Ok(process)
    }

    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// Changes the processor time limit of one exchange.
    pub fn limit_cpu(&mut self, cpu: Duration) {
        self.limits.cpu = Some(cpu);
        self.allowed = Duration::ZERO;
        self.account();
    }

    /// The processor time used so far; the next query gets the same limit as this one.
    pub fn account(&mut self) -> Duration {
        let spent = self.cpu();
        self.spent = Some(spent);
        self.count(spent);
        if let Some(more) = self.limits.cpu
            && spent + more > self.allowed
        {
            // Far ahead, so that it need not be set for every query; we watch the exact limit here.
            self.allowed = spent + more + AHEAD;
            limits::allow_cpu(self.pid, self.allowed);
        }
        spent
    }

    fn count(&mut self, spent: Duration) {
        let more = spent.saturating_sub(self.counted);
        self.counted += more;
        SPENT.fetch_add(more.as_nanos() as u64, Ordering::Relaxed);
    }

    /// Feeds `input`, then closes the input, and waits for the end of the process.
    pub fn run(&mut self, input: &[u8], deadline: Instant) -> Stop {
        self.pump(input, true, deadline, &mut |_| false)
    }

    /// Feeds `input` and waits until `done` says that the output is complete.
    pub fn exchange(
        &mut self,
        input: &[u8],
        deadline: Instant,
        done: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Stop {
        self.pump(input, false, deadline, done)
    }

    fn pump(
        &mut self,
        mut input: &[u8],
        close: bool,
        deadline: Instant,
        done: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Stop {
        let before = self.out.len() + self.err.len();
        let mut closed = None;
        let mut watch = self.watch();
        loop {
            self.feed(&mut input, close);
            let end = closed.map_or(deadline, |at: Instant| deadline.min(at + GRACE));
            let Some(ready) = self.wait_ready(!input.is_empty(), end, &mut watch) else {
                return if closed.is_some() {
                    Stop::Closed
                } else {
                    Stop::Deadline
                };
            };
            let grown = self.take_output(&ready, before);
            if self.out.len() + self.err.len() - before > self.limits.output {
                return Stop::Flooded;
            }
            if grown && done(&self.out) {
                return Stop::Reached;
            }
            if ready.ended {
                return Stop::Ended;
            }
            if self.too_large() {
                return Stop::Memory;
            }
            if self.stdout.is_none() && closed.is_none() {
                closed = Some(Instant::now());
            }
        }
    }

    /// Watches short limits, because the kernel counts whole seconds.
    fn watch(&mut self) -> Option<Watch> {
        let more = self.limits.cpu?;
        let spent = self.spent.take().unwrap_or_else(|| self.cpu());
        Some(Watch {
            most: spent + more,
            // Processor time passes no faster than wall time, so there is nothing to check before.
            next: Instant::now() + more + CLOCK_STEP,
        })
    }

    /// Writes what fits; for a closed pipe the rest is dropped.
    fn feed(&mut self, input: &mut &[u8], close: bool) {
        while let (Some(pipe), false) = (&self.stdin, input.is_empty()) {
            match write(pipe, input) {
                Ok(count) => *input = &input[count..],
                Err(Errno::AGAIN) => return,
                Err(Errno::INTR) => {}
                Err(_) => self.stdin = None,
            }
        }
        if self.stdin.is_none() {
            *input = &[];
        }
        if close && input.is_empty() {
            self.stdin = None;
        }
    }

    /// Sleeps until something can be read or written, or the process ends; `None` on a timeout.
    fn wait_ready(&self, writing: bool, end: Instant, watch: &mut Option<Watch>) -> Option<Ready> {
        loop {
            let now = Instant::now();
            let mut left = end.checked_duration_since(now)?;
            if left.is_zero() {
                return None;
            }
            if self.watches_memory() {
                left = left.min(LOOK);
            }
            if let Some(watch) = watch {
                if watch.next <= now {
                    watch.next = now + watch.most.checked_sub(self.cpu())? + CLOCK_STEP;
                }
                left = left.min(watch.next - now);
            }
            let mut fds = Vec::with_capacity(4);
            fds.push(PollFd::new(&self.pidfd, PollFlags::IN));
            for pipe in [&self.stdout, &self.stderr].into_iter().flatten() {
                fds.push(PollFd::new(pipe, PollFlags::IN));
            }
            if let (Some(pipe), true) = (&self.stdin, writing) {
                fds.push(PollFd::new(pipe, PollFlags::OUT));
            }
            let timeout = Timespec {
                tv_sec: left.as_secs() as i64,
                tv_nsec: left.subsec_nanos().into(),
            };
            match poll(&mut fds, Some(&timeout)) {
                Ok(0) if self.watches_memory() => return Some(Ready::default()),
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return Some(self.ready(&fds)),
                Err(_) => return None,
            }
        }
    }

    /// The result of a poll over the process and the open pipes.
    fn ready(&self, fds: &[PollFd<'_>]) -> Ready {
        let mut events = fds.iter().map(|fd| !fd.revents().is_empty());
        let mut next = |open: bool| open && events.next() == Some(true);
        let ended = next(true);
        // At the end read everything, whether the poll reported it or not.
        Ready {
            ended,
            out: next(self.stdout.is_some()) || ended,
            err: next(self.stderr.is_some()) || ended,
        }
    }

    /// Reads what is available, up to the output limit; returns whether standard output grew.
    fn take_output(&mut self, ready: &Ready, before: usize) -> bool {
        let length = self.out.len();
        let room = (before + self.limits.output + 1).saturating_sub(length + self.err.len());
        if ready.out {
            drain(&mut self.stdout, &mut self.out, room, false);
        }
        let room = room.saturating_sub(self.out.len() - length);
        if ready.err {
            drain(&mut self.stderr, &mut self.err, room, false);
        }
        self.out.len() > length
    }

    fn watches_memory(&self) -> bool {
        self.memory == Memory::Resident && self.limits.memory.is_some()
    }

    fn too_large(&self) -> bool {
        self.watches_memory()
            && self
                .limits
                .memory
                .is_some_and(|most| self.resident() > most)
    }

    /// Bytes of memory that the process and its children use now; zero after its end.
    pub fn resident(&self) -> u64 {
        let mut total = 0;
        let mut waiting = vec![self.pid.as_raw_nonzero().get()];
        // A wrapper script is small, but its children are not.
        while let Some(pid) = waiting.pop() {
            let read = |name: &str| std::fs::read_to_string(format!("/proc/{pid}/{name}"));
            let statm = read("statm").unwrap_or_default();
            let pages = statm.split(' ').nth(1).and_then(|text| text.parse().ok());
            total += pages.unwrap_or(0u64) * rustix::param::page_size() as u64;
            let children = read(&format!("task/{pid}/children")).unwrap_or_default();
            waiting.extend(children.split_whitespace().flat_map(str::parse::<i32>));
        }
        total
    }

    /// Processor time that the process has used so far; zero after its end.
    pub fn cpu(&self) -> Duration {
        let Some(clock) = self.clock else {
            return Duration::ZERO;
        };
        let mut time = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: writes only to the local it is given.
        if unsafe { libc::clock_gettime(clock, &mut time) } != 0 {
            return Duration::ZERO;
        }
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }

    /// Kills the process, if it still runs, with everything it started; returns how it ended.
    pub fn finish(mut self, stop: Stop) -> (Ending, Usage, Vec<u8>, Vec<u8>) {
        let (ending, usage) = self.end(stop);
        let out = std::mem::take(&mut self.out);
        let err = std::mem::take(&mut self.err);
        (ending, usage, out, err)
    }

    fn end(&mut self, stop: Stop) -> (Ending, Usage) {
        self.stdin = None;
        // The leader is not reaped yet, so its group number cannot belong to anyone else.
        let _ = kill_process_group(self.pid, Signal::KILL);
        let (status, mut usage) = reap(self.pid);
        self.reaped = true;
        self.count(usage.cpu);
        if usage.max_rss <= self.inherited {
            // The kernel counts memory from before the exec, which was ours.
            usage.max_rss = 0;
        }
        self.sweep(stop != Stop::Ended);
        let ending = match stop {
            Stop::Ended => match (status.code(), status.signal()) {
                (Some(code), _) => Ending::Exit(code),
                (None, signal) => Ending::Signal(signal.unwrap_or(0)),
            },
            other => Ending::Killed(other),
        };
        (ending, usage)
    }

    /// Kills descendants that left the process group: always after a kill, otherwise if a pipe is still open.
    fn sweep(&mut self, killed: bool) {
        let room = self.limits.output;
        for _ in 0..20 {
            drain(&mut self.stdout, &mut self.out, room, true);
            drain(&mut self.stderr, &mut self.err, room, true);
            if self.stdout.is_none() && self.stderr.is_none() {
                break;
            }
            guard::kill_marked(&self.mark, self.pid);
            std::thread::sleep(Duration::from_millis(1));
        }
        if killed {
            guard::kill_marked(&self.mark, self.pid);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.reaped {
            self.end(Stop::Closed);
        }
    }
}

/// The command with its working folder, a new one unless it has one.
fn placed(what: &Invocation, mark: &str) -> std::io::Result<(Command, Option<ScratchFolder>)> {
    if let Some(folder) = &what.folder {
        let mut command = Command::new(&what.program);
        command.args(&what.arguments).current_dir(folder);
        return Ok((command, None));
    }
    let scratch = ScratchFolder::make(mark)?;
    let program = what.program.as_os_str();
    // A name alone is looked up on PATH.
    let named = !program.as_encoded_bytes().contains(&b'/');
    let program = if named {
        program.into()
    } else {
        absolute(program)
    };
    let mut command = Command::new(program);
    command
        .args(what.arguments.iter().map(|word| absolute(word)))
        .current_dir(scratch.path());
    Ok((command, Some(scratch)))
}

fn cpu_clock(pid: Pid) -> Option<libc::clockid_t> {
    let mut clock = 0;
    // SAFETY: writes only to the local it is given.
    let failed = unsafe { libc::clock_getcpuclockid(pid.as_raw_nonzero().get(), &mut clock) };
    (failed == 0).then_some(clock)
}

/// When to check processor time next, and its limit.
struct Watch {
    most: Duration,
    next: Instant,
}

#[derive(Default)]
struct Ready {
    ended: bool,
    out: bool,
    err: bool,
}

/// The size of one read.
const CHUNK: usize = 16 << 10;

/// Reads until the pipe is empty or closed, or the buffer is full; `last` also detects whether it is closed.
fn drain(pipe: &mut Option<OwnedFd>, into: &mut Vec<u8>, room: usize, last: bool) {
    let end = into.len() + room;
    while let (Some(fd), true) = (pipe.as_ref(), into.len() < end) {
        into.reserve(CHUNK);
        let space = into.capacity() - into.len();
        match read(fd, spare_capacity(into)) {
            Ok(0) => *pipe = None,
            // A short read has emptied the pipe; another read would cost as much as the first.
            Ok(count) if count < space && !last => return,
            Ok(_) | Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => return,
            Err(_) => *pipe = None,
        }
    }
}

/// Our own peak memory in bytes.
fn own_peak() -> u64 {
    // SAFETY: `rusage` is plain data for which zero is valid, and getrusage writes only to it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    usage.ru_maxrss as u64 * 1024
}

/// Reaps a killed or ended process; returns its resource usage.
fn reap(pid: Pid) -> (ExitStatus, Usage) {
    let mut status = 0;
    // SAFETY: `rusage` is plain data for which zero is valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: wait4 writes only to the locals it is given; the child is ours and reaped once.
    while unsafe { libc::wait4(pid.as_raw_nonzero().get(), &mut status, 0, &mut usage) } < 0 {
        if std::io::Error::last_os_error().kind() != std::io::ErrorKind::Interrupted {
            break;
        }
    }
    let time = |value: libc::timeval| {
        Duration::from_secs(value.tv_sec as u64) + Duration::from_micros(value.tv_usec as u64)
    };
    let usage = Usage {
        cpu: time(usage.ru_utime) + time(usage.ru_stime),
        max_rss: usage.ru_maxrss as u64 * 1024,
    };
    (ExitStatus::from_raw(status), usage)
}
