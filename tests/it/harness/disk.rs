use super::program::binary;
use super::{Link, Program};
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use tempfile::TempDir;

/// A small file system in a mount namespace of its own: nothing of it is left when its holder ends.
#[derive(Debug)]
pub(crate) struct Disk {
    holder: Child,
    pub(crate) folder: Arc<TempDir>,
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = self.holder.kill();
        let _ = self.holder.wait();
    }
}

impl Disk {
    /// None where this user may make no mount namespace; that is said on standard error.
    pub(crate) fn mount(kib: u32) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let script = "mount -t tmpfs -o size=$1k none \"$2\" && echo ready && exec cat";
        let holder = Command::new("unshare")
            .args(if is_root() { &["-m"][..] } else { &["-r", "-m"][..] })
            .args(["sh", "-c", script, "sh", &kib.to_string()])
            .arg(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let ready = holder.ok().and_then(|mut holder| {
            let mut line = String::new();
            BufReader::new(holder.stdout.take()?).read_line(&mut line).ok()?;
            (line == "ready\n").then_some(holder)
        });
        if ready.is_none() {
            eprintln!("not tested: this user may not mount a file system of its own");
        }
        ready.map(|holder| Self { holder, folder: Arc::new(folder) })
    }

    /// The folder as this process sees it.
    pub(crate) fn outside(&self) -> PathBuf {
        let root = PathBuf::from(format!("/proc/{}/root", self.holder.id()));
        root.join(self.folder.path().strip_prefix("/").unwrap())
    }

    /// Takes all the room that is left.
    pub(crate) fn fill(&self) {
        let mut filler = std::fs::File::create(self.outside().join("filler")).unwrap();
        for bytes in [65_536, 4_096, 1] {
            loop {
                match filler.write(&vec![0; bytes]) {
                    Ok(0) => break,
                    Ok(_) => {}
                    Err(error) => {
                        assert_eq!(error.kind(), ErrorKind::StorageFull, "{error}");
                        break;
                    }
                }
            }
        }
    }

    pub(crate) fn make_room(&self) {
        std::fs::remove_file(self.outside().join("filler")).unwrap();
    }

    /// Mounts it anew as `ro` or `rw`.
    pub(crate) fn remount(&self, mode: &str) {
        let path = self.folder.path().to_str().unwrap();
        let mut command =
            self.inside("mount", &["-o".to_owned(), format!("remount,{mode}"), path.to_owned()]);
        let done = command.output().unwrap();
        assert!(done.status.success(), "{done:?}");
    }

    pub(crate) fn spawn(&self) -> (Program, Link) {
        let mut command = self.inside(binary().to_str().unwrap(), &[]);
        command.args(["serve", "--stdio"]).stderr(Stdio::piped());
        let mut program = Program::of(command);
        let (input, output) = program.pipes();
        (program, Link::new(output, input))
    }

    /// Runs the program to its end.
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
        let mut command = self.inside(binary().to_str().unwrap(), &args);
        command.env("RUST_LOG", "off").stdin(Stdio::null()).output().unwrap()
    }

    fn inside(&self, program: &str, args: &[String]) -> Command {
        let mut command = Command::new("nsenter");
        command.args(["-t", &self.holder.id().to_string(), "-m"]);
        if !is_root() {
            command.args(["-U", "--preserve-credentials"]);
        }
        command.arg("--").arg(program).args(args);
        command
    }
}

fn is_root() -> bool {
    std::os::unix::fs::MetadataExt::uid(&std::fs::metadata("/proc/self").unwrap()) == 0
}
