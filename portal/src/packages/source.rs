use super::refusal::{Kind, PackageError};
use std::fmt;
use std::path::{Path, PathBuf};

/// What npm takes.
const LONGEST_NAME: usize = 214;
const LONGEST_SPEC: usize = 128;

/// What a person asks to install.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    /// A package of the registry, and which version of it: a version, a range or a dist-tag.
    Npm { name: PackageName, spec: Option<String> },
    /// A folder with a `manifest.json`, used in place.
    Folder(PathBuf),
}

impl Source {
    pub(crate) fn parse(text: &str) -> Result<Self, PackageError> {
        let text = text.trim();
        if let Some(path) = text.strip_prefix("path:") {
            if !Path::new(path).is_absolute() {
                let text = "A folder is given with its whole path, like path:/srv/my-extension.";
                return Err(PackageError::new(Kind::Asked, "bad_source", text));
            }
            return Ok(Self::Folder(PathBuf::from(path)));
        }
        let Some(rest) = text.strip_prefix("npm:") else {
            let text = "Write npm:NAME, npm:NAME@VERSION or path:/FOLDER.";
            return Err(PackageError::new(Kind::Asked, "bad_source", text));
        };
        // A scope begins with an @ too.
        let at = rest.char_indices().skip(1).find(|(_, c)| *c == '@').map(|(at, _)| at);
        let (name, spec) = at.map_or((rest, None), |at| (&rest[..at], Some(&rest[at + 1..])));
        let name = PackageName::parse(name)?;
        if name.as_str().starts_with('@') {
            let text = format!(
                "{name} has a scope. An extension's package has the extension's own name, of a-z, \
                 0-9 and -, so that none passes for another."
            );
            return Err(PackageError::new(Kind::Asked, "bad_name", text));
        }
        let spec = spec.map(check_spec).transpose()?;
        Ok(Self::Npm { name, spec })
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Npm { name, spec: None } => write!(f, "npm:{name}"),
            Self::Npm { name, spec: Some(spec) } => write!(f, "npm:{name}@{spec}"),
            Self::Folder(path) => write!(f, "path:{}", path.display()),
        }
    }
}

fn check_spec(spec: &str) -> Result<String, PackageError> {
    let fits = |c: char| c.is_ascii_alphanumeric() || " .-+^~<>=|*_".contains(c);
    if spec.is_empty() || spec.len() > LONGEST_SPEC || !spec.chars().all(fits) {
        let text = format!("{spec:?} is no version, no range and no dist-tag.");
        return Err(PackageError::new(Kind::Asked, "bad_version", text));
    }
    Ok(spec.to_owned())
}

/// A name that a registry may have: it stands in addresses, never in the file system.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PackageName(String);

impl PackageName {
    pub(super) fn parse(name: &str) -> Result<Self, PackageError> {
        let plain = |part: &str| {
            let inside =
                |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._-".contains(&b);
            part.bytes().next().is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
                && part.bytes().all(inside)
        };
        let parts = match name.strip_prefix('@') {
            Some(scoped) => scoped.split_once('/').map(|(scope, name)| (Some(scope), name)),
            None => Some((None, name)),
        };
        let fits = parts.is_some_and(|(scope, own)| {
            scope.is_none_or(plain) && plain(own) && !matches!(own, "node_modules" | "favicon.ico")
        });
        if !fits || name.len() > LONGEST_NAME {
            let text = format!(
                "{name:?} is no name of a package: small letters a-z, digits, and inside it . _ -."
            );
            return Err(PackageError::new(Kind::Asked, "bad_name", text));
        }
        Ok(Self(name.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PackageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_versions_ranges_tags_and_folders_are_read() {
        for text in [
            "npm:inline-ui",
            "npm:inline-ui@1.2.3",
            "npm:a@^1.0.0 || 2.x",
            "npm:a@next",
            "path:/srv/x y",
            "npm:0a.b_c",
        ] {
            assert_eq!(Source::parse(text).unwrap().to_string(), text);
        }
        let Source::Npm { name, spec } = Source::parse(" npm:a@1 ").unwrap() else { panic!() };
        assert_eq!((name.as_str(), spec.as_deref()), ("a", Some("1")));
    }

    #[test]
    fn names_that_could_pass_for_another_or_lead_elsewhere_are_refused() {
        for name in [
            "",
            "..",
            ".",
            "../a",
            "a/b",
            "a\\b",
            "/a",
            "A",
            "Inline-UI",
            "inline‑ui",
            "іnline-ui",
            "node_modules",
            "-a",
            ".a",
            "_a",
            "a b",
            "a%2fb",
            "@",
            "@a",
            "@/a",
            "@a/",
            "@a/../b",
            "@A/b",
            "a\0",
            "https://evil.example/a.tgz",
            "@a/b/c",
        ] {
            let error = PackageName::parse(name).unwrap_err();
            assert_eq!(error.code, "bad_name", "{name}");
        }
        assert!(PackageName::parse(&"a".repeat(214)).is_ok());
        assert!(PackageName::parse(&"a".repeat(215)).is_err());
        assert!(PackageName::parse("@scope/name-linux-x64").is_ok());
        assert_eq!(Source::parse("npm:@scope/name").unwrap_err().code, "bad_name");
    }

    #[test]
    fn what_is_no_source_or_no_version_is_refused() {
        for text in ["inline-ui", "path:relative", "path:", "git:a", "", "file:/a"] {
            assert_eq!(Source::parse(text).unwrap_err().code, "bad_source", "{text}");
        }
        for text in ["npm:a@", "npm:a@1/2", "npm:a@../b", "npm:a@é", "npm:a@1@2"] {
            assert_eq!(Source::parse(text).unwrap_err().code, "bad_version", "{text}");
        }
    }
}
