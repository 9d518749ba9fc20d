use super::{Connection, Host, HostState, LinkError};
use crate::config::ExtensionCommand;
use crate::store::Store;
use portal_link::{Initialize, InitializeResult, PROTOCOL, Peer, Ready, method};
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// An extension that ran this long is not failing over and over.
const STEADY: Duration = Duration::from_secs(30);
const INITIALIZE_PATIENCE: Duration = Duration::from_secs(15);
/// How long a child may live on without its link.
const EXIT_PATIENCE: Duration = Duration::from_secs(1);
const SHUTDOWN_PATIENCE: Duration = Duration::from_secs(3);
/// How long the rest of a child's log may take once the child has ended.
const LOG_PATIENCE: Duration = Duration::from_millis(200);
/// Characters of its last line that people are shown.
const LONGEST_WORDS: usize = 300;

/// What an extension sees of the portal's environment. Passwords and models' keys stay with the portal.
const ENVIRONMENT: [&str; 10] = [
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "LC_ALL",
    "TZ",
    "TMPDIR",
    "XDG_RUNTIME_DIR",
    "RUST_LOG",
    "RUST_BACKTRACE",
];

/// What the extension is told when it starts.
#[derive(Debug, Clone)]
pub(crate) struct Introduction {
    pub(crate) data: PathBuf,
    pub(crate) base: String,
    pub(crate) origins: Vec<String>,
    pub(crate) frame_origin: Option<String>,
}

/// Keeps the extension running until `shutdown`, then lets it end by itself.
pub(crate) async fn supervise(
    host: Host,
    store: Arc<Store>,
    command: ExtensionCommand,
    introduction: Introduction,
    ready: mpsc::Sender<Ready>,
    shutdown: CancellationToken,
) {
    let mut pause = FIRST_PAUSE;
    loop {
        let begun = Instant::now();
        let life = Life { host: &host, store: &store, introduction: &introduction };
        let reason = life.run(&command, ready.clone(), &shutdown).await;
        if shutdown.is_cancelled() {
            host.disconnected(HostState::Failed("the portal is stopping".to_owned()));
            return;
        }
        if begun.elapsed() > STEADY {
            pause = FIRST_PAUSE;
        }
        tracing::warn!(%reason, pause_ms = pause.as_millis(), "extension stopped, starting it again");
        host.disconnected(HostState::Failed(reason));
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// One life of the child.
struct Life<'a> {
    host: &'a Host,
    store: &'a Store,
    introduction: &'a Introduction,
}

impl Life<'_> {
    /// Returns why it ended.
    async fn run(
        &self,
        command: &ExtensionCommand,
        ready: mpsc::Sender<Ready>,
        shutdown: &CancellationToken,
    ) -> String {
        let mut child = match spawn(command) {
            Ok(child) => child,
            Err(error) => {
                return format!("{} cannot be started: {error}", command.program.display());
            }
        };
        let (Some(output), Some(input)) = (child.stdout.take(), child.stdin.take()) else {
            return "its input and output are not there".to_owned();
        };
        let log = child.stderr.take().map(|errors| tokio::spawn(log(errors)));
        let reason = self.lead(&mut child, output, input, ready, shutdown).await;
        match last_words(log).await {
            Some(words) => format!("{reason}; its last words were: {words}"),
            None => reason,
        }
    }

    async fn lead(
        &self,
        child: &mut Child,
        output: ChildStdout,
        input: ChildStdin,
        ready: mpsc::Sender<Ready>,
        shutdown: &CancellationToken,
    ) -> String {
        let connection = Connection::open(output, input, ready);
        let introduced = tokio::select! {
            introduced = timeout(INITIALIZE_PATIENCE, self.introduce(&connection)) => introduced,
            () = shutdown.cancelled() => {
                end(child, &connection).await;
                return String::new();
            }
        };
        match introduced {
            Ok(Ok(introduced)) => {
                tracing::info!(version = %introduced.extension.version, "extension running");
                self.host.connected(&connection, introduced);
            }
            Ok(Err(error)) => return ended(child, Some(error)).await,
            Err(_) => {
                let _ = child.kill().await;
                return "it did not answer `initialize`".to_owned();
            }
        }
        tokio::select! {
            () = connection.ended() => ended(child, None).await,
            status = child.wait() => describe(status),
            () = shutdown.cancelled() => {
                end(child, &connection).await;
                String::new()
            }
        }
    }

    async fn introduce(&self, connection: &Arc<Connection>) -> Result<InitializeResult, LinkError> {
        let profile = self.host.profile();
        let set = self.store.settings(profile.name.clone()).await;
        let set =
            set.map_err(|e| LinkError::Refused(format!("its settings cannot be read: {e}")))?;
        let set: Map<String, Value> =
            set.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let settings = self.host.settings_schema().in_force(&set);
        let introduction = self.introduction;
        let params = Initialize {
            protocol: PROTOCOL,
            portal: Peer {
                name: env!("CARGO_PKG_NAME").to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
            },
            data_dir: introduction.data.to_string_lossy().into_owned(),
            base_path: introduction.base.clone(),
            origins: introduction.origins.clone(),
            frame_origin: introduction.frame_origin.clone(),
            settings: Value::Object(settings),
        };
        let answer: InitializeResult = connection.request(method::INITIALIZE, &params)?.await?;
        if answer.protocol == PROTOCOL {
            return Ok(answer);
        }
        Err(LinkError::Refused(format!(
            "it speaks version {} of the link and this portal {PROTOCOL}",
            answer.protocol
        )))
    }
}

fn spawn(command: &ExtensionCommand) -> std::io::Result<Child> {
    Command::new(&command.program)
        .args(&command.args)
        .env_clear()
        .envs(ENVIRONMENT.iter().filter_map(|name| Some((name, std::env::var_os(name)?))))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
}

/// Asks the extension to flush and exit, then closes its input, then kills it.
async fn end(child: &mut Child, connection: &Arc<Connection>) {
    let asked = async {
        if let Ok(answer) = connection.request::<Value, _>(method::SHUTDOWN, &Value::Null) {
            let _ = answer.await;
        }
        connection.end();
        child.wait().await
    };
    if timeout(SHUTDOWN_PATIENCE, asked).await.is_err() {
        tracing::warn!("extension did not stop by itself, killed");
        connection.end();
        let _ = child.kill().await;
    }
}

/// The link is of no more use: the child is about to exit, or it is made to.
async fn ended(child: &mut Child, error: Option<LinkError>) -> String {
    let exit = if let Ok(status) = timeout(EXIT_PATIENCE, child.wait()).await {
        describe(status)
    } else {
        let _ = child.kill().await;
        "it closed its link".to_owned()
    };
    match error {
        Some(error @ (LinkError::Refused(_) | LinkError::Malformed(_))) => error.to_string(),
        _ => exit,
    }
}

fn describe(status: std::io::Result<std::process::ExitStatus>) -> String {
    match status {
        Ok(status) => format!("it stopped ({status})"),
        Err(error) => format!("it cannot be waited for: {error}"),
    }
}

/// The extension's own log, line by line; the last one that says something.
async fn log(errors: ChildStderr) -> Option<String> {
    let mut lines = BufReader::new(errors).lines();
    let mut last = None;
    while let Ok(Some(line)) = lines.next_line().await {
        tracing::info!(target: "inline_ui_portal::extension", line, "extension says");
        if !line.trim().is_empty() {
            last = Some(line);
        }
    }
    last
}

async fn last_words(log: Option<JoinHandle<Option<String>>>) -> Option<String> {
    // A grandchild may hold the pipe open.
    let line = timeout(LOG_PATIENCE, log?).await.ok()?.ok()??;
    Some(line.chars().filter(|c| !c.is_control()).take(LONGEST_WORDS).collect())
}
