use super::platform::RunsOn;
use super::refusal::{Kind, PackageError};
use super::source::PackageName;
use nodejs_semver::{Range, Version};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// What a registry knows of one package: its versions, each read when it is wanted, so that a broken
/// one spoils no other.
#[derive(Debug)]
pub(super) struct Packument {
    name: PackageName,
    tags: BTreeMap<String, String>,
    /// Oldest first.
    versions: Vec<(Version, Box<RawValue>)>,
}

/// One version of a package.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) name: PackageName,
    pub(super) version: Version,
    pub(super) tarball: String,
    pub(super) integrity: Option<String>,
    pub(super) runs_on: RunsOn,
}

#[derive(Deserialize)]
struct Entry {
    name: String,
    version: String,
    dist: Dist,
    #[serde(flatten)]
    runs_on: RunsOn,
}

#[derive(Deserialize)]
struct Dist {
    tarball: String,
    #[serde(default)]
    integrity: Option<String>,
}

impl Packument {
    pub(super) fn read(bytes: &[u8], name: &PackageName) -> Result<Self, PackageError> {
        #[derive(Deserialize)]
        struct Body {
            name: String,
            #[serde(rename = "dist-tags", default)]
            tags: BTreeMap<String, String>,
            #[serde(default)]
            versions: BTreeMap<String, Box<RawValue>>,
        }
        let body: Body = serde_json::from_slice(bytes).map_err(|error| {
            let text = format!("What the registry says of {name} is not understood: {error}.");
            PackageError::registry("bad_answer", text)
        })?;
        if body.name != name.as_str() {
            return Err(another(name.as_str(), &body.name));
        }
        let mut versions: Vec<_> = body
            .versions
            .into_iter()
            .filter_map(|(text, entry)| Some((exact(&text)?, entry)))
            .collect();
        versions.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(Self { name: name.clone(), tags: body.tags, versions })
    }

    /// The version that is meant: an exact one, that of a dist-tag, or in a range the one tagged
    /// `latest` if it fits, else the newest that fits and is not deprecated.
    pub(super) fn choose(&self, spec: Option<&str>) -> Result<Found, PackageError> {
        let spec = spec.map_or("latest", str::trim);
        let version = match (exact(spec), self.tags.get(spec)) {
            (Some(version), _) => Some(version),
            (None, Some(tagged)) => exact(tagged),
            (None, None) if spec == "latest" => self.newest(&Range::any()),
            (None, None) => Range::parse(spec).ok().and_then(|range| self.newest(&range)),
        };
        let entry = version.as_ref().and_then(|version| self.entry(version));
        let Some((version, entry)) = version.zip(entry) else {
            let newest = self.newest(&Range::any());
            let newest = newest.map(|it| format!(" Its newest is {it}.")).unwrap_or_default();
            let text = format!("The registry has no {}@{spec}.{newest}", self.name);
            return Err(PackageError::new(Kind::Missing, "unknown_version", text));
        };
        let what = format!("{}@{version}", self.name);
        let entry: Entry = serde_json::from_str(entry.get()).map_err(|error| {
            let text = format!("What the registry says of {what} is not understood: {error}.");
            PackageError::registry("bad_answer", text)
        })?;
        if entry.name != self.name.as_str() || exact(&entry.version).as_ref() != Some(&version) {
            return Err(another(&what, &format!("{}@{}", entry.name, entry.version)));
        }
        Ok(Found {
            name: self.name.clone(),
            version,
            tarball: entry.dist.tarball,
            integrity: entry.dist.integrity,
            runs_on: entry.runs_on,
        })
    }

    fn newest(&self, range: &Range) -> Option<Version> {
        let latest = self.tags.get("latest").and_then(|it| exact(it));
        if let Some(latest) = latest.filter(|it| it.satisfies(range) && self.entry(it).is_some()) {
            return Some(latest);
        }
        let fits: Vec<_> = self.versions.iter().filter(|(it, _)| it.satisfies(range)).collect();
        let kept = fits.iter().rev().find(|(_, entry)| !is_deprecated(entry));
        kept.or(fits.last()).map(|(version, _)| version.clone())
    }

    fn entry(&self, version: &Version) -> Option<&RawValue> {
        let found = self.versions.iter().find(|(it, _)| it.to_string() == version.to_string());
        found.map(|(_, entry)| &**entry)
    }
}

/// A version as it is written, and nothing that only reads like one: it names a folder.
fn exact(text: &str) -> Option<Version> {
    Version::parse(text).ok().filter(|version| version.to_string() == text)
}

fn is_deprecated(entry: &RawValue) -> bool {
    #[derive(Deserialize)]
    struct Deprecated {
        #[serde(default)]
        deprecated: serde_json::Value,
    }
    let read: Result<Deprecated, _> = serde_json::from_str(entry.get());
    read.is_ok_and(|it| {
        !matches!(it.deprecated, serde_json::Value::Null | serde_json::Value::Bool(false))
    })
}

fn another(asked: &str, got: &str) -> PackageError {
    let text = format!("The portal asked the registry for {asked} and it speaks of {got:?}.");
    PackageError::refused("another_package", text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn packument(tags: &Value, versions: &[(&str, Value)]) -> Packument {
        let versions: serde_json::Map<_, _> = versions
            .iter()
            .map(|(version, more)| {
                let mut entry =
                    json!({ "name": "a", "version": version, "dist": { "tarball": "t" } });
                entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
                ((*version).to_owned(), entry)
            })
            .collect();
        let body = json!({ "name": "a", "dist-tags": tags, "versions": versions });
        read(&body).unwrap()
    }

    fn read(body: &Value) -> Result<Packument, PackageError> {
        Packument::read(body.to_string().as_bytes(), &PackageName::parse("a").unwrap())
    }

    fn chosen(packument: &Packument, spec: Option<&str>) -> String {
        packument
            .choose(spec)
            .map_or_else(|error| error.code.to_owned(), |it| it.version.to_string())
    }

    #[test]
    fn a_version_a_tag_a_range_or_nothing_chooses_as_npm_does() {
        let none = json!({});
        let versions =
            ["1.0.0", "1.2.0", "1.3.0", "2.0.0", "2.1.0-rc.1"].map(|it| (it, none.clone()));
        let it = packument(&json!({ "latest": "1.2.0", "next": "2.1.0-rc.1" }), &versions);
        assert_eq!(chosen(&it, None), "1.2.0");
        assert_eq!(chosen(&it, Some("next")), "2.1.0-rc.1");
        assert_eq!(chosen(&it, Some("2.0.0")), "2.0.0");
        assert_eq!(chosen(&it, Some("^1.0.0")), "1.2.0", "latest, since it fits");
        assert_eq!(chosen(&it, Some(">=1.3 <2 || 9.x")), "1.3.0");
        assert_eq!(chosen(&it, Some(">=2")), "2.0.0", "no prerelease unasked");
        for spec in ["3.0.0", "^3", "nightly", "1.2.0.0"] {
            assert_eq!(chosen(&it, Some(spec)), "unknown_version", "{spec}");
        }
    }

    #[test]
    fn a_deprecated_version_is_only_taken_when_nothing_else_fits() {
        let old = json!({ "deprecated": "broken" });
        let it =
            packument(&json!({}), &[("1.0.0", json!({})), ("1.1.0", old.clone()), ("2.0.0", old)]);
        assert_eq!(chosen(&it, Some("1")), "1.0.0");
        assert_eq!(chosen(&it, Some("2")), "2.0.0");
    }

    #[test]
    fn a_registry_that_speaks_of_another_package_is_refused() {
        let entry = |name: &str, version: &str| {
            json!({ "name": "a", "dist-tags": { "latest": "1.0.0" }, "versions": { "1.0.0":
                { "name": name, "version": version, "dist": { "tarball": "t" } } } })
        };
        assert_eq!(chosen(&read(&entry("a", "1.0.0")).unwrap(), None), "1.0.0");
        assert_eq!(chosen(&read(&entry("b", "1.0.0")).unwrap(), None), "another_package");
        assert_eq!(chosen(&read(&entry("a", "1.0.1")).unwrap(), None), "another_package");
        assert_eq!(
            read(&json!({ "name": "A", "versions": {} })).unwrap_err().code,
            "another_package"
        );
    }

    #[test]
    fn versions_that_would_name_other_folders_are_none() {
        let odd = ["../1.0.0", "1.0.0/..", "v1.0.0", " 1.0.0", "1", ""].map(|it| (it, json!({})));
        assert!(packument(&json!({}), &odd).versions.is_empty());
    }
}
