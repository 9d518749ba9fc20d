use std::io::IsTerminal;
use tracing_subscriber::EnvFilter;

/// Logs to standard error, by `RUST_LOG`; without it, only what went wrong.
pub(crate) fn install() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .init();
}
