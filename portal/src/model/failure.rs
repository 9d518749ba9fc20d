//! Why a provider did not answer, in plain words.

use super::Provider;
use super::access::Door;
use genai::Error;
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;
use std::time::Duration;

/// In characters, of what a provider says itself.
const LONGEST_WORDS: usize = 300;

#[derive(Debug)]
pub(super) enum Failure {
    /// It may work in a moment; how long the provider wants to be left alone.
    Busy { wait: Option<Duration> },
    /// One sentence or two for the person.
    Final(String),
}

/// Whom a turn is asked of.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) provider: Provider,
    pub(super) model: String,
    pub(super) door: Door,
}

/// How far an answer had come.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Progress {
    pub(super) begun: bool,
    pub(super) calling: bool,
}

impl Asked {
    pub(super) fn failure(&self, error: &Error, progress: Progress) -> Failure {
        match error {
            Error::WebStream { error, .. } => self.of_stream(error.as_ref(), progress),
            Error::ChatResponse { body, .. } => self.of_event(body, progress),
            error => match (error.status(), error.headers()) {
                (Some(status), headers) => self.refused(status, headers, &error.to_string()),
                (None, _) => self.not_understood(),
            },
        }
    }

    fn of_stream(
        &self,
        error: &(dyn std::error::Error + Send + Sync + 'static),
        progress: Progress,
    ) -> Failure {
        if let Some(Error::HttpError { status, headers, body, .. }) = error.downcast_ref::<Error>()
        {
            return self.refused(*status, Some(headers.as_ref()), body);
        }
        let is_silent = error.is::<genai::webc::StreamTimeout>();
        let Some(error) = error.downcast_ref::<reqwest::Error>() else {
            return if is_silent { silent() } else { broke_off(progress) };
        };
        if error.is_timeout() && !error.is_connect() {
            return silent();
        }
        if error.is_connect() || error.is_builder() {
            let address = &self.door.address;
            let address = address.split('?').next().unwrap_or_default();
            return Failure::Final(format!(
                "The model's server at {address} cannot be reached. Is it running, and is its address right?"
            ));
        }
        broke_off(progress)
    }

    /// An error that came in the middle of a stream.
    fn of_event(&self, body: &Value, progress: Progress) -> Failure {
        let kind = body.to_string();
        let is_busy = kind.contains("overloaded") || kind.contains("rate_limit");
        if is_busy && !progress.begun {
            return Failure::Busy { wait: None };
        }
        let words = self.words(&kind);
        Failure::Final(format!("The model's answer broke off. Its server says: {words}"))
    }

    fn refused(&self, status: StatusCode, headers: Option<&HeaderMap>, body: &str) -> Failure {
        let variable = self.provider.key_variable();
        let model = &self.model;
        let words = self.words(body);
        let is_busy = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
        Failure::Final(match status {
            _ if body.contains("insufficient_quota") => {
                format!(
                    "The account of the model's key has nothing left to spend. It says: {words}"
                )
            }
            _ if is_busy => return Failure::Busy { wait: headers.and_then(wait) },
            _ if status == StatusCode::UNAUTHORIZED || body.contains("API_KEY_INVALID") => {
                let has = if self.door.key.is_some() {
                    "key is not accepted"
                } else {
                    "server wants a key"
                };
                format!("The model's {has}: set {variable} and start the portal again.")
            }
            StatusCode::FORBIDDEN => {
                format!(
                    "The model's key in {variable} may not use {model}. Its server says: {words}"
                )
            }
            StatusCode::NOT_FOUND => format!(
                "The model's server has no model {model}, or its address is wrong. Choose another in \
                 Settings, Model. It says: {words}"
            ),
            _ if status.is_redirection() => {
                "The model's server sends the request elsewhere: its address is wrong.".to_owned()
            }
            _ => format!(
                "The model's server refused the request ({}). It says: {words}",
                status.as_u16()
            ),
        })
    }

    fn not_understood(&self) -> Failure {
        Failure::Final(format!(
            "The answer of the model's server is not understood. Does it speak the interface of {}?",
            self.provider.title()
        ))
    }

    /// What the provider says itself, without the key, should it quote that.
    fn words(&self, body: &str) -> String {
        let words = serde_json::from_str::<Value>(body).ok().and_then(|body| message(&body));
        let mut words = words.unwrap_or_default();
        if let Some(key) = &self.door.key {
            words = words.replace(key.as_str(), "[key]");
        }
        let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
        let cut: String = line.chars().filter(|c| !c.is_control()).take(LONGEST_WORDS).collect();
        if cut.is_empty() { "nothing".to_owned() } else { cut }
    }
}

/// A stream that ended without an end.
pub(super) fn broke_off(progress: Progress) -> Failure {
    let kept = match progress {
        Progress { calling: true, .. } => {
            "What it had said is kept; what it was about to call was not called."
        }
        Progress { begun: true, .. } => "What came is kept.",
        Progress { .. } => "Nothing had come yet.",
    };
    Failure::Final(format!(
        "The model's answer broke off: the connection ended before it was complete. {kept} Send a \
         message to go on."
    ))
}

fn silent() -> Failure {
    let minutes = super::remote::SILENCE.as_secs() / 60;
    Failure::Final(format!(
        "The model said nothing for {minutes} minutes and was given up. Send a message to try again."
    ))
}

fn message(body: &Value) -> Option<String> {
    // Gemini puts its error into a list.
    let body = body.as_array().and_then(|list| list.first()).unwrap_or(body);
    let places = [&body["error"]["message"], &body["message"], &body["error"], &body["detail"]];
    places.into_iter().find_map(|place| place.as_str()).map(str::to_owned)
}

/// `Retry-After` in seconds; as a date it is not looked at.
fn wait(headers: &HeaderMap) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    let seconds =
        number("retry-after-ms").map(|ms| ms / 1000.0).or_else(|| number("retry-after"))?;
    Duration::try_from_secs_f64(seconds).ok()
}
