use std::net::SocketAddr;
use std::path::PathBuf;

/// Why a portal does not start, or stopped.
#[derive(Debug, thiserror::Error)]
pub enum PortalError {
    /// The socket could not be bound.
    #[error("cannot listen on {address}: {reason}; choose another with --listen")]
    Listen {
        /// The address asked for.
        address: SocketAddr,
        /// The system's reason, in words.
        reason: String,
    },
    /// The data folder cannot be made or written.
    #[error("cannot write to the data folder {}: {reason}; choose another with --data", path.display())]
    Data {
        /// The folder.
        path: PathBuf,
        /// The system's reason.
        reason: String,
    },
    /// The database is broken, newer than this program, or cannot be read.
    #[error("cannot use the database {}: {reason}", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Reachable from elsewhere, and nobody would have to sign in.
    #[error(
        "{what} can be reached from other machines, so the portal needs a password; \
         set one in INLINE_UI_PASSWORD, or listen on 127.0.0.1. It speaks plain HTTP: put a proxy with \
         TLS in front (README, \"Behind TLS\"), listen on 127.0.0.1 for it, and name the address that people \
         open with --origin https://chat.example"
    )]
    PasswordNeeded {
        /// The address or the origin.
        what: String,
    },
    /// It listens on every address, and so cannot tell by which name it is meant.
    #[error(
        "{address} is every address of this machine, so the portal needs an origin that people open \
         it at; give it like https://chat.example"
    )]
    OriginNeeded {
        /// The address asked for.
        address: SocketAddr,
    },
    /// Not an origin.
    #[error("{origin:?} is no origin; write it like https://chat.example, without a path")]
    Origin {
        /// What was given.
        origin: String,
    },
    /// Frames would have no origin of their own.
    #[error(
        "{origin} is where people open the portal; frames need another origin, or none is given"
    )]
    FrameOrigin {
        /// What was given.
        origin: String,
    },
    /// There is no such model, or it cannot be reached as things stand.
    #[error("the model {model:?} cannot be used: {reason}")]
    Model {
        /// What was asked for.
        model: String,
        /// Why not.
        reason: String,
    },
    /// The folder of `/show` cannot be read.
    #[error("cannot read the cards folder {}: {reason}", path.display())]
    Cards {
        /// The folder.
        path: PathBuf,
        /// The system's reason.
        reason: String,
    },
    /// Extensions cannot be installed from there.
    #[error("{reason}; choose another with --registry")]
    Registry {
        /// What is wrong with it.
        reason: String,
    },
    /// What is installed cannot be put in order.
    #[error("cannot use what is installed: {reason}")]
    Packages {
        /// What is wrong with it.
        reason: String,
    },
    /// The manifest lacks something.
    #[error("the extension's manifest is not usable: {reason}")]
    Manifest {
        /// What is wrong with it.
        reason: String,
    },
    /// The server failed while it ran.
    #[error("the server stopped: {0}")]
    Serve(std::io::Error),
}
