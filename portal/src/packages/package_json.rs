use super::platform::RunsOn;
use super::refusal::PackageError;
use super::source::PackageName;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// In bytes.
const LARGEST: u64 = 1_048_576;
/// Platforms that one package may be built for.
const MOST_PLATFORMS: usize = 32;
/// What npm runs when it installs a package.
const INSTALL_SCRIPTS: [&str; 4] = ["preinstall", "install", "postinstall", "prepare"];

/// What is needed of the `package.json` in a tarball. It counts, not the registry's copy of it: it was
/// published with the rest.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PackageJson {
    name: String,
    version: String,
    #[serde(default)]
    optional_dependencies: BTreeMap<String, String>,
    #[serde(default)]
    scripts: BTreeMap<String, Value>,
    #[serde(flatten)]
    pub(super) runs_on: RunsOn,
}

impl PackageJson {
    pub(super) fn read(folder: &Path, name: &str, version: &str) -> Result<Self, PackageError> {
        let refuse = |why: String| PackageError::refused("bad_package", why);
        let bytes = read_file(&folder.join("package.json"), LARGEST)
            .map_err(|why| refuse(format!("package.json {why}.")))?;
        let read: Self = serde_json::from_slice(&bytes)
            .map_err(|error| refuse(format!("package.json is not taken: {error}.")))?;
        if read.name != name || read.version != version {
            let text = format!(
                "The tarball of {name}@{version} holds another package, {:?}@{:?}.",
                read.name, read.version
            );
            return Err(PackageError::refused("another_package", text));
        }
        Ok(read)
    }

    /// The packages of the platforms that it is built for, and which version of each.
    pub(super) fn platforms(&self) -> Result<Vec<(PackageName, String)>, PackageError> {
        if self.optional_dependencies.len() > MOST_PLATFORMS {
            let text = format!("It names more than {MOST_PLATFORMS} platforms' packages.");
            return Err(PackageError::refused("bad_package", text));
        }
        let read = |(name, spec): (&String, &String)| Ok((PackageName::parse(name)?, spec.clone()));
        self.optional_dependencies.iter().map(read).collect()
    }

    /// The scripts that npm would run and a portal never does.
    pub(super) fn install_scripts(&self) -> Vec<String> {
        let has = |name: &&str| self.scripts.contains_key(*name);
        INSTALL_SCRIPTS.into_iter().filter(has).map(str::to_owned).collect()
    }
}

/// A plain file that is not too long to be read whole; else what is wrong with it, in words.
pub(super) fn read_file(path: &Path, largest: u64) -> Result<Vec<u8>, String> {
    let file = std::fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => "is missing".to_owned(),
        _ => format!("cannot be read: {error}"),
    })?;
    if !file.is_file() || file.len() > largest {
        return Err(format!("is no file of at most {largest} bytes"));
    }
    std::fs::read(path).map_err(|error| format!("cannot be read: {error}"))
}
