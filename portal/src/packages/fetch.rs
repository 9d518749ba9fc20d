use super::folders::{Folders, PACKAGE, PLATFORM, UnderWay, command, manifest, program_in};
use super::package_json::PackageJson;
use super::packument::Found;
use super::platform::Platform;
use super::refusal::PackageError;
use super::registry::Registry;
use super::source::PackageName;
use super::unpack::{UnpackLimits, unpack};
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Gets packages, without running anything of them.
#[derive(Debug)]
pub(super) struct Fetcher {
    pub(super) registry: Registry,
    pub(super) folders: Folders,
    pub(super) platform: Platform,
    pub(super) limits: UnpackLimits,
}

impl Fetcher {
    /// The version that is meant, without its tarball.
    pub(super) async fn choose(
        &self,
        name: &PackageName,
        spec: Option<&str>,
    ) -> Result<Found, PackageError> {
        self.registry.packument(name).await?.choose(spec)
    }

    /// A package that was verified, in a folder that is not yet its place.
    pub(super) async fn fetch(&self, found: &Found) -> Result<UnderWay, PackageError> {
        let under_way = self.folders.under_way().map_err(|error| PackageError::disk(&error))?;
        let package = under_way.folder.join(PACKAGE);
        let own = self.unpacked(found, &package).await?;
        let manifest = manifest(&package)?;
        for (what, is, should) in [
            ("name", &*manifest.name, found.name.as_str()),
            ("version", &*manifest.version, &found.version.to_string()),
        ] {
            if is != should {
                let text = format!(
                    "manifest.json is not taken: {what}: it says {is:?}, and the package {should:?}."
                );
                return Err(PackageError::refused("another_package", text));
            }
        }
        let platform = under_way.folder.join(PLATFORM);
        self.fetch_platform(&own, &platform).await?;
        let places = [package.as_path(), platform.as_path()];
        if let Some(program) = program_in(manifest.server.command.program(), &places) {
            let made = make_executable(program).await;
            made.map_err(|error| PackageError::disk(&error))?;
        }
        command(&manifest, &places).map_err(|why| {
            let text =
                format!("{} does not run on this machine ({}): {why}.", found.name, self.platform);
            PackageError::refused("no_program", text)
        })?;
        Ok(under_way)
    }

    /// The first of the platforms' packages that runs here. None of them has to.
    async fn fetch_platform(&self, own: &PackageJson, folder: &Path) -> Result<(), PackageError> {
        for (name, spec) in own.platforms()? {
            let found = match self.choose(&name, Some(&spec)).await {
                Ok(found) => found,
                Err(error) if error.kind == super::Kind::Missing => continue,
                Err(error) => return Err(error),
            };
            if !self.platform.runs(&found.runs_on) {
                continue;
            }
            let package = self.unpacked(&found, folder).await?;
            if !self.platform.runs(&package.runs_on) {
                let text = format!(
                    "The registry says that {name} is for this machine, and the package itself says that it \
                     is not."
                );
                return Err(PackageError::refused("another_package", text));
            }
            return Ok(());
        }
        Ok(())
    }

    async fn unpacked(&self, found: &Found, folder: &Path) -> Result<PackageJson, PackageError> {
        let tarball = folder.with_extension("tgz");
        let packed = self.registry.download(found, &tarball).await?;
        let (folder, limits): (PathBuf, _) = (folder.to_owned(), self.limits);
        let (name, version) = (found.name.to_string(), found.version.to_string());
        let work = move || {
            let file = std::fs::File::open(&tarball).map_err(|error| PackageError::disk(&error))?;
            unpack(BufReader::new(file), packed, &folder, limits)?;
            std::fs::remove_file(&tarball).map_err(|error| PackageError::disk(&error))?;
            PackageJson::read(&folder, &name, &version)
        };
        let done = tokio::task::spawn_blocking(work).await;
        done.map_err(|error| PackageError::disk(&std::io::Error::other(error)))?
    }
}

async fn make_executable(program: PathBuf) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        tokio::fs::set_permissions(program, mode).await?;
    }
    #[cfg(not(unix))]
    drop(program);
    Ok(())
}
