use crate::ModelAccess;
use crate::packages::RegistryConfig;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

/// How to start the extension's server half: a program that speaks the portal link on its standard
/// input and output.
#[derive(Debug, Clone)]
pub struct ExtensionCommand {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
}

/// What a portal is made from.
#[derive(Clone)]
pub struct PortalConfig {
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The folder of the chats, the extensions and their data; made if it is missing.
    pub data: PathBuf,
    /// The model that answers, for example `demo` or `openai:gpt-5`; none means the one that was chosen
    /// in Settings, or `demo`.
    pub model: Option<String>,
    /// How real models are reached.
    pub access: ModelAccess,
    /// The folder that the demo model's `/show` may read, on loopback only.
    pub cards: Option<PathBuf>,
    /// What a person signs in with. Needed unless the portal is only on loopback.
    pub password: Option<String>,
    /// The origins people open the portal at, for example `https://chat.example`; none means the
    /// address it listens on.
    pub origins: Vec<String>,
    /// Another origin of this portal that serves frames of cards and nothing else; on loopback there is
    /// one by itself.
    pub frame_origin: Option<String>,
    /// Where extensions are installed from.
    pub registry: RegistryConfig,
    /// The built-in extension's program.
    pub extension: ExtensionCommand,
    /// The built-in extension's `manifest.json`.
    pub manifest: serde_json::Value,
}

impl std::fmt::Debug for PortalConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PortalConfig")
            .field("listen", &self.listen)
            .field("data", &self.data)
            .field("model", &self.model)
            .field("access", &self.access)
            .field("cards", &self.cards)
            .field("password", &self.password.as_ref().map(|_| "set"))
            .field("origins", &self.origins)
            .field("frame_origin", &self.frame_origin)
            .field("registry", &self.registry)
            .field("extension", &self.extension)
            .finish_non_exhaustive()
    }
}
