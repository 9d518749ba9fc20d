use super::refusal::PackageError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::digest;

/// The sha512 digests of a tarball's `integrity`, any of which it may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Integrity(Vec<[u8; digest::SHA512_OUTPUT_LEN]>);

impl Integrity {
    /// Reads subresource-integrity metadata. What is weaker than sha512 proves too little.
    pub(super) fn read(text: Option<&str>, package: &str) -> Result<Self, PackageError> {
        let digests = |text: &str| {
            let read = |part: &str| {
                let (hash, _options) = part.split_once('?').unwrap_or((part, ""));
                STANDARD.decode(hash.strip_prefix("sha512-")?).ok()?.try_into().ok()
            };
            text.split_ascii_whitespace().filter_map(read).collect::<Vec<_>>()
        };
        let digests = text.map(digests).unwrap_or_default();
        if digests.is_empty() {
            let text = format!(
                "The registry gives no sha512 integrity for {package}, so nothing shows that its \
                 tarball is the one that was published."
            );
            return Err(PackageError::refused("integrity_missing", text));
        }
        Ok(Self(digests))
    }

    pub(super) fn check(&self, found: &digest::Digest, package: &str) -> Result<(), PackageError> {
        if self.0.iter().any(|digest| digest == found.as_ref()) {
            return Ok(());
        }
        let text = format!(
            "The tarball of {package} is not the one that was published: its sha512 is another one."
        );
        Err(PackageError::refused("integrity_mismatch", text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sri(algorithm: &'static digest::Algorithm, name: &str, bytes: &[u8]) -> String {
        format!("{name}-{}", STANDARD.encode(digest::digest(algorithm, bytes)))
    }

    #[test]
    fn only_the_bytes_that_were_published_pass() {
        let text = sri(&digest::SHA512, "sha512", b"right");
        let digest = |bytes| digest::digest(&digest::SHA512, bytes);
        let check =
            |text: &str, bytes| Integrity::read(Some(text), "a")?.check(&digest(bytes), "a");
        assert!(check(&text, b"right").is_ok());
        assert!(check(&format!("sha1-AAAA {text}?opt"), b"right").is_ok());
        assert_eq!(check(&text, b"wrong").unwrap_err().code, "integrity_mismatch");
    }

    #[test]
    fn weaker_sums_and_broken_ones_are_as_good_as_none() {
        let sha256 = sri(&digest::SHA256, "sha256", b"right");
        let short = sri(&digest::SHA256, "sha512", b"right");
        for text in
            [None, Some(""), Some("sha512-"), Some("sha512-%%"), Some(&*sha256), Some(&*short)]
        {
            assert_eq!(
                Integrity::read(text, "a").unwrap_err().code,
                "integrity_missing",
                "{text:?}"
            );
        }
    }
}
