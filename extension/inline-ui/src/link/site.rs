use crate::server::Site;
use portal_link::Initialize;

/// Reads where the portal serves us. An origin goes into a policy, so it must be nothing but one.
pub(crate) fn site(given: &Initialize) -> Result<Site, String> {
    let base_path = given.base_path.trim_end_matches('/').to_owned();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/-._~%@".contains(c);
    if !(base_path.is_empty() || base_path.starts_with('/'))
        || !base_path.chars().all(plain)
        || base_path.starts_with("//")
    {
        return Err(format!(
            "basePath is {:?}; it is a path that begins with a slash",
            given.base_path
        ));
    }
    let origins: Vec<String> =
        given.origins.iter().map(|text| origin(text)).collect::<Result<_, _>>()?;
    let frame_origin = given.frame_origin.as_deref().map(origin).transpose()?;
    Ok(Site { base_path, origins, frame_origin })
}

/// `scheme://host` with a port or without, as a browser writes it.
fn origin(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || ".-:[]_".contains(c);
    match rest {
        Some(host) if !host.is_empty() && host.chars().all(plain) => Ok(text.to_owned()),
        _ => Err(format!(
            "{text:?} is no origin; write it as a browser does, for example https://chat.example:8443"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(base: &str, origin: &str) -> Result<Site, String> {
        let given = serde_json::json!({ "protocol": 1, "portal": { "name": "p", "version": "1" }, "dataDir": "d",
            "basePath": base, "origins": [origin] });
        site(&serde_json::from_value(given).unwrap())
    }

    #[test]
    fn an_address_has_no_slash_at_its_end() {
        assert_eq!(
            read("/ext/inline-ui/", "https://chat.example").unwrap().base_path,
            "/ext/inline-ui"
        );
        assert_eq!(read("/", "http://127.0.0.1:8787").unwrap().base_path, "");
    }

    #[test]
    fn what_is_no_origin_or_no_path_is_refused() {
        for origin in [
            "https://a.example/",
            "https://a; script-src *",
            "ftp://a",
            "*",
            "https://",
            "https://A.example",
        ] {
            assert!(read("/x", origin).is_err(), "{origin}");
        }
        for base in ["x", "//evil.example", "/a b", "/a\"b"] {
            assert!(read(base, "https://a.example").is_err(), "{base}");
        }
    }
}
