use crate::link::HttpBind;
use clap::{Args, Parser, Subcommand};
use std::net::SocketAddr;
use std::path::PathBuf;

/// Small interfaces from an agent, inside the chat.
#[derive(Debug, Parser)]
#[command(name = "inline-ui", version, about, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the small portal with this extension installed.
    ///
    /// Who may use it signs in with the password in the environment variable `INLINE_UI_PASSWORD`. It may
    /// be left out on loopback, where nobody has to sign in then, and nowhere else.
    ///
    /// The key of a real model is read from `OPENAI_API_KEY`, `ANTHROPIC_API_KEY` or `GEMINI_API_KEY`, and the
    /// address of its server, unless it is the provider's own, from `OPENAI_BASE_URL` and so on.
    Portal(Portal),
    /// Run the extension's server half alone, for another portal.
    Serve(Serve),
}

#[derive(Debug, Args)]
pub(crate) struct Portal {
    /// Where to listen; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:8787", value_name = "ADDRESS:PORT")]
    pub(crate) listen: SocketAddr,
    /// The folder that keeps chats, cards and settings.
    #[arg(long, default_value = "inline-ui-data", value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// The model that answers: `demo`, or `openai`, `anthropic` or `gemini`, with a model's name behind
    /// it as in `openai:gpt-5`. Without this option it is the one chosen in Settings, or `demo`, which
    /// needs no key and no network.
    #[arg(long, value_name = "PROVIDER[:NAME]")]
    pub(crate) model: Option<String>,
    /// The address of the server that `--model` is asked at, for example <http://127.0.0.1:11434/v1>.
    #[arg(long, value_name = "URL", requires = "model")]
    pub(crate) base_url: Option<String>,
    /// The folder whose files the demo model's `/show FILE` draws as cards (on loopback only).
    #[arg(long, value_name = "DIR")]
    pub(crate) cards: Option<PathBuf>,
    /// An origin that people open the portal at, for example <https://chat.example>; may be repeated.
    #[arg(long = "origin", value_name = "ORIGIN")]
    pub(crate) origins: Vec<String>,
    /// Another origin of this portal, for frames of cards alone, for example <https://cards.example>.
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) frame_origin: Option<String>,
    /// The registry that extensions are installed from.
    #[arg(long, default_value = "https://registry.npmjs.org", value_name = "ADDRESS")]
    pub(crate) registry: String,
    /// Another host that the registry's tarballs may lie on; may be repeated.
    #[arg(long = "tarball-host", value_name = "HOST")]
    pub(crate) tarball_hosts: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) link: Link,
    /// Where the routes listen: `127.0.0.1:PORT` (0 takes a free port) or `unix:PATH`.
    #[arg(long, default_value = "127.0.0.1:0", value_name = "ADDRESS")]
    pub(crate) http: HttpBind,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Link {
    /// Speak the portal link on standard input and output.
    #[arg(long)]
    pub(crate) stdio: bool,
    /// Speak the portal link on a Unix socket at that path.
    #[arg(long, value_name = "PATH")]
    pub(crate) socket: Option<PathBuf>,
}
