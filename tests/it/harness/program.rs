use super::within;
use std::path::PathBuf;
use std::process::{ExitStatus, Output, Stdio};
use std::time::Duration;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// A running `inline-ui`, killed when this is dropped.
#[derive(Debug)]
pub(crate) struct Program {
    child: Option<Child>,
}

impl Drop for Program {
    fn drop(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        let _ = child.start_kill();
        // Not left behind: the test's process may end before the program's.
        for _ in 0..1_000 {
            if !matches!(child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Program {
    /// Starts it with its standard input and output in our hands.
    pub(crate) fn start(args: &[&str]) -> Self {
        let child = command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        Self { child: Some(child.unwrap()) }
    }

    /// Starts it where no file may grow beyond that many KiB, as on a disk that is full.
    pub(crate) fn start_limited(args: &[&str], kib: u32) -> Self {
        // The limit's signal would end it; ignored, a write fails as it does for want of space.
        let script = format!("trap '' XFSZ; ulimit -f {kib}; exec \"$@\"");
        let mut command = Command::new("bash");
        command.args(["-c", &script, "bash"]).arg(binary()).args(args);
        let child = quiet(&mut command).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        Self { child: Some(child.unwrap()) }
    }

    /// Starts it with those limits of open files, `SOFT:HARD`.
    pub(crate) fn start_with_files(limits: &str, args: &[&str]) -> Self {
        let mut command = std::process::Command::new("prlimit");
        command.arg(format!("--nofile={limits}")).arg(binary()).args(args);
        Self::of(command)
    }

    /// Starts it with its standard error in our hands, too.
    pub(crate) fn start_with_errors(args: &[&str]) -> Self {
        let mut command = command(args);
        let child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        Self { child: Some(child.unwrap()) }
    }

    /// Starts it as that command does.
    pub(crate) fn of(command: std::process::Command) -> Self {
        let mut command = Command::from(command);
        let child = quiet(&mut command).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        Self { child: Some(child.unwrap()) }
    }

    pub(crate) fn pipes(&mut self) -> (ChildStdin, ChildStdout) {
        let child = self.child();
        (child.stdin.take().unwrap(), child.stdout.take().unwrap())
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.child().try_wait().unwrap().is_none()
    }

    /// SIGKILL: nothing of it runs any more when this returns.
    pub(crate) async fn kill(&mut self) {
        within("the end of a killed program", self.child().kill()).await.unwrap();
    }

    pub(crate) async fn ended(&mut self) -> ExitStatus {
        within("the program's end", self.child().wait()).await.unwrap()
    }

    /// Its end and all it wrote. Closes its standard input.
    pub(crate) async fn output(mut self) -> Output {
        within("the program's end", self.child.take().unwrap().wait_with_output()).await.unwrap()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.as_ref().unwrap().id().unwrap()
    }

    /// Its resident memory, in KiB.
    pub(crate) fn resident(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    fn child(&mut self) -> &mut Child {
        self.child.as_mut().unwrap()
    }
}

/// Runs it to its end with nothing on its standard input.
pub(crate) async fn run(args: &[&str]) -> Output {
    let mut command = command(args);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    within("the program's end", command.output()).await.unwrap()
}

/// SIGTERM to a program of ours.
pub(crate) async fn terminate(program: &Program) {
    let sent =
        Command::new("kill").args(["-TERM", &program.pid().to_string()]).status().await.unwrap();
    assert!(sent.success());
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(binary());
    quiet(&mut command).args(args);
    command
}

pub(super) fn quiet(command: &mut Command) -> &mut Command {
    if std::env::var_os("RUST_LOG").is_none() {
        command.env("RUST_LOG", "off");
    }
    command.kill_on_drop(true)
}

/// The program that was built with these tests: `target/PROFILE/inline-ui` beside `target/PROFILE/deps`.
pub(super) fn binary() -> PathBuf {
    let given = std::env::var_os("INLINE_UI_BIN").map(PathBuf::from);
    let path = given.unwrap_or_else(|| {
        let test = std::env::current_exe().unwrap();
        test.ancestors().nth(2).unwrap().join("inline-ui")
    });
    assert!(path.is_file(), "{} is missing: run `cargo build -p inline-ui` first", path.display());
    path
}
