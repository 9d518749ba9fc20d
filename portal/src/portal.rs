use crate::chat::Hub;
use crate::demo::{Cards, Demo};
use crate::extension::{Hosts, Profile, Surroundings};
use crate::http::{self, App, SignIn};
use crate::model::{Model, Models, Unavailable};
use crate::packages::{BuiltIn, Packages};
use crate::site::{self, Site};
use crate::store::{Store, StoreError};
use crate::{PortalConfig, PortalError};
use axum::serve::ListenerExt;
use std::net::{Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

/// How long a start waits for the extension, so that the first message finds it there.
const EXTENSION_PATIENCE: Duration = Duration::from_secs(3);
/// How long a stop waits for each of its parts.
const STOP_PATIENCE: Duration = Duration::from_secs(5);

/// A portal that listens.
#[derive(Debug)]
pub struct Portal {
    app: Arc<App>,
    hub: Hub,
    store: Arc<Store>,
    listeners: Vec<TcpListener>,
    // A portal that is dropped unserved leaves nothing running.
    _ends: [DropGuard; 2],
}

impl Portal {
    /// Checks the configuration, binds the socket, opens the data folder and starts the extensions.
    pub async fn start(config: PortalConfig) -> Result<Self, PortalError> {
        if let (Some(what), None) =
            (site::public_name(config.listen, &config.origins), &config.password)
        {
            return Err(PortalError::PasswordNeeded { what });
        }
        Site::new(config.listen, &config.origins, config.frame_origin.as_deref())?;
        let profile: Profile = serde_json::from_value(config.manifest)
            .map_err(|e| PortalError::Manifest { reason: e.to_string() })?;
        if !profile.has_plain_name() {
            let reason = "its name may have a-z, 0-9 and - inside, and names a folder".to_owned();
            return Err(PortalError::Manifest { reason });
        }
        let listeners = listen(config.listen).await?;
        let address = listeners[0].local_addr().map_err(PortalError::Serve)?;
        let site = Site::new(address, &config.origins, config.frame_origin.as_deref())?;
        let demo = Arc::new(Demo { cards: cards(config.cards, site.loopback)? });
        let models = Models::new(demo, config.access);
        let named = config.model.map(|model| named(&models, model)).transpose()?;

        let data = data_folder(&config.data)?;
        let database = data.join("portal.sqlite3");
        let broken = |error: StoreError| PortalError::Database {
            path: database.clone(),
            reason: error.to_string(),
        };
        let store = Arc::new(Store::open(&database).map_err(broken)?);
        let model = match named {
            Some(model) => model,
            None => models.stored(&store).await.map_err(broken)?,
        };
        if !site.loopback && !site.is_secure() {
            tracing::warn!("origin without TLS, passwords and chats can be read on their way");
        }
        let hosts = Hosts::new(Arc::clone(&store));
        let (stopping, stop_extensions) = (CancellationToken::new(), CancellationToken::new());
        let hub = Hub::new(Arc::clone(&store), hosts.clone(), model, stopping.clone());
        let password = config.password;
        let sign_in = SignIn::open(password, address.port(), site.is_secure(), Arc::clone(&store));
        let sign_in = sign_in.await.map_err(broken)?;

        let (ready, hints) = mpsc::channel(1024);
        let follower = hub.clone();
        tokio::spawn(async move { follower.follow(hints).await });
        let built_in = BuiltIn { profile, command: config.extension };
        let around = |data| Surroundings {
            data,
            origins: site.origins.clone(),
            frame_origin: site.frames.as_ref().map(|it| it.origin.clone()),
            ready,
            stop: stop_extensions.clone(),
        };
        let registry = &config.registry;
        let packages =
            Packages::new(data, registry, built_in, Arc::clone(&store), hosts.clone(), around)?;
        let started = packages.start().await;
        started.map_err(|error| PortalError::Packages { reason: error.to_string() })?;
        let _ = timeout(EXTENSION_PATIENCE, hosts.settled()).await;
        hub.resume().await.map_err(broken)?;
        let ends = [stopping.clone().drop_guard(), stop_extensions.drop_guard()];
        let app = Arc::new(App { hub: hub.clone(), models, packages, site, sign_in, stopping });
        Ok(Self { app, hub, store, listeners, _ends: ends })
    }

    /// The address to open, without a slash at its end.
    pub fn url(&self) -> &str {
        self.app.site.url()
    }

    /// Answers until `shutdown` is cancelled, then ends streams, runs and extensions, in this order.
    pub async fn serve(mut self, shutdown: CancellationToken) -> Result<(), PortalError> {
        let stopping = self.app.stopping.clone();
        let router = http::router(Arc::clone(&self.app));
        let mut servers = tokio::task::JoinSet::new();
        for listener in std::mem::take(&mut self.listeners) {
            let listener = listener.tap_io(|stream| {
                let _ = stream.set_nodelay(true);
            });
            let service = router.clone().into_make_service_with_connect_info::<SocketAddr>();
            let server = axum::serve(listener, service)
                .with_graceful_shutdown(stopping.clone().cancelled_owned());
            servers.spawn(server.into_future());
        }
        let failed = tokio::select! {
            () = shutdown.cancelled() => None,
            ended = servers.join_next() => ended,
        };
        stopping.cancel();
        let served = async { while servers.join_next().await.is_some() {} };
        let _ =
            timeout(STOP_PATIENCE, futures_util::future::join(served, self.hub.stopped())).await;
        let _ = timeout(STOP_PATIENCE, self.hub.hosts().stop_all()).await;
        self.store.close().await;
        match failed {
            Some(Ok(Err(error))) => Err(PortalError::Serve(error)),
            Some(Err(error)) => Err(PortalError::Serve(std::io::Error::other(error))),
            Some(Ok(Ok(()))) | None => Ok(()),
        }
    }
}

/// The address, and for 127.0.0.1 the other loopback too: a browser may take `localhost` for it.
async fn listen(address: SocketAddr) -> Result<Vec<TcpListener>, PortalError> {
    let failed = |error: std::io::Error| PortalError::Listen {
        address,
        reason: match error.kind() {
            std::io::ErrorKind::AddrInUse => "another program listens there".to_owned(),
            std::io::ErrorKind::PermissionDenied => "that is not permitted".to_owned(),
            std::io::ErrorKind::AddrNotAvailable => "this machine has no such address".to_owned(),
            _ => error.to_string(),
        },
    };
    let first = TcpListener::bind(address).await.map_err(failed)?;
    let bound = first.local_addr().map_err(failed)?;
    let mut listeners = vec![first];
    if bound.is_ipv4() && bound.ip().is_loopback() {
        let other = SocketAddr::from((Ipv6Addr::LOCALHOST, bound.port()));
        listeners.extend(TcpListener::bind(other).await.ok());
    }
    Ok(listeners)
}

/// The model that the command line names.
fn named(models: &Models, model: String) -> Result<Arc<dyn Model>, PortalError> {
    let found = model.parse().map_err(Unavailable::from).and_then(|choice| models.get(&choice));
    found.map_err(|why| PortalError::Model { model, reason: why.to_string() })
}

fn cards(folder: Option<PathBuf>, loopback: bool) -> Result<Cards, PortalError> {
    let Some(folder) = folder else { return Ok(Cards::None) };
    if !loopback {
        return Ok(Cards::NotHere);
    }
    let reason = |error: std::io::Error| PortalError::Cards {
        path: folder.clone(),
        reason: error.to_string(),
    };
    let real = folder.canonicalize().map_err(reason)?;
    if !real.is_dir() {
        return Err(reason(std::io::Error::from(std::io::ErrorKind::NotADirectory)));
    }
    Ok(Cards::In(real))
}

/// Made if it is missing, and absolute, since the extension is told of it.
fn data_folder(folder: &Path) -> Result<PathBuf, PortalError> {
    let failed = |error: std::io::Error| PortalError::Data {
        path: folder.to_owned(),
        reason: error.to_string(),
    };
    std::fs::create_dir_all(folder).map_err(failed)?;
    folder.canonicalize().map_err(failed)
}
