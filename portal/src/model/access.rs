use super::Provider;
use axum::http::Uri;
use axum::http::uri::Authority;

/// The keys and addresses of the providers. Keys come from the environment and go nowhere but into
/// requests to their provider.
#[derive(Debug, Clone, Default)]
pub struct ModelAccess {
    /// `OpenAI`, or a server that speaks its interface.
    pub openai: Access,
    /// Anthropic.
    pub anthropic: Access,
    /// Google Gemini.
    pub gemini: Access,
}

/// How to reach one provider.
#[derive(Clone, Default)]
pub struct Access {
    /// Its key.
    pub key: Option<String>,
    /// The address its interface is at, for example `http://127.0.0.1:11434/v1`; none means the
    /// provider's own.
    pub base_url: Option<String>,
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Access")
            .field("key", &self.key.as_ref().map(|_| "set"))
            .field("base_url", &self.base_url)
            .finish()
    }
}

/// Why a provider cannot be used as things stand.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoAccess {
    #[error("{variable} is not set: set the provider's key there and start the portal again")]
    NoKey { variable: &'static str },
    #[error(
        "{variable} has characters that no key has: set it again, without spaces or line breaks"
    )]
    BadKey { variable: &'static str },
    #[error(
        "{address:?} is no address of a model's server; write it like http://127.0.0.1:11434/v1, \
         without a name or a password in it"
    )]
    BadAddress { address: String },
}

/// Where a provider is asked, and with what.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Door {
    /// Ends with a slash.
    pub(super) address: String,
    pub(super) key: Option<String>,
    /// Nothing of this machine's settings for proxies concerns it.
    pub(super) loopback: bool,
}

impl std::fmt::Debug for Door {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Door").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Door {
    /// The address of a name of the interface.
    pub(super) fn at(&self, name: &str) -> String {
        match self.address.split_once('?') {
            Some((path, query)) => format!("{path}{name}?{query}"),
            None => format!("{}{name}", self.address),
        }
    }
}

impl ModelAccess {
    /// What `OPENAI_API_KEY`, `OPENAI_BASE_URL` and their like say. `base_url` is that of the provider
    /// that `model` names, whatever the environment says.
    #[must_use]
    pub fn from_environment(model: Option<&str>, base_url: Option<String>) -> Self {
        let read = |provider: Provider| Access {
            key: variable(provider.key_variable()),
            base_url: variable(provider.address_variable()),
        };
        let mut access = Self {
            openai: read(Provider::OpenAi),
            anthropic: read(Provider::Anthropic),
            gemini: read(Provider::Gemini),
        };
        if let Some(base_url) = base_url {
            let named = match model.and_then(|model| model.split(':').next()) {
                Some("anthropic") => &mut access.anthropic,
                Some("gemini") => &mut access.gemini,
                _ => &mut access.openai,
            };
            named.base_url = Some(base_url);
        }
        access
    }

    fn of(&self, provider: Provider) -> &Access {
        match provider {
            Provider::OpenAi => &self.openai,
            Provider::Anthropic => &self.anthropic,
            Provider::Gemini => &self.gemini,
        }
    }

    pub(super) fn has_key(&self, provider: Provider) -> bool {
        self.of(provider).key.is_some()
    }

    /// The address without what may be secret in it.
    pub(super) fn address(&self, provider: Provider) -> Result<String, NoAccess> {
        let address = address(provider, self.of(provider))?;
        Ok(address.split('?').next().unwrap_or_default().to_owned())
    }

    pub(super) fn door(&self, provider: Provider) -> Result<Door, NoAccess> {
        let access = self.of(provider);
        let variable = provider.key_variable();
        match &access.key {
            Some(key) if !key.bytes().all(|byte| byte.is_ascii_graphic()) => {
                return Err(NoAccess::BadKey { variable });
            }
            // A server of one's own may want none.
            None if access.base_url.is_none() || provider != Provider::OpenAi => {
                return Err(NoAccess::NoKey { variable });
            }
            Some(_) | None => {}
        }
        let address = address(provider, access)?;
        let loopback = host(&address).is_some_and(|host| is_loopback(&host));
        Ok(Door { address, key: access.key.clone(), loopback })
    }
}

fn variable(name: &str) -> Option<String> {
    let value = std::env::var(name).ok()?;
    let value = value.trim();
    (!value.is_empty()).then(|| value.to_owned())
}

/// With a slash at the end of its path, so that the interface's names can be put behind it.
fn address(provider: Provider, access: &Access) -> Result<String, NoAccess> {
    let Some(given) = &access.base_url else { return Ok(provider.own_address().to_owned()) };
    let bad = || NoAccess::BadAddress { address: without_secrets(given) };
    let uri: Uri = given.parse().map_err(|_| bad())?;
    let scheme = uri.scheme_str().filter(|it| matches!(*it, "http" | "https")).ok_or_else(bad)?;
    let authority = uri.authority().map(Authority::as_str).ok_or_else(bad)?;
    if authority.contains('@') {
        return Err(bad());
    }
    let path = match uri.path() {
        "" | "/" => provider.usual_path().to_owned(),
        path if path.ends_with('/') => path.to_owned(),
        path => format!("{path}/"),
    };
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    Ok(format!("{scheme}://{authority}{path}{query}"))
}

/// A refused address may have a password in it, and a refusal is shown.
fn without_secrets(address: &str) -> String {
    let address = address.split('?').next().unwrap_or_default();
    match address.rsplit_once('@') {
        Some((_, behind)) => format!("…@{behind}"),
        None => address.to_owned(),
    }
}

fn host(address: &str) -> Option<String> {
    let uri: Uri = address.parse().ok()?;
    Some(uri.host()?.trim_matches(['[', ']']).to_owned())
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn openai(key: Option<&str>, base_url: Option<&str>) -> Result<Door, NoAccess> {
        let openai = Access { key: key.map(str::to_owned), base_url: base_url.map(str::to_owned) };
        ModelAccess { openai, ..ModelAccess::default() }.door(Provider::OpenAi)
    }

    #[test]
    fn an_address_gets_the_usual_path_and_a_slash_at_its_end() {
        let at = |base_url: &str| openai(None, Some(base_url)).unwrap().address;
        assert_eq!(at("http://127.0.0.1:8080"), "http://127.0.0.1:8080/v1/");
        assert_eq!(at("http://127.0.0.1:8080/"), "http://127.0.0.1:8080/v1/");
        assert_eq!(at("https://a.example/x/v1"), "https://a.example/x/v1/");
        assert_eq!(at("https://a.example/x/v1/?v=1"), "https://a.example/x/v1/?v=1");
        assert_eq!(openai(Some("k"), None).unwrap().address, "https://api.openai.com/v1/");
        let named = openai(None, Some("https://a.example/v1?v=1")).unwrap().at("chat");
        assert_eq!(named, "https://a.example/v1/chat?v=1");
    }

    #[test]
    fn a_provider_wants_its_key_and_a_server_of_ones_own_does_not() {
        let variable = "OPENAI_API_KEY";
        assert_eq!(openai(None, None), Err(NoAccess::NoKey { variable }));
        assert!(openai(None, Some("http://127.0.0.1:8080")).unwrap().key.is_none());
        for key in ["a b", "a\nb", "é"] {
            assert_eq!(openai(Some(key), None), Err(NoAccess::BadKey { variable }));
        }
        let anthropic = Access { key: None, base_url: Some("http://127.0.0.1:1".to_owned()) };
        let access = ModelAccess { anthropic, ..ModelAccess::default() };
        assert!(access.door(Provider::Anthropic).is_err());
    }

    #[test]
    fn what_is_no_address_is_refused_without_the_secrets_in_it() {
        for address in ["", "127.0.0.1:8080", "ftp://a/v1", "/v1", "http://"] {
            assert!(openai(None, Some(address)).is_err(), "{address}");
        }
        let error = openai(None, Some("http://me:secret@a.example/v1?key=hidden")).unwrap_err();
        let said = format!("{error} {error:?}");
        assert!(said.contains("a.example") && !said.contains("secret") && !said.contains("hidden"));
    }

    #[test]
    fn loopback_is_known_by_its_address_or_as_localhost() {
        let is = |address: &str| openai(None, Some(address)).unwrap().loopback;
        assert!(is("http://127.0.0.1:1/v1") && is("http://[::1]:1") && is("http://localhost:1"));
        assert!(!is("http://10.0.0.1/v1") && !is("https://localhost.example"));
    }

    #[test]
    fn nothing_that_is_printed_has_the_key() {
        let door = openai(Some("sk-secret"), None).unwrap();
        let openai = Access { key: Some("sk-secret".to_owned()), base_url: None };
        let access = ModelAccess { openai, ..ModelAccess::default() };
        assert!(!format!("{door:?} {access:?}").contains("sk-secret"));
    }
}
