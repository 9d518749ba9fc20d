mod password;
mod tries;

use super::App;
use super::input::Json;
use super::problem::Problem;
use crate::chat::now;
use crate::store::{Store, StoreError};
use axum::extract::{ConnectInfo, FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use blake2::{Blake2s256, Digest};
use password::Password;
use serde::Deserialize;
use serde_json::json;
use std::collections::HashMap;
use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;
use tries::{TooMany, Tries};

/// In milliseconds: 30 days.
const SESSION_LENGTH: i64 = 30 * 24 * 60 * 60 * 1000;
const WRONG_DELAY: Duration = Duration::from_millis(500);

/// Who may use the portal: everybody when there is no password.
#[derive(Debug)]
pub(crate) struct SignIn {
    password: Option<Password>,
    cookie: String,
    secure: bool,
    store: Arc<Store>,
    /// By the hash of what the browser has: whoever reads the database cannot sign in with it.
    sessions: Mutex<HashMap<String, i64>>,
    tries: Mutex<Tries>,
}

impl SignIn {
    /// Browsers send cookies to every port of a host, so the port is in the cookie's name.
    pub(crate) async fn open(
        password: Option<String>,
        port: u16,
        secure: bool,
        store: Arc<Store>,
    ) -> Result<Self, StoreError> {
        let password = match password {
            Some(password) => Some(Password::open(password, &store).await?),
            None => None,
        };
        let sessions = store.sessions(now() - SESSION_LENGTH).await?.into_iter().collect();
        // Under this prefix no other host of the domain can put one there.
        let prefix = if secure { "__Host-" } else { "" };
        let cookie = format!("{prefix}portal_session_{port}");
        let (sessions, tries) = (Mutex::new(sessions), Mutex::default());
        Ok(Self { password, cookie, secure, store, sessions, tries })
    }

    /// Whether the request comes from somebody who has signed in, where that is needed.
    pub(crate) fn knows(&self, headers: &HeaderMap) -> bool {
        if self.password.is_none() {
            return true;
        }
        let Some(session) = self.session(headers) else { return false };
        let sessions = lock(&self.sessions);
        sessions.get(&session).is_some_and(|at| now() - at < SESSION_LENGTH)
    }

    /// The hash of the session that the browser has.
    fn session(&self, headers: &HeaderMap) -> Option<String> {
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|it| it.to_str().ok());
        cookies
            .flat_map(|cookies| cookies.split(';'))
            .filter_map(|cookie| cookie.trim().split_once('='))
            .find(|(name, _)| *name == self.cookie)
            .map(|(_, session)| hashed(session))
    }

    async fn try_password(&self, given: String, from: IpAddr) -> Result<String, Problem> {
        let Some(password) = &self.password else {
            let detail = "This portal needs no sign-in.";
            return Err(Problem::new(StatusCode::BAD_REQUEST, "no_password", detail));
        };
        lock(&self.tries).count(from, Instant::now()).map_err(too_many)?;
        if !password.is(given).await {
            tokio::time::sleep(WRONG_DELAY).await;
            tracing::warn!(%from, "sign-in with a wrong password");
            let detail = "That is not the password.";
            return Err(Problem::new(StatusCode::UNAUTHORIZED, "wrong_password", detail));
        }
        lock(&self.tries).forgive(from);
        let session = hex(&rand::random::<[u8; 32]>());
        let (kept, at) = (hashed(&session), now());
        self.store.add_session(kept.clone(), at).await?;
        lock(&self.sessions).insert(kept, at);
        Ok(session)
    }

    fn set_cookie(&self, session: &str, seconds: i64) -> Option<HeaderValue> {
        let secure = if self.secure { "; Secure" } else { "" };
        let cookie = format!(
            "{}={session}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}",
            self.cookie
        );
        HeaderValue::from_str(&cookie).ok()
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Given {
    password: String,
}

/// Where a request comes from.
#[derive(Debug, Clone, Copy)]
pub(super) struct From(IpAddr);

impl FromRequestParts<Arc<App>> for From {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Infallible> {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        let peer = peer.map_or(Ipv4Addr::LOCALHOST.into(), |peer| peer.0.ip());
        // A portal that people elsewhere reach and that listens on loopback has a proxy in front.
        let proxied = peer.is_loopback() && !app.site.loopback;
        let named = proxied.then(|| forwarded_for(&parts.headers)).flatten();
        Ok(Self(named.unwrap_or(peer)))
    }
}

/// The last one is what the proxy saw; those before it are what it was told.
fn forwarded_for(headers: &HeaderMap) -> Option<IpAddr> {
    let last = headers.get_all("x-forwarded-for").iter().next_back()?.to_str().ok()?;
    last.rsplit(',').next()?.trim().parse().ok()
}

pub(super) async fn me(State(app): State<Arc<App>>, headers: HeaderMap) -> Response {
    axum::Json(json!({
        "signedIn": app.sign_in.knows(&headers),
        "passwordNeeded": app.sign_in.password.is_some(),
        "model": app.hub.model().name(),
        "version": env!("CARGO_PKG_VERSION"),
    }))
    .into_response()
}

pub(super) async fn sign_in(
    State(app): State<Arc<App>>,
    From(from): From,
    Json(Given { password }): Json<Given>,
) -> Result<Response, Problem> {
    let session = app.sign_in.try_password(password, from).await?;
    Ok(with_cookie(app.sign_in.set_cookie(&session, SESSION_LENGTH / 1000)))
}

pub(super) async fn sign_out(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    if let Some(session) = app.sign_in.session(&headers) {
        lock(&app.sign_in.sessions).remove(&session);
        app.sign_in.store.end_session(session).await?;
    }
    Ok(with_cookie(app.sign_in.set_cookie("", 0)))
}

fn with_cookie(cookie: Option<HeaderValue>) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    if let Some(cookie) = cookie {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

fn too_many(too_many: TooMany) -> Problem {
    let (detail, left) = match too_many {
        TooMany::FromOne(left) => ("Too many wrong passwords. Wait a minute.", left),
        TooMany::FromAll(left) => ("Too many wrong passwords from all sides. Wait a minute.", left),
    };
    let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "too_many_tries", detail);
    problem.retry_after(left.as_secs() + 1)
}

/// 32 random bytes need no salt and no slow hash.
fn hashed(session: &str) -> String {
    hex(&Blake2s256::digest(session.as_bytes()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
