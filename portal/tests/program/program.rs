use crate::http::{Reply, ask};
use hyper::Method;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

/// A test that waits for longer has failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A running portal on a folder that outlives it. Both end when this is dropped.
#[derive(Debug)]
pub(crate) struct Program {
    child: Child,
    options: Options,
    pub(crate) address: String,
    pub(crate) folder: TempDir,
}

/// What it is started with, besides its folder.
#[derive(Debug, Clone, Default)]
pub(crate) struct Options {
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<(&'static str, String)>,
    /// Everything that may be logged, into the file `log` of its folder.
    pub(crate) logs_all: bool,
}

impl Options {
    pub(crate) fn of(args: &[&str]) -> Self {
        Self { args: args.iter().map(|it| (*it).to_owned()).collect(), ..Self::default() }
    }
}

impl Program {
    pub(crate) async fn start() -> Self {
        Self::over(tempfile::tempdir().unwrap()).await
    }

    pub(crate) async fn start_with(options: Options) -> Self {
        Self::over_with(tempfile::tempdir().unwrap(), options).await
    }

    pub(crate) async fn over(folder: TempDir) -> Self {
        Self::over_with(folder, Options::default()).await
    }

    async fn over_with(folder: TempDir, options: Options) -> Self {
        let (child, address) = spawn(folder.path(), &options).await;
        Self { child, options, address, folder }
    }

    /// SIGKILL, and a new one on the same folder.
    pub(crate) async fn kill_and_restart(&mut self) {
        self.kill().await;
        (self.child, self.address) = spawn(self.folder.path(), &self.options).await;
    }

    /// Nothing of the portal runs any more when this returns; its extension sees the link close.
    pub(crate) async fn kill(&mut self) {
        self.child.kill().await.unwrap();
    }

    /// Asks it to stop, and waits until it and its extension have.
    pub(crate) async fn end(&mut self) {
        signal(self.pid(), "-TERM").await;
        timeout(PATIENCE, self.child.wait()).await.expect("it does not stop").unwrap();
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id().unwrap()
    }

    /// The extension's process, which is the portal's only child.
    pub(crate) async fn extension(&self) -> u32 {
        until("an extension", async || child_of(self.pid())).await
    }

    /// Ends the extension and waits for the next one: what is asked in between finds none.
    pub(crate) async fn kill_extension(&self, extension: u32) {
        signal(extension, "-KILL").await;
        let next = async || child_of(self.pid()).filter(|child| *child != extension);
        until("another extension", next).await;
        self.runs().await;
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        self.ask(Method::GET, path, Value::Null).await.ok()
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Reply {
        self.ask(Method::POST, path, body).await
    }

    pub(crate) async fn ask(&self, method: Method, path: &str, body: Value) -> Reply {
        ask(&self.address, method, path, &body).await.expect("the portal does not answer")
    }

    /// What Settings → Extensions shows.
    pub(crate) async fn shown(&self) -> Value {
        self.get("/api/extensions").await["extensions"][0].clone()
    }

    pub(crate) async fn runs(&self) {
        until("a running extension", async || {
            (self.shown().await["state"] == "running").then_some(())
        })
        .await;
    }

    pub(crate) async fn begin(&self, text: &str) -> String {
        let created = self.post("/api/chats", json!({ "text": text })).await.ok();
        created["id"].as_str().unwrap().to_owned()
    }
}

/// Waits for something that comes about by itself.
pub(crate) async fn until<T>(what: &str, it: impl AsyncFn() -> Option<T>) -> T {
    let found = async {
        loop {
            if let Some(found) = it().await {
                return found;
            }
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(PATIENCE, found).await.unwrap_or_else(|_| panic!("{what} does not come about"))
}

/// Sends a signal to a process that this test started.
pub(crate) async fn signal(pid: u32, name: &str) {
    let sent = Command::new("kill").args([name, &pid.to_string()]).status().await.unwrap();
    assert!(sent.success());
}

/// Its first child, from `/proc`.
fn child_of(parent: u32) -> Option<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{parent}/task")).ok()?;
    tasks.flatten().find_map(|task| {
        let children = std::fs::read_to_string(task.path().join("children")).ok()?;
        children.split_whitespace().next()?.parse().ok()
    })
}

/// What a portal of a test must not take from whoever runs the test.
const STRANGE: [&str; 7] = [
    "INLINE_UI_PASSWORD",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_BASE_URL",
    "GEMINI_API_KEY",
    "GEMINI_BASE_URL",
];

async fn spawn(folder: &Path, options: &Options) -> (Child, String) {
    let mut command = Command::new(binary());
    command.args(["portal", "--listen", "127.0.0.1:0", "--data"]).arg(folder);
    command.args(&options.args);
    for name in STRANGE {
        command.env_remove(name);
    }
    command.envs(options.env.iter().map(|(name, value)| (name, value)));
    if options.logs_all {
        let log = std::fs::File::create(folder.join("log")).unwrap();
        command.env("RUST_LOG", "trace").stderr(log);
    } else if std::env::var_os("RUST_LOG").is_none() {
        command.env("RUST_LOG", "off");
    }
    let child = command.stdin(Stdio::null());
    let mut child = child.stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
    let mut line = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    timeout(PATIENCE, out.read_line(&mut line)).await.expect("it says nothing").unwrap();
    let address = line.trim().strip_prefix("listening on http://");
    let address = address.unwrap_or_else(|| panic!("{line:?}")).to_owned();
    (child, address)
}

/// `target/PROFILE/inline-ui`, beside the `deps` that this test is in.
pub(crate) fn binary() -> PathBuf {
    let given = std::env::var_os("INLINE_UI_BIN").map(PathBuf::from);
    let path = given.unwrap_or_else(|| {
        let test = std::env::current_exe().unwrap();
        test.ancestors().nth(2).unwrap().join("inline-ui")
    });
    assert!(path.is_file(), "{} is missing: run `cargo build -p inline-ui` first", path.display());
    path
}
