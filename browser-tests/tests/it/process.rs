//! The browser's own processes.

use std::collections::HashMap;
use std::fs;

struct Process {
    parent: u32,
    /// In clock ticks.
    cpu: u64,
}

/// The process of pages and frames, below this one, that works most while `work` is done.
pub(crate) async fn busiest_frame_process<T>(work: impl AsyncFn() -> T) -> u32 {
    let before = processes();
    work().await;
    let after = processes();
    let worked = |pid: &u32| after[pid].cpu - before[pid].cpu;
    let ours = after.keys().copied().filter(|pid| before.contains_key(pid));
    let frames = ours.filter(|pid| is_below_this(*pid, &after) && shows_frames(*pid));
    frames.max_by_key(worked).unwrap()
}

fn processes() -> HashMap<u32, Process> {
    let pids = fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter_map(|pid| Some((pid, read(pid)?))).collect()
}

/// See proc(5): what comes after the command's name, which may have any character in it.
fn read(pid: u32) -> Option<Process> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = stat[stat.rfind(')')? + 2..].split(' ').collect();
    let ticks = |n: usize| fields.get(n)?.parse::<u64>().ok();
    Some(Process { parent: fields.get(1)?.parse().ok()?, cpu: ticks(11)? + ticks(12)? })
}

fn is_below_this(mut pid: u32, all: &HashMap<u32, Process>) -> bool {
    while let Some(process) = all.get(&pid) {
        if process.parent == std::process::id() {
            return true;
        }
        pid = process.parent;
    }
    false
}

fn shows_frames(pid: u32) -> bool {
    let command = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let command = String::from_utf8_lossy(&command);
    command.contains("--type=renderer") || command.contains("-contentproc")
}
