//! A registry on loopback that serves what a test puts there, well or badly.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::StreamExt;
use ring::digest::{SHA512, digest};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::Write;
use std::sync::{Arc, Mutex};
use tar::{Builder, Header};

/// What stands at a path.
#[derive(Debug, Clone)]
pub(crate) enum Served {
    Body(Vec<u8>),
    Redirect(String),
    /// A head and nothing after it.
    Stalls,
    /// Bytes without an end.
    Endless,
    Status(u16),
}

type Paths = Arc<Mutex<BTreeMap<String, Served>>>;

#[derive(Debug, Clone)]
pub(crate) struct Registry {
    pub(crate) address: String,
    paths: Paths,
    asked: Arc<Mutex<Vec<String>>>,
}

/// A package as it is to be published.
#[derive(Debug, Clone)]
pub(crate) struct Publication {
    pub(crate) package: Value,
    pub(crate) files: Vec<(String, Vec<u8>, u32)>,
}

impl Publication {
    /// Every path is below `package/`.
    pub(crate) fn tarball(&self) -> Vec<u8> {
        let mut tar = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        let package = ("package.json".to_owned(), self.package.to_string().into_bytes(), 0o644);
        for (path, bytes, mode) in std::iter::once(&package).chain(&self.files) {
            let mut header = Header::new_ustar();
            header.set_size(bytes.len() as u64);
            header.set_mode(*mode);
            tar.append_data(&mut header, format!("package/{path}"), &bytes[..]).unwrap();
        }
        let mut packed = tar.into_inner().unwrap();
        packed.flush().unwrap();
        packed.finish().unwrap()
    }
}

impl Registry {
    pub(crate) async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (paths, asked) = (Paths::default(), Arc::default());
        let it = Self { address, paths, asked };
        let router = Router::new().fallback(serve).with_state(it.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        it
    }

    pub(crate) fn put(&self, path: &str, served: Served) {
        self.paths.lock().unwrap().insert(path.to_owned(), served);
    }

    /// Publishes a version, and tags it `latest`.
    pub(crate) fn publish(&self, publication: &Publication) {
        self.publish_tarball(&publication.package, publication.tarball(), |_| {});
    }

    /// The same with a tarball as it is, and with what a test does to the entry.
    pub(crate) fn publish_tarball(
        &self,
        package: &Value,
        tarball: Vec<u8>,
        change: impl FnOnce(&mut Value),
    ) {
        let (name, version) = (text(&package["name"]), text(&package["version"]));
        let path = format!("/{name}/-/{version}.tgz");
        let mut entry = package.clone();
        entry["dist"] = json!({
            "tarball": format!("{}{path}", self.address),
            "integrity": format!("sha512-{}", STANDARD.encode(digest(&SHA512, &tarball))),
        });
        change(&mut entry);
        let at = format!("/{}", name.replace('/', "%2F"));
        let known = match self.paths.lock().unwrap().get(&at) {
            Some(Served::Body(bytes)) => serde_json::from_slice(bytes).ok(),
            _ => None,
        };
        let mut packument = known
            .unwrap_or_else(|| json!({ "name": name, "dist-tags": {}, "versions": Map::new() }));
        packument["versions"][&version] = entry;
        packument["dist-tags"]["latest"] = version.into();
        self.put(&at, Served::Body(packument.to_string().into_bytes()));
        self.put(&path, Served::Body(tarball));
    }

    /// The paths that were asked for, in their order.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

async fn serve(State(it): State<Registry>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    let whole = request.uri().path_and_query().map(ToString::to_string);
    it.asked.lock().unwrap().push(whole.unwrap_or_default());
    let served = it.paths.lock().unwrap().get(&path).cloned();
    match served {
        None => StatusCode::NOT_FOUND.into_response(),
        Some(Served::Status(status)) => StatusCode::from_u16(status).unwrap().into_response(),
        Some(Served::Body(bytes)) => bytes.into_response(),
        Some(Served::Redirect(to)) => (StatusCode::FOUND, [(header::LOCATION, to)]).into_response(),
        Some(Served::Stalls) => {
            let nothing = futures_util::stream::pending::<Result<Bytes, Infallible>>();
            Body::from_stream(nothing).into_response()
        }
        Some(Served::Endless) => {
            let bytes = futures_util::stream::repeat(Bytes::from_static(&[b' '; 4096]));
            Body::from_stream(bytes.map(Ok::<_, Infallible>)).into_response()
        }
    }
}
