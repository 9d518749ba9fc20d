//! `inline-ui`: the extension's server half, and the small portal to try it in.
//!
//! A line of the portal's link or a request of a page reaches the task of its chat ([`chat_task`]),
//! which owns the chat's state machine (`inline-ui-core`), writes what that asks for
//! (`inline-ui-store`), and only then answers and tells the pages.

mod chat_task;
mod cli;
mod feed;
mod http;
mod link;
mod registry;
mod server;
mod settings;
mod telemetry;

use anyhow::{Context, bail};
use chat_task::Clock;
use clap::Parser;
use cli::{Cli, Command};
use inline_ui_portal::{ExtensionCommand, Portal, PortalConfig};
use link::{Ended, HttpBind, Process, SocketFile};
use std::io::Write;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;
use tokio::net::{UnixListener, UnixStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// How long what is under way may take once the process is to stop.
const STOP_WITHIN: Duration = Duration::from_secs(5);

fn main() -> ExitCode {
    let cli = Cli::parse();
    telemetry::install();
    match run(cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("inline-ui: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let result = runtime.block_on(async {
        let stop = CancellationToken::new();
        stop_on_signal(stop.clone())?;
        match command {
            Command::Portal(options) => portal(options, stop).await,
            Command::Serve(options) => serve(options, stop).await,
        }
    });
    // A read of standard input cannot be cancelled; it must not hold the end up.
    runtime.shutdown_timeout(Duration::from_millis(100));
    result
}

async fn portal(options: cli::Portal, stop: CancellationToken) -> anyhow::Result<()> {
    let program = std::env::current_exe().context("cannot find this program's own file")?;
    let config = PortalConfig {
        listen: options.listen,
        data: options.data,
        model: options.model,
        cards: options.cards,
        password: std::env::var("INLINE_UI_PASSWORD").ok().filter(|password| !password.is_empty()),
        origins: options.origins,
        extension: ExtensionCommand { program, args: vec!["serve".into(), "--stdio".into()] },
        manifest: serde_json::from_str(include_str!("../../../manifest.json"))
            .context("manifest.json")?,
    };
    let portal = Portal::start(config).await?;
    let mut out = std::io::stdout();
    writeln!(out, "listening on {}", portal.url())?;
    out.flush()?;
    portal.serve(stop).await?;
    Ok(())
}

async fn serve(options: cli::Serve, stop: CancellationToken) -> anyhow::Result<()> {
    http::install_metrics();
    let (mut process, mut hints) = Process::new(bind(&options.http)?, Clock::start(), stop.clone());
    match options.link.socket {
        None => {
            let (input, output) = link::stdio();
            link::serve(&mut process, &mut hints, input, output).await;
        }
        Some(path) => {
            let bound = SocketFile::bind(&path)
                .with_context(|| format!("cannot listen on {}", path.display()))?;
            let (listener, _file) = bound;
            tracing::info!(socket = %path.display(), "waiting for a portal");
            while let Some(stream) = accept(&listener, &stop).await? {
                let (input, output) = stream.into_split();
                let session = link::serve(&mut process, &mut hints, input, output);
                let ended = tokio::select! {
                    ended = session => ended,
                    error = turn_away(&listener) => return Err(error),
                };
                if ended != Ended::Closed {
                    break;
                }
                tracing::info!("portal disconnected");
            }
        }
    }
    stop.cancel();
    process.tasks.close();
    if tokio::time::timeout(STOP_WITHIN, process.tasks.wait()).await.is_err() {
        tracing::warn!("some requests were cut off");
    }
    // Waits until the last write is on disk.
    tokio::task::spawn_blocking(move || drop(process)).await?;
    Ok(())
}

async fn accept(
    listener: &UnixListener,
    stop: &CancellationToken,
) -> anyhow::Result<Option<UnixStream>> {
    tokio::select! {
        () = stop.cancelled() => Ok(None),
        accepted = listener.accept() => Ok(Some(accepted?.0)),
    }
}

/// Tells whoever else connects that the link is taken.
async fn turn_away(listener: &UnixListener) -> anyhow::Error {
    use tokio::io::AsyncWriteExt;
    let taken = portal_link::response_error(
        &serde_json::Value::Null,
        portal_link::error_code::NOT_READY,
        "another portal is connected",
    );
    loop {
        match listener.accept().await {
            Ok((mut stream, _)) => drop(stream.write_all(format!("{taken}\n").as_bytes()).await),
            Err(error) => return error.into(),
        }
    }
}

fn bind(text: &str) -> anyhow::Result<HttpBind> {
    if let Some(path) = text.strip_prefix("unix:") {
        return Ok(HttpBind::Unix(path.into()));
    }
    let address: SocketAddr = text
        .parse()
        .with_context(|| format!("--http {text}: write 127.0.0.1:PORT or unix:PATH"))?;
    if !address.ip().is_loopback() {
        bail!(
            "--http {text}: the routes listen on loopback or on a Unix socket only; the portal's proxy is their door"
        );
    }
    Ok(HttpBind::Tcp(address))
}

fn stop_on_signal(stop: CancellationToken) -> anyhow::Result<()> {
    let (mut terminate, mut interrupt) =
        (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        stop.cancel();
    });
    Ok(())
}
