/// A header of the outer frame's response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameHeader {
    /// Its name, in lower case.
    pub name: &'static str,
    /// Its value.
    pub value: String,
}

const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; \
    font-src data:; media-src data: blob:; connect-src 'none'; form-action 'none'; base-uri 'none'; frame-src 'none'";

/// Every feature that browsers know by name: there is no way to say "all" in this header, and Chromium
/// warns in the console of each name it does not know.
const FEATURES: &[&str] = &[
    "accelerometer",
    "autoplay",
    "browsing-topics",
    "camera",
    "captured-surface-control",
    "clipboard-read",
    "clipboard-write",
    "compute-pressure",
    "cross-origin-isolated",
    "deferred-fetch",
    "display-capture",
    "encrypted-media",
    "fullscreen",
    "gamepad",
    "geolocation",
    "gyroscope",
    "hid",
    "identity-credentials-get",
    "idle-detection",
    "keyboard-map",
    "language-detector",
    "local-fonts",
    "magnetometer",
    "microphone",
    "midi",
    "otp-credentials",
    "payment",
    "picture-in-picture",
    "private-state-token-issuance",
    "private-state-token-redemption",
    "publickey-credentials-create",
    "publickey-credentials-get",
    "screen-wake-lock",
    "serial",
    "speaker-selection",
    "storage-access",
    "summarizer",
    "sync-xhr",
    "translator",
    "unload",
    "usb",
    "window-management",
    "xr-spatial-tracking",
];

/// The headers of the outer frame. The card inside inherits the policy and, in Chromium, the
/// allowlist: without a connection there is no DNS query and no preconnect either.
///
/// `origins` are the portal's, already checked to be origins; without any, nobody may frame it.
pub fn frame_headers(origins: &[String]) -> Vec<FrameHeader> {
    let ancestors = if origins.is_empty() { "'none'".to_owned() } else { origins.join(" ") };
    let denied: Vec<String> = FEATURES.iter().map(|feature| format!("{feature}=()")).collect();
    let header = |name, value: &str| FrameHeader { name, value: value.to_owned() };
    vec![
        header("content-type", "text/html; charset=utf-8"),
        header("content-security-policy", &format!("{POLICY}; frame-ancestors {ancestors}")),
        header("connection-allowlist", "()"),
        header("referrer-policy", "no-referrer"),
        header("x-content-type-options", "nosniff"),
        header("x-dns-prefetch-control", "off"),
        header("permissions-policy", &denied.join(", ")),
        header("cross-origin-resource-policy", "same-origin"),
        header("cache-control", "no-store"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_is_the_contracts_and_names_who_may_frame() {
        let headers = frame_headers(&["https://chat.example".to_owned()]);
        let policy = &headers.iter().find(|h| h.name == "content-security-policy").unwrap().value;
        assert_eq!(
            policy,
            "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; \
             media-src data: blob:; connect-src 'none'; form-action 'none'; base-uri 'none'; frame-src 'none'; \
             frame-ancestors https://chat.example"
        );
    }

    #[test]
    fn nobody_frames_a_card_of_a_portal_without_origins() {
        assert!(frame_headers(&[]).iter().any(|h| h.value.ends_with("frame-ancestors 'none'")));
    }
}
