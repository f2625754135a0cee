//! Who a worker is: its name in the database says where it runs, so that others can tell when it is gone.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::runs::now;

/// Workers of this process so far.
static NUMBER: AtomicU32 = AtomicU32::new(0);

/// What a worker claims chats for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// To have them judged at once.
    Direct,
    /// To send the questions of the judge at a place in batches.
    Batch(u32),
}

/// A worker, as its name tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) work: Work,
    /// The boot of the machine and the space its process numbers count in; empty where they cannot be known.
    machine: String,
    /// The process.
    pub(super) process: u32,
    /// When the process began, in ticks since the boot.
    started: u64,
    /// How long its chats stay with it when it gives no sign of life.
    pub(super) lease: Duration,
    /// What tells workers of one process apart.
    number: String,
}

impl Identity {
    /// A worker of this process.
    pub(super) fn new(work: Work, lease: Duration) -> Self {
        let process = std::process::id();
        let number = format!("{:x}-{}", now(), NUMBER.fetch_add(1, Ordering::Relaxed));
        match (machine(), started(process)) {
            (Some(machine), Some(Process::Since(started))) => Self { work, machine, process, started, lease, number },
            _ => Self { work, machine: String::new(), process, started: 0, lease, number },
        }
    }

    /// The name in the database.
    pub(super) fn name(&self) -> String {
        let work = match self.work {
            Work::Direct => "direct".to_owned(),
            Work::Batch(place) => format!("batch{place}"),
        };
        let Self { machine, process, started, number, .. } = self;
        format!("{work}.{machine}.{process}.{started}.{}.{number}", self.lease.as_millis())
    }

    /// The worker of a name; nothing where an earlier version gave it.
    pub(super) fn parse(name: &str) -> Option<Self> {
        let parts: Vec<&str> = name.split('.').collect();
        let [work, machine, process, started, lease, number] = parts.as_slice() else { return None };
        let work = match work.strip_prefix("batch") {
            Some(place) => Work::Batch(place.parse().ok()?),
            None => (*work == "direct").then_some(Work::Direct)?,
        };
        Some(Self {
            work,
            machine: (*machine).to_owned(),
            process: process.parse().ok()?,
            started: started.parse().ok()?,
            lease: Duration::from_millis(lease.parse().ok()?),
            number: (*number).to_owned(),
        })
    }

    /// Whether it runs, or ran, on this machine, since it was last started.
    pub(super) fn is_here(&self) -> bool {
        !self.machine.is_empty() && machine().as_deref() == Some(self.machine.as_str())
    }

    /// Whether it certainly no longer runs. Of a worker on another machine nobody here can know.
    pub(super) fn is_gone(&self) -> bool {
        self.is_here()
            && match started(self.process) {
                Some(Process::Since(started)) => started != self.started,
                Some(Process::Gone) => true,
                None => false,
            }
    }
}

/// What is known of a process number.
enum Process {
    /// When its process began.
    Since(u64),
    /// No process has it, or one that has ended and that nobody has asked about yet.
    Gone,
}

/// The boot of this machine, and the space in which process numbers count: containers on one machine have their own.
fn machine() -> Option<String> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let space = std::fs::read_link("/proc/self/ns/pid").ok()?;
    let space: String = space.to_string_lossy().chars().filter(char::is_ascii_digit).collect();
    Some(format!("{}-{space}", boot.trim()))
}

/// What became of a process; nothing where other people's processes are hidden, or on a system without `/proc`.
fn started(process: u32) -> Option<Process> {
    match std::fs::read_to_string(format!("/proc/{process}/stat")) {
        Ok(line) => since(&line),
        Err(error) if error.kind() == ErrorKind::NotFound && Path::new("/proc/1/stat").exists() => Some(Process::Gone),
        Err(_) => None,
    }
}

/// The third field is the state, the 22nd the start. The second is a name in brackets, which may hold anything.
fn since(line: &str) -> Option<Process> {
    let mut fields = line.rsplit_once(')')?.1.split_whitespace();
    match fields.next()? {
        "Z" | "X" => Some(Process::Gone),
        _ => fields.nth(18)?.parse().ok().map(Process::Since),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_the_worker_and_other_names_tell_nothing() {
        for work in [Work::Direct, Work::Batch(12)] {
            let worker = Identity::new(work, Duration::from_millis(1500));
            assert_eq!(Identity::parse(&worker.name()), Some(worker.clone()));
            assert!(worker.is_here() && !worker.is_gone());
            assert_ne!(Identity::new(work, Duration::from_millis(1500)).name(), worker.name());
        }
        for name in ["", "4711-19a0b", "batch-4711-19a0b-0", "direct.a.b.c.d.e", "batchx..1.1.1.1", "direct..1.1.1"] {
            assert_eq!(Identity::parse(name), None, "{name}");
        }
    }

    #[test]
    fn a_worker_is_gone_when_its_process_is_or_another_has_its_number() {
        let here = Identity::new(Work::Direct, Duration::from_secs(1));
        let reused = Identity { started: here.started + 1, ..here.clone() };
        assert!(reused.is_gone());
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let Some(Process::Since(started)) = started(child.id()) else { panic!("the child runs") };
        let child_worker = Identity { process: child.id(), started, ..here.clone() };
        assert!(!child_worker.is_gone());
        child.kill().unwrap();
        // Killed, but not waited for yet: it still has its number.
        while !child_worker.is_gone() {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert!(child_worker.is_gone());
    }

    #[test]
    fn of_a_worker_elsewhere_nobody_knows_whether_it_is_gone() {
        let here = Identity::new(Work::Direct, Duration::from_secs(1));
        for machine in ["", "another"] {
            let elsewhere = Identity { machine: machine.to_owned(), process: u32::MAX, ..here.clone() };
            assert!(!elsewhere.is_here() && !elsewhere.is_gone());
        }
    }
}
