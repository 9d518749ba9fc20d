use super::manifest::{LARGEST_MANIFEST, Manifest};
use super::package_json::read_file;
use super::refusal::PackageError;
use crate::config::ExtensionCommand;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// Where things lie in the data folder. What is being made or thrown away has a name that no package
/// can have, and every change that counts is one rename.
#[derive(Debug, Clone)]
pub(super) struct Folders {
    data: PathBuf,
}

/// The package itself, in its version's folder.
pub(super) const PACKAGE: &str = "package";
/// The package of this platform, beside it.
pub(super) const PLATFORM: &str = "platform";
const UNDER_WAY: &str = ".new";
const THROWN_AWAY: &str = ".old";

impl Folders {
    pub(super) fn new(data: PathBuf) -> Self {
        Self { data }
    }

    /// Where every extension's data is, by its name.
    pub(super) fn all_data(&self) -> PathBuf {
        self.data.join("extension-data")
    }

    pub(super) fn version(&self, name: &str, version: &str) -> PathBuf {
        self.packages().join(name).join(version)
    }

    fn packages(&self) -> PathBuf {
        self.data.join("extensions")
    }

    /// Before extensions could be installed, their data was where their versions are.
    pub(super) fn move_old_data(&self) -> io::Result<()> {
        let (old, new) = (self.packages(), self.all_data());
        if new.exists() {
            return Ok(());
        }
        if old.exists() { std::fs::rename(old, new) } else { std::fs::create_dir_all(new) }
    }

    /// A new folder to work in, which is gone again when it is dropped.
    pub(super) fn under_way(&self) -> io::Result<UnderWay> {
        let folder = self.packages().join(UNDER_WAY).join(uuid::Uuid::now_v7().to_string());
        std::fs::create_dir_all(&folder)?;
        Ok(UnderWay { folder })
    }

    /// Puts a finished folder in its place. Whatever is there is of no use: nothing refers to it.
    pub(super) fn keep(&self, finished: &Path, name: &str, version: &str) -> io::Result<()> {
        let place = self.version(name, version);
        self.throw_away(&place)?;
        let above = self.packages().join(name);
        std::fs::create_dir_all(&above)?;
        std::fs::rename(finished, &place)?;
        // The rename is on disk before the database says so.
        std::fs::File::open(&above)?.sync_all()
    }

    pub(super) fn throw_away_version(&self, name: &str, version: &str) -> io::Result<()> {
        self.throw_away(&self.version(name, version))
    }

    pub(super) fn throw_away_package(&self, name: &str) -> io::Result<()> {
        self.throw_away(&self.packages().join(name))
    }

    pub(super) fn throw_away_data(&self, name: &str) -> io::Result<()> {
        self.throw_away(&self.all_data().join(name))
    }

    /// Away at once, deleted after it.
    fn throw_away(&self, folder: &Path) -> io::Result<()> {
        if !folder.exists() {
            return Ok(());
        }
        let bin = self.packages().join(THROWN_AWAY);
        std::fs::create_dir_all(&bin)?;
        let there = bin.join(uuid::Uuid::now_v7().to_string());
        std::fs::rename(folder, &there)?;
        std::fs::remove_dir_all(there)
    }

    /// Removes what a kill left: folders under way or thrown away, and versions that nothing refers to.
    pub(super) fn sweep(&self, kept: &BTreeSet<(String, String)>) -> io::Result<()> {
        for rest in [UNDER_WAY, THROWN_AWAY] {
            remove(&self.packages().join(rest))?;
        }
        for package in list(&self.packages())? {
            let versions = list(&package)?;
            let name = file_name(&package);
            let is_kept = |version: &PathBuf| kept.contains(&(name.clone(), file_name(version)));
            if versions.iter().any(is_kept) {
                for version in versions.iter().filter(|it| !is_kept(it)) {
                    remove(version)?;
                }
            } else {
                remove(&package)?;
            }
        }
        Ok(())
    }
}

/// See [`Folders::under_way`].
#[derive(Debug)]
pub(super) struct UnderWay {
    pub(super) folder: PathBuf,
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        if let Err(error) = remove(&self.folder) {
            tracing::warn!(%error, "folder of an unfinished package not removed");
        }
    }
}

/// Reads the manifest in a folder.
pub(super) fn manifest(folder: &Path) -> Result<Manifest, PackageError> {
    let bytes = read_file(&folder.join("manifest.json"), LARGEST_MANIFEST)
        .map_err(|why| PackageError::refused("no_manifest", format!("Its manifest.json {why}.")))?;
    Manifest::read(&bytes)
}

/// Finds the program of a manifest: in each of the folders or its `bin`, then, if it is a plain name, on
/// PATH.
pub(super) fn command(manifest: &Manifest, places: &[&Path]) -> Result<ExtensionCommand, String> {
    let command = &manifest.server.command;
    let program = find(command.program(), places, std::env::var_os("PATH").as_deref());
    let Some(program) = program else {
        return Err(format!("its program {:?} is neither in it nor on PATH", command.program()));
    };
    Ok(ExtensionCommand { program, args: command.arguments().iter().map(Into::into).collect() })
}

/// The program's file in one of the folders.
pub(super) fn program_in(program: &str, places: &[&Path]) -> Option<PathBuf> {
    let inside =
        places.iter().flat_map(|place| [place.join(program), place.join("bin").join(program)]);
    inside.into_iter().find(|path| path.is_file())
}

fn find(program: &str, places: &[&Path], search: Option<&OsStr>) -> Option<PathBuf> {
    if let Some(path) = program_in(program, places) {
        return Some(path);
    }
    if program.contains('/') {
        return None;
    }
    let on_path = std::env::split_paths(search?).filter(|place| place.is_absolute());
    on_path.map(|place| place.join(program)).find(|path| runs(path))
}

fn runs(path: &Path) -> bool {
    #[cfg(unix)]
    let executable = |it: &std::fs::Metadata| {
        std::os::unix::fs::PermissionsExt::mode(&it.permissions()) & 0o111 != 0
    };
    #[cfg(not(unix))]
    let executable = |_: &std::fs::Metadata| true;
    std::fs::metadata(path).is_ok_and(|it| it.is_file() && executable(&it))
}

fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match std::fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| Ok(entry?.path())).collect(),
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            Ok(Vec::new())
        }
        Err(error) => Err(error),
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn remove(path: &Path) -> io::Result<()> {
    match std::fs::symlink_metadata(path) {
        Ok(it) if it.is_dir() => std::fs::remove_dir_all(path),
        Ok(_) => std::fs::remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_looked_for_in_the_package_then_the_platforms_then_on_path() {
        let root = tempfile::tempdir().unwrap();
        let make = |path: &str, mode: u32| {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "").unwrap();
            #[cfg(unix)]
            std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(mode))
                .unwrap();
            path
        };
        let (package, platform) = (root.path().join("package"), root.path().join("platform"));
        let path = root.path().join("path");
        let found = |program: &str| find(program, &[&package, &platform], Some(path.as_os_str()));
        assert_eq!(found("tea"), None);
        let on_path = make("path/tea", 0o755);
        assert_eq!(found("tea").unwrap(), on_path);
        let in_platform = make("platform/bin/tea", 0o755);
        assert_eq!(found("tea").unwrap(), in_platform);
        let in_package = make("package/tea", 0o755);
        assert_eq!(found("tea").unwrap(), in_package);
        make("path/data", 0o644);
        assert_eq!(found("data"), None, "not a program");
        make("path/sub/tea", 0o755);
        assert_eq!(found("sub/tea"), None, "a path is only one inside the package");
    }

    #[test]
    fn what_a_kill_left_is_swept_and_what_is_referred_to_stays() {
        let root = tempfile::tempdir().unwrap();
        let folders = Folders::new(root.path().to_owned());
        for path in
            ["tea/1.0.0/package", "tea/2.0.0/package", "cup/1.0.0/package", ".new/a/b", ".old/c"]
        {
            std::fs::create_dir_all(root.path().join("extensions").join(path)).unwrap();
        }
        std::fs::create_dir_all(root.path().join("extension-data/cup")).unwrap();
        folders.sweep(&BTreeSet::from([("tea".to_owned(), "2.0.0".to_owned())])).unwrap();
        let left: Vec<String> =
            list(&folders.packages()).unwrap().iter().map(|it| file_name(it)).collect();
        assert_eq!(left, ["tea"]);
        assert!(folders.version("tea", "2.0.0").join("package").exists());
        assert!(!folders.version("tea", "1.0.0").exists());
        assert!(root.path().join("extension-data/cup").exists(), "data is nobody's to sweep");
    }
}
