use super::integrity::Integrity;
use super::packument::{Found, Packument};
use super::refusal::{Kind, PackageError};
use super::source::PackageName;
use crate::trust::trust;
use axum::body::Bytes;
use axum::http::uri::{Authority, Scheme};
use axum::http::{Method, Request, StatusCode, Uri, header};
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use ring::digest;
use serde::Deserialize;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

/// Where packages come from.
#[derive(Debug, Clone)]
pub struct RegistryConfig {
    /// The registry's address, `https://` (or `http://` on this machine).
    pub address: String,
    /// Other hosts that a tarball may lie on, by https.
    pub tarball_hosts: Vec<String>,
}

impl Default for RegistryConfig {
    fn default() -> Self {
        let address = "https://registry.npmjs.org".to_owned();
        Self { address, tarball_hosts: Vec::new() }
    }
}

/// The keyword that an extension's package has.
pub(super) const KEYWORD: &str = "agent-portal-extension";

const CONNECT_PATIENCE: Duration = Duration::from_secs(10);
const MOST_REDIRECTS: usize = 3;
const FOUND_AT_ONCE: usize = 25;

/// How much of it a registry may send, and how slowly.
#[derive(Debug, Clone, Copy)]
pub(super) struct FetchLimits {
    pub(super) packument: u64,
    pub(super) tarball: u64,
    /// Until an answer's head, and between two pieces of its body.
    pub(super) stall: Duration,
    /// For a whole answer.
    pub(super) whole: Duration,
}

impl Default for FetchLimits {
    fn default() -> Self {
        let (stall, whole) = (Duration::from_secs(20), Duration::from_mins(5));
        Self { packument: 16 << 20, tarball: 96 << 20, stall, whole }
    }
}

/// The way to one registry.
#[derive(Debug)]
pub(super) struct Registry {
    scheme: Scheme,
    authority: Authority,
    /// Without a slash at its end.
    path: String,
    tarball_hosts: Vec<String>,
    limits: FetchLimits,
    client: Client<HttpsConnector<HttpConnector>, Empty<Bytes>>,
}

/// A package that a search brought.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Hit {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) description: String,
    pub(crate) publisher: String,
}

impl Registry {
    /// Refuses an address in words.
    pub(super) fn new(config: &RegistryConfig, limits: FetchLimits) -> Result<Self, String> {
        let bad = |why: &str| format!("{:?} is no registry: {why}", config.address);
        let uri: Uri = config.address.parse().map_err(|_| bad("it is no address"))?;
        let (Some(scheme), Some(authority)) = (uri.scheme(), uri.authority()) else {
            return Err(bad("write it like https://registry.npmjs.org"));
        };
        let local = is_loopback(authority.host());
        if *scheme != Scheme::HTTPS && !(*scheme == Scheme::HTTP && local) {
            return Err(bad("it is reached by https, or on this machine by http"));
        }
        if uri.query().is_some() || authority.as_str().contains('@') {
            return Err(bad("it has no query and no password in it"));
        }
        let path = uri.path().trim_end_matches('/').to_owned();
        let trust = trust().map_err(|error| bad(&error.to_string()))?;
        let mut http = HttpConnector::new();
        http.enforce_http(false);
        http.set_connect_timeout(Some(CONNECT_PATIENCE));
        let https = HttpsConnectorBuilder::new()
            .with_tls_config(trust)
            .https_or_http()
            .enable_http1()
            .wrap_connector(http);
        let client = Client::builder(TokioExecutor::new()).build(https);
        Ok(Self {
            scheme: scheme.clone(),
            authority: authority.clone(),
            path,
            tarball_hosts: config.tarball_hosts.clone(),
            limits,
            client,
        })
    }

    /// Packages with the keyword, by words of a person.
    pub(super) async fn search(&self, words: &str) -> Result<Vec<Hit>, PackageError> {
        #[derive(Deserialize)]
        struct Answer {
            objects: Vec<Object>,
        }
        #[derive(Deserialize)]
        struct Object {
            package: Package,
        }
        #[derive(Deserialize)]
        struct Package {
            name: String,
            version: String,
            #[serde(default)]
            description: Option<String>,
            #[serde(default)]
            keywords: Vec<String>,
            #[serde(default)]
            publisher: Option<Publisher>,
        }
        #[derive(Deserialize)]
        struct Publisher {
            username: String,
        }
        let text = encode(&format!("keywords:{KEYWORD} {}", words.trim()));
        let address = self.address(&format!("/-/v1/search?text={text}&size={FOUND_AT_ONCE}"))?;
        let body = self.read(address, "the answer to the search").await;
        let body = body.map_err(|error| match error.kind {
            Kind::Missing => {
                let text = "This registry does not search. Install by name.";
                PackageError::registry("no_search", text)
            }
            _ => error,
        })?;
        let answer: Answer = serde_json::from_slice(&body).map_err(|error| {
            let text = format!("The registry's answer to the search is not understood: {error}.");
            PackageError::registry("bad_answer", text)
        })?;
        let packages = answer.objects.into_iter().map(|object| object.package);
        let ours = packages.filter(|it| it.keywords.iter().any(|keyword| keyword == KEYWORD));
        Ok(ours
            .map(|it| Hit {
                name: it.name,
                version: it.version,
                description: it.description.unwrap_or_default(),
                publisher: it.publisher.map(|it| it.username).unwrap_or_default(),
            })
            .collect())
    }

    /// What the registry knows of a package.
    pub(super) async fn packument(&self, name: &PackageName) -> Result<Packument, PackageError> {
        let address = self.address(&format!("/{}", encode(name.as_str())))?;
        let body = self.read(address, name.as_str()).await?;
        Packument::read(&body, name)
    }

    /// Writes the tarball to a file, and shows that it is the one that was published.
    pub(super) async fn download(&self, found: &Found, to: &Path) -> Result<u64, PackageError> {
        let what = format!("{}@{}", found.name, found.version);
        let integrity = Integrity::read(found.integrity.as_deref(), &what)?;
        let address = found.tarball.parse::<Uri>().ok().filter(|uri| self.may_fetch(uri));
        let Some(address) = address else {
            let text = format!(
                "The tarball of {what} lies at {:?}, which is neither the registry nor a host that \
                 the portal's --tarball-host names.",
                found.tarball
            );
            return Err(PackageError::refused("tarball_elsewhere", text));
        };
        let mut file = tokio::fs::File::create_new(to).await.map_err(|e| PackageError::disk(&e))?;
        let mut sum = digest::Context::new(&digest::SHA512);
        let mut size = 0;
        let mut body = self.get(address, &what).await?;
        let whole = async {
            while let Some(piece) = self.piece(&mut body, &what).await? {
                size += piece.len() as u64;
                if size > self.limits.tarball {
                    return Err(too_large(&what, self.limits.tarball));
                }
                sum.update(&piece);
                file.write_all(&piece).await.map_err(|e| PackageError::disk(&e))?;
            }
            file.flush().await.map_err(|e| PackageError::disk(&e))
        };
        timeout(self.limits.whole, whole).await.map_err(|_| too_slow(&what))??;
        integrity.check(&sum.finish(), &what)?;
        Ok(size)
    }

    fn address(&self, rest: &str) -> Result<Uri, PackageError> {
        Uri::builder()
            .scheme(self.scheme.clone())
            .authority(self.authority.clone())
            .path_and_query(format!("{}{rest}", self.path))
            .build()
            .map_err(|_| PackageError::new(Kind::Asked, "bad_name", "That is no name to look for."))
    }

    /// The registry itself, and by https the hosts an admin named. Anything else could be an address
    /// that only this machine reaches.
    fn may_fetch(&self, uri: &Uri) -> bool {
        let (Some(scheme), Some(authority)) = (uri.scheme(), uri.authority()) else { return false };
        if *scheme == self.scheme
            && authority.as_str().eq_ignore_ascii_case(self.authority.as_str())
        {
            return true;
        }
        *scheme == Scheme::HTTPS
            && self.tarball_hosts.iter().any(|host| host.eq_ignore_ascii_case(authority.as_str()))
    }

    async fn read(&self, address: Uri, what: &str) -> Result<Vec<u8>, PackageError> {
        let mut body = self.get(address, what).await?;
        let mut bytes = Vec::new();
        let whole = async {
            while let Some(piece) = self.piece(&mut body, what).await? {
                bytes.extend_from_slice(&piece);
                if bytes.len() as u64 > self.limits.packument {
                    return Err(too_large(what, self.limits.packument));
                }
            }
            Ok(())
        };
        timeout(self.limits.whole, whole).await.map_err(|_| too_slow(what))??;
        Ok(bytes)
    }

    /// Follows a few redirects, to where a tarball may lie.
    async fn get(&self, mut address: Uri, what: &str) -> Result<Incoming, PackageError> {
        for _ in 0..=MOST_REDIRECTS {
            let request = Request::builder()
                .method(Method::GET)
                .uri(&address)
                .header(header::ACCEPT, "application/json, */*;q=0.5")
                .header(header::USER_AGENT, concat!("inline-ui-portal/", env!("CARGO_PKG_VERSION")))
                .body(Empty::new())
                .map_err(|_| unreachable(what, "its address is not usable"))?;
            let answer = timeout(self.limits.stall, self.client.request(request)).await;
            let answer = answer.map_err(|_| too_slow(what))?;
            let answer = answer.map_err(|error| unreachable(what, &root_cause(&error)))?;
            let status = answer.status();
            if status.is_success() {
                return Ok(answer.into_body());
            }
            if status == StatusCode::NOT_FOUND {
                let text = format!("The registry has no {what}.");
                return Err(PackageError::new(Kind::Missing, "unknown_package", text));
            }
            if !status.is_redirection() {
                return Err(unreachable(what, &format!("the registry answered {status}")));
            }
            let location = answer.headers().get(header::LOCATION);
            let there = location.and_then(|it| it.to_str().ok()).and_then(|it| it.parse().ok());
            let Some(there) = there.filter(|there| self.may_fetch(there)) else {
                let text = format!(
                    "The registry sends the portal elsewhere for {what}, to a host that is neither \
                     the registry nor one that --tarball-host names."
                );
                return Err(PackageError::refused("tarball_elsewhere", text));
            };
            address = there;
        }
        Err(unreachable(what, "the registry sends the portal from one address to the next"))
    }

    async fn piece(&self, body: &mut Incoming, what: &str) -> Result<Option<Bytes>, PackageError> {
        loop {
            let frame =
                timeout(self.limits.stall, body.frame()).await.map_err(|_| too_slow(what))?;
            let Some(frame) = frame else { return Ok(None) };
            let frame = frame.map_err(|error| unreachable(what, &root_cause(&error)))?;
            if let Ok(piece) = frame.into_data() {
                return Ok(Some(piece));
            }
        }
    }
}

fn is_loopback(host: &str) -> bool {
    let host = host.trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Percent-encodes everything but what an address may hold anywhere, and the `@` of a scope.
fn encode(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~@".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

fn root_cause(error: &(dyn std::error::Error + 'static)) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

fn unreachable(what: &str, why: &str) -> PackageError {
    PackageError::registry("registry_away", format!("The portal could not get {what}: {why}."))
}

fn too_slow(what: &str) -> PackageError {
    let text = format!("The registry did not send {what} in time. Try again.");
    PackageError::registry("registry_slow", text)
}

fn too_large(what: &str, limit: u64) -> PackageError {
    let text = format!("{what} has more than {limit} bytes, which is more than the portal takes.");
    PackageError::refused("download_too_large", text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registry(address: &str, hosts: &[&str]) -> Result<Registry, String> {
        let tarball_hosts = hosts.iter().map(|it| (*it).to_owned()).collect();
        let config = RegistryConfig { address: address.to_owned(), tarball_hosts };
        Registry::new(&config, FetchLimits::default())
    }

    #[test]
    fn a_registry_is_reached_by_https_or_on_this_machine() {
        for address in [
            "https://registry.npmjs.org",
            "https://npm.example/a/b/",
            "http://127.0.0.1:4873",
            "http://localhost:4873",
            "http://[::1]:1",
        ] {
            assert!(registry(address, &[]).is_ok(), "{address}");
        }
        for address in [
            "http://npm.example",
            "ftp://npm.example",
            "npm.example",
            "",
            "/a",
            "https://user:secret@npm.example",
            "https://npm.example?a=b",
        ] {
            assert!(registry(address, &[]).is_err(), "{address}");
        }
    }

    #[test]
    fn a_tarball_lies_on_the_registry_or_by_https_on_a_host_that_was_named() {
        let own = registry("https://npm.example/team", &["CDN.example"]).unwrap();
        let may = |address: &str| own.may_fetch(&address.parse().unwrap());
        assert!(may("https://npm.example/team/a/-/a-1.0.0.tgz"));
        assert!(may("https://cdn.example/a.tgz"));
        for address in [
            "http://npm.example/a.tgz",
            "https://npm.example:444/a.tgz",
            "http://cdn.example/a.tgz",
            "https://evil.example/a.tgz",
            "http://169.254.169.254/",
            "https://npm.example@evil.example/",
            "/a.tgz",
        ] {
            assert!(!may(address), "{address}");
        }
    }

    #[test]
    fn a_scope_is_one_part_of_an_address() {
        assert_eq!(encode("@scope/name"), "@scope%2Fname");
        assert_eq!(encode("keywords:a b"), "keywords%3Aa%20b");
    }
}
