use super::App;
use super::input::Json;
use super::problem::Problem;
use crate::chat::now;
use crate::store::{Store, StoreError};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::json;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// In milliseconds: 30 days.
const SESSION_LENGTH: i64 = 30 * 24 * 60 * 60 * 1000;
/// Wrong passwords taken in [`WINDOW`], from all sides together.
const TRIES: u32 = 10;
const WINDOW: Duration = Duration::from_mins(1);
const WRONG_DELAY: Duration = Duration::from_millis(500);

/// Who may use the portal: everybody when there is no password.
#[derive(Debug)]
pub(crate) struct SignIn {
    password: Option<String>,
    cookie: String,
    secure: bool,
    store: Arc<Store>,
    sessions: Mutex<HashMap<String, i64>>,
    wrong: Mutex<Wrong>,
}

#[derive(Debug, Default)]
struct Wrong {
    tries: u32,
    since: Option<Instant>,
}

impl SignIn {
    /// Browsers send cookies to every port of a host, so the port is in the cookie's name.
    pub(crate) async fn open(
        password: Option<String>,
        port: u16,
        secure: bool,
        store: Arc<Store>,
    ) -> Result<Self, StoreError> {
        let sessions = store.sessions(now() - SESSION_LENGTH).await?.into_iter().collect();
        let cookie = format!("portal_session_{port}");
        let (sessions, wrong) = (Mutex::new(sessions), Mutex::default());
        Ok(Self { password, cookie, secure, store, sessions, wrong })
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

    fn session(&self, headers: &HeaderMap) -> Option<String> {
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|it| it.to_str().ok());
        cookies
            .flat_map(|cookies| cookies.split(';'))
            .filter_map(|cookie| cookie.trim().split_once('='))
            .find(|(name, _)| *name == self.cookie)
            .map(|(_, session)| session.to_owned())
    }

    async fn try_password(&self, given: &str) -> Result<String, Problem> {
        let Some(password) = &self.password else {
            let detail = "This portal needs no sign-in.";
            return Err(Problem::new(StatusCode::BAD_REQUEST, "no_password", detail));
        };
        self.count_try()?;
        if !same(given.as_bytes(), password.as_bytes()) {
            tokio::time::sleep(WRONG_DELAY).await;
            tracing::warn!("sign-in with a wrong password");
            let detail = "That is not the password.";
            return Err(Problem::new(StatusCode::UNAUTHORIZED, "wrong_password", detail));
        }
        *lock(&self.wrong) = Wrong::default();
        let session = hex(&rand::random::<[u8; 32]>());
        self.store.add_session(session.clone(), now()).await?;
        lock(&self.sessions).insert(session.clone(), now());
        Ok(session)
    }

    /// Counts before the password is looked at, so that tries at the same time count too.
    fn count_try(&self) -> Result<(), Problem> {
        let mut wrong = lock(&self.wrong);
        let since = *wrong.since.get_or_insert_with(Instant::now);
        let left = WINDOW.saturating_sub(since.elapsed());
        if left.is_zero() {
            *wrong = Wrong { tries: 0, since: Some(Instant::now()) };
        }
        if wrong.tries >= TRIES {
            let detail = "Too many wrong passwords. Wait a minute.";
            let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "too_many_tries", detail);
            return Err(problem.retry_after(left.as_secs() + 1));
        }
        wrong.tries += 1;
        Ok(())
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
pub(super) struct Password {
    password: String,
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
    Json(Password { password }): Json<Password>,
) -> Result<Response, Problem> {
    let session = app.sign_in.try_password(&password).await?;
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

/// Takes as long for a password that is nearly right as for one that is not.
fn same(given: &[u8], password: &[u8]) -> bool {
    let mut differs = u8::from(given.len() != password.len());
    for (at, byte) in password.iter().enumerate() {
        differs |= byte ^ given.get(at).copied().unwrap_or(!byte);
    }
    std::hint::black_box(differs) == 0
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
