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

use anyhow::Context;
use chat_task::Clock;
use clap::Parser;
use cli::{Cli, Command};
use inline_ui_portal::{ExtensionCommand, ModelAccess, Portal, PortalConfig, RegistryConfig};
use link::{Ended, Process, SocketFile};
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::{UnixListener, UnixStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How long what is under way may take once the process is to stop.
const STOP_WITHIN: Duration = Duration::from_secs(5);
/// The pause after a connection could not be accepted.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

fn main() -> ExitCode {
    let cli = Cli::parse();
    telemetry::install();
    // Each page that looks is an open file; the usual soft limit is for a thousand.
    if let Err(error) = rlimit::increase_nofile_limit(u64::MAX) {
        tracing::warn!(%error, "limit of open files not raised");
    }
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
        access: ModelAccess::from_environment(options.model.as_deref(), options.base_url),
        model: options.model,
        cards: options.cards,
        password: std::env::var("INLINE_UI_PASSWORD").ok().filter(|password| !password.is_empty()),
        origins: options.origins,
        frame_origin: options.frame_origin,
        registry: RegistryConfig {
            address: options.registry,
            tarball_hosts: options.tarball_hosts,
        },
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
    let (mut process, mut hints) = Process::new(options.http, Clock::start(), stop.clone());
    // Of a portal that went away because it could not be served.
    let mut failure = None;
    match options.link.socket {
        None => {
            let (input, output) = link::stdio();
            if link::serve(&mut process, &mut hints, input, output).await == Ended::Closed {
                failure = process.failure();
            }
        }
        Some(path) => {
            let bound = SocketFile::bind(&path)
                .with_context(|| format!("cannot listen on {}", path.display()))?;
            let (listener, _file) = bound;
            tracing::info!(socket = %path.display(), "waiting for a portal");
            while let Some(stream) = accept(&listener, &stop).await {
                let (input, output) = stream.into_split();
                let session = link::serve(&mut process, &mut hints, input, output);
                let ended = tokio::select! {
                    ended = session => ended,
                    () = turn_away(&listener) => Ended::Stopped,
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
    failure.map_or(Ok(()), |error| Err(error.into()))
}

async fn accept(listener: &UnixListener, stop: &CancellationToken) -> Option<UnixStream> {
    tokio::select! {
        () = stop.cancelled() => None,
        stream = accepted(listener) => Some(stream),
    }
}

/// A process that has no file left for a connection tries again: it still serves the ones it has.
async fn accepted(listener: &UnixListener) -> UnixStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(error) => {
                tracing::warn!(%error, "connection not accepted");
                tokio::time::sleep(ACCEPT_AGAIN).await;
            }
        }
    }
}

/// Tells whoever else connects that the link is taken.
async fn turn_away(listener: &UnixListener) {
    let taken = portal_link::response_error(
        &serde_json::Value::Null,
        portal_link::error_code::NOT_READY,
        "another portal is connected",
    );
    loop {
        let mut stream = accepted(listener).await;
        let _ = stream.write_all(format!("{taken}\n").as_bytes()).await;
    }
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
