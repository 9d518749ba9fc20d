use std::io::IsTerminal;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

/// Libraries that write what goes over the network: chats, and a model's key.
const TOO_TALKATIVE: [&str; 6] = ["genai", "h2", "hyper", "hyper_util", "reqwest", "rustls"];

/// Logs to standard error, by `RUST_LOG`; without it, only what went wrong.
pub(crate) fn install() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_filter(filter_fn(|about| !is_too_talkative(about.target())));
    tracing_subscriber::registry().with(filter).with(lines).init();
}

/// Whatever `RUST_LOG` asks for.
fn is_too_talkative(target: &str) -> bool {
    let library = target.split("::").next().unwrap_or_default();
    TOO_TALKATIVE.contains(&library)
}
