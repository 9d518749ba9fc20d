//! The built binary, as a process.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use tempfile::TempDir;

/// The portal on a data folder of its own; killed when dropped.
pub(crate) struct Portal {
    process: Child,
    /// Open, so that a second line of the portal's does not end it.
    stdout: BufReader<ChildStdout>,
    data: TempDir,
    port: u16,
    password: Option<String>,
    registry: Option<String>,
}

impl Portal {
    pub(crate) fn start() -> Self {
        Self::start_with(None, None)
    }

    pub(crate) fn with_password(password: &str) -> Self {
        Self::start_with(Some(password.to_owned()), None)
    }

    pub(crate) fn with_registry(address: &str) -> Self {
        Self::start_with(None, Some(address.to_owned()))
    }

    fn start_with(password: Option<String>, registry: Option<String>) -> Self {
        let data = tempfile::tempdir().unwrap();
        let (process, stdout, port) =
            spawn(data.path(), 0, password.as_deref(), registry.as_deref());
        Self { process, stdout, data, port, password, registry }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.host())
    }

    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// `kill -9`, and nothing after it.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// On the same data and the same port, for pages that stayed open.
    pub(crate) fn start_again(&mut self) {
        let (password, registry) = (self.password.as_deref(), self.registry.as_deref());
        let (process, stdout, _) = spawn(self.data.path(), self.port, password, registry);
        self.process = process;
        self.stdout = stdout;
    }
}

impl Drop for Portal {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let log = std::fs::read_to_string(self.data.path().join("stderr.log")).unwrap_or_default();
        if !log.is_empty() {
            eprintln!("portal:\n{log}");
        }
    }
}

fn spawn(
    data: &Path,
    port: u16,
    password: Option<&str>,
    registry: Option<&str>,
) -> (Child, BufReader<ChildStdout>, u16) {
    let log = data.join("stderr.log");
    let log = std::fs::OpenOptions::new().create(true).append(true).open(log).unwrap();
    let mut command = Command::new(binary());
    command.args(["portal", "--listen", &format!("127.0.0.1:{port}"), "--data"]).arg(data);
    command.env_remove("INLINE_UI_PASSWORD");
    if let Some(password) = password {
        command.env("INLINE_UI_PASSWORD", password);
    }
    if let Some(registry) = registry {
        command.args(["--registry", registry]);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
    let mut process = command.spawn().unwrap();
    let mut stdout = BufReader::new(process.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("listening on http://127.0.0.1:");
    let port = address.and_then(|port| port.parse().ok()).unwrap_or_else(|| {
        panic!("the portal said {line:?}; see {}", data.join("stderr.log").display())
    });
    (process, stdout, port)
}

/// `INLINE_UI_BIN`, or what the same profile built.
fn binary() -> PathBuf {
    let path = std::env::var_os("INLINE_UI_BIN").map_or_else(
        || {
            let test = std::env::current_exe().unwrap();
            test.parent().unwrap().parent().unwrap().join("inline-ui")
        },
        PathBuf::from,
    );
    assert!(path.exists(), "{} is missing: cargo build -p inline-ui", path.display());
    path
}
