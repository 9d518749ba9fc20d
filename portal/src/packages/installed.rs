//! What is done with a package: each change is on disk before anything runs differently.

use super::folders::{PACKAGE, PLATFORM, command, manifest};
use super::manifest::Manifest;
use super::package_json::PackageJson;
use super::refusal::{Kind, PackageError};
use super::source::Source;
use super::{Shared, Update};
use crate::config::ExtensionCommand;
use crate::extension::Profile;
use crate::store::{Leaving, PackageRow};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A package that is installed, as people are shown it.
#[derive(Debug, Clone)]
pub(crate) struct Installed {
    pub(crate) row: PackageRow,
    /// Or why it cannot be used.
    pub(crate) found: Result<FoundPackage, String>,
}

/// What lies in a package's folder.
#[derive(Debug, Clone)]
pub(crate) struct FoundPackage {
    pub(crate) manifest: Manifest,
    /// Scripts that npm would have run.
    pub(crate) scripts: Vec<String>,
    command: Result<ExtensionCommand, String>,
}

impl Installed {
    pub(crate) fn name(&self) -> &str {
        &self.row.name
    }

    /// What an admin agrees to by enabling it.
    fn asked(&self) -> Option<String> {
        let manifest = &self.found.as_ref().ok()?.manifest;
        Some(json!({ "asks": manifest.asks, "command": manifest.server.command }).to_string())
    }

    fn to_run(&self) -> Result<(Profile, ExtensionCommand), String> {
        let found = self.found.clone()?;
        Ok((profile(&found.manifest)?, found.command?))
    }
}

fn profile(manifest: &Manifest) -> Result<Profile, String> {
    let read = serde_json::to_value(manifest).and_then(serde_json::from_value);
    read.map_err(|error| error.to_string())
}

impl Shared {
    pub(super) fn installed(&self, row: PackageRow) -> Installed {
        let found = self.find(&row).map_err(|error| error.text);
        Installed { row, found }
    }

    fn find(&self, row: &PackageRow) -> Result<FoundPackage, PackageError> {
        let (package, platform) = self.places(row);
        let manifest = manifest(&package)?;
        let scripts = match &row.version {
            None => Vec::new(),
            Some(version) => PackageJson::read(&package, &row.name, version)?.install_scripts(),
        };
        if *manifest.name != *row.name {
            let text = format!("It is {:?} by now.", &*manifest.name);
            return Err(PackageError::new(Kind::Conflict, "another_package", text));
        }
        let command = command(&manifest, &[&package, &platform]);
        Ok(FoundPackage { manifest, scripts, command })
    }

    fn places(&self, row: &PackageRow) -> (PathBuf, PathBuf) {
        match (&row.version, row.source.strip_prefix("path:")) {
            (None, Some(folder)) => (PathBuf::from(folder), PathBuf::from(folder)),
            (version, _) => {
                let version = version.as_deref().unwrap_or_default();
                let folder = self.folders().version(&row.name, version);
                (folder.join(PACKAGE), folder.join(PLATFORM))
            }
        }
    }

    /// Starts what is to run under a name, in the place of what runs under it.
    pub(super) async fn run(&self, name: &str) -> Result<(), PackageError> {
        self.hosts.stop(name).await;
        let row = self.store.package(name.to_owned()).await?;
        let installed = row.filter(|row| row.enabled).map(|row| self.installed(row));
        let own = &self.built_in;
        let to_run = match installed.as_ref().map(Installed::to_run) {
            Some(Ok(to_run)) => Some(to_run),
            Some(Err(reason)) => {
                tracing::error!(name, reason, "installed extension not started");
                None
            }
            None => None,
        };
        let built_in =
            || (own.profile.name == name).then(|| (own.profile.clone(), own.command.clone()));
        let Some((profile, command)) = to_run.or_else(built_in) else { return Ok(()) };
        self.hosts.start(profile, command, &self.around).await?;
        Ok(())
    }

    pub(super) async fn install(&self, source: &Source) -> Result<Installed, PackageError> {
        let row = |name: &str, version: Option<String>| PackageRow {
            name: name.to_owned(),
            source: source.to_string(),
            version,
            previous: None,
            enabled: false,
            agreed: None,
            leaving: Leaving::No,
        };
        let row = match source {
            Source::Folder(folder) => {
                let manifest = manifest(folder)?;
                let folder = [folder.as_path()];
                command(&manifest, &folder).map_err(|why| {
                    let text = format!("The extension does not run on this machine: {why}.");
                    PackageError::refused("no_program", text)
                })?;
                self.is_free(&manifest.name).await?;
                row(&manifest.name, None)
            }
            Source::Npm { name, spec } => {
                self.is_free(name.as_str()).await?;
                let found = self.fetcher.choose(name, spec.as_deref()).await?;
                let version = found.version.to_string();
                let under_way = self.fetcher.fetch(&found).await?;
                self.put_in_place(&under_way.folder, name.as_str(), &version)?;
                row(name.as_str(), Some(version))
            }
        };
        self.store.put_package(row.clone()).await?;
        self.hosts.knows(&row.name, true);
        tracing::info!(name = %row.name, source = %row.source, "extension installed");
        Ok(self.installed(row))
    }

    fn put_in_place(&self, finished: &Path, name: &str, version: &str) -> Result<(), PackageError> {
        let kept = self.folders().keep(finished, name, version);
        kept.map_err(|error| PackageError::disk(&error))
    }

    async fn is_free(&self, name: &str) -> Result<(), PackageError> {
        let Some(row) = self.store.package(name.to_owned()).await? else { return Ok(()) };
        let text = format!(
            "{name} is installed already, from {}. Update it, or remove it first.",
            row.source
        );
        Err(PackageError::new(Kind::Conflict, "name_taken", text))
    }

    pub(super) async fn enable(&self, name: String) -> Result<Installed, PackageError> {
        let row = self.row(&name).await?;
        let installed = self.installed(row.clone());
        let (profile, _) = installed.to_run().map_err(|reason| unusable(&name, &reason))?;
        self.tools_are_free(&profile)?;
        let row = PackageRow { enabled: true, agreed: installed.asked(), ..row };
        self.store.put_package(row.clone()).await?;
        self.run(&name).await?;
        Ok(self.installed(row))
    }

    /// An agent could not tell two tools of one name apart.
    fn tools_are_free(&self, profile: &Profile) -> Result<(), PackageError> {
        for host in self.hosts.running() {
            let other = host.profile();
            let taken = |tool: &str| other.tools.iter().any(|it| it.name == tool);
            let twice = profile.tools.iter().find(|tool| taken(&tool.name));
            if let Some(tool) = twice.filter(|_| other.name != profile.name) {
                let text = format!(
                    "{} has a tool {:?} and so does {}. Disable that one first.",
                    profile.name, tool.name, other.name
                );
                return Err(PackageError::new(Kind::Conflict, "tool_taken", text));
            }
        }
        Ok(())
    }

    pub(super) async fn disable(&self, name: String) -> Result<Installed, PackageError> {
        let row = PackageRow { enabled: false, ..self.row(&name).await? };
        self.store.put_package(row.clone()).await?;
        self.run(&name).await?;
        Ok(self.installed(row))
    }

    pub(super) async fn update(&self, name: String) -> Result<Installed, PackageError> {
        let row = self.row(&name).await?;
        let Some(found) = self.newest(&row).await? else {
            let text =
                format!("{name} is used in place, from {}. There is nothing to fetch.", row.source);
            return Err(PackageError::new(Kind::Conflict, "not_from_registry", text));
        };
        let version = found.version.to_string();
        let is_newer = row.version.as_deref().is_some_and(|old| is_newer(&version, old));
        if !is_newer {
            let text = format!("{name} has its newest version already.");
            return Err(PackageError::new(Kind::Conflict, "up_to_date", text));
        }
        let under_way = self.fetcher.fetch(&found).await?;
        self.put_in_place(&under_way.folder, &name, &version)?;
        let dropped = row.previous.clone().filter(|it| *it != version);
        let row = PackageRow { previous: row.version.clone(), version: Some(version), ..row };
        self.change_version(row, dropped).await
    }

    pub(super) async fn roll_back(&self, name: String) -> Result<Installed, PackageError> {
        let row = self.row(&name).await?;
        let Some(previous) = row.previous.clone() else {
            let text = format!("There is no version of {name} to go back to.");
            return Err(PackageError::new(Kind::Conflict, "no_version_before", text));
        };
        let dropped = row.version.clone();
        let row = PackageRow { version: Some(previous), previous: None, ..row };
        self.change_version(row, dropped).await
    }

    /// A version that asks for something else than was agreed to waits until an admin has read it.
    async fn change_version(
        &self,
        row: PackageRow,
        dropped: Option<String>,
    ) -> Result<Installed, PackageError> {
        let mut installed = self.installed(row);
        if installed.asked() != installed.row.agreed {
            installed.row.enabled = false;
        }
        self.store.put_package(installed.row.clone()).await?;
        let name = installed.name().to_owned();
        self.run(&name).await?;
        if let Some(version) = dropped
            && let Err(error) = self.folders().throw_away_version(&name, &version)
        {
            tracing::warn!(%error, "old version not deleted, left for the next start");
        }
        Ok(installed)
    }

    pub(super) async fn remove(&self, name: String, with_data: bool) -> Result<(), PackageError> {
        let row = self.row(&name).await?;
        if with_data && name == self.built_in.profile.name {
            let text = format!(
                "The built-in extension {name} goes on with this data, so it stays. Remove the package \
                 without it."
            );
            return Err(PackageError::new(Kind::Conflict, "data_in_use", text));
        }
        let leaving = if with_data { Leaving::WithData } else { Leaving::KeepsData };
        let row = PackageRow { enabled: false, leaving, ..row };
        self.store.put_package(row.clone()).await?;
        self.hosts.stop(&name).await;
        self.finish_leaving(&row).await?;
        self.run(&name).await
    }

    /// Can be done again from the start when it was cut off.
    pub(super) async fn finish_leaving(&self, row: &PackageRow) -> Result<(), PackageError> {
        let disk = |error: std::io::Error| PackageError::disk(&error);
        if row.version.is_some() {
            self.folders().throw_away_package(&row.name).map_err(disk)?;
        }
        let with_data = row.leaving == Leaving::WithData;
        if with_data {
            self.folders().throw_away_data(&row.name).map_err(disk)?;
        }
        if row.name != self.built_in.profile.name {
            self.hosts.knows(&row.name, false);
        }
        self.store.forget_package(row.name.clone(), with_data).await?;
        Ok(())
    }

    /// None for what does not come from a registry.
    async fn newest(
        &self,
        row: &PackageRow,
    ) -> Result<Option<super::packument::Found>, PackageError> {
        let Source::Npm { name, spec } = Source::parse(&row.source)? else { return Ok(None) };
        let exact = spec.as_deref().is_some_and(|it| nodejs_semver::Version::parse(it).is_ok());
        let spec = spec.filter(|_| !exact);
        Ok(Some(self.fetcher.choose(&name, spec.as_deref()).await?))
    }

    pub(super) async fn newer(&self, row: &PackageRow) -> Option<Update> {
        let name = row.name.clone();
        match self.newest(row).await {
            Ok(None) => None,
            Ok(Some(found)) => {
                let version = found.version.to_string();
                let newer = row.version.as_deref().is_some_and(|old| is_newer(&version, old));
                newer.then_some(Update { name, version: Some(version), error: None })
            }
            Err(error) => Some(Update { name, version: None, error: Some(error.text) }),
        }
    }
}

fn is_newer(version: &str, than: &str) -> bool {
    let read = |text| nodejs_semver::Version::parse(text).ok();
    read(version).zip(read(than)).is_some_and(|(version, than)| version > than)
}

fn unusable(name: &str, reason: &str) -> PackageError {
    let text = format!("{name} cannot be enabled: {reason}.");
    PackageError::new(Kind::Conflict, "unusable", text)
}

impl From<&Installed> for Value {
    fn from(installed: &Installed) -> Self {
        let row = &installed.row;
        let mut value = json!({
            "name": row.name, "source": row.source, "version": row.version,
            "previous": row.previous, "enabled": row.enabled,
        });
        match &installed.found {
            Err(error) => value["error"] = error.clone().into(),
            Ok(found) => {
                let manifest = &found.manifest;
                value["title"] = (*manifest.title).into();
                value["version"] = (*manifest.version).into();
                value["description"] = (*manifest.description).into();
                value["license"] = (*manifest.license).into();
                value["homepage"] = (*manifest.homepage).into();
                value["command"] = json!(manifest.server.command.words());
                value["tools"] = json!(manifest.tools);
                value["asks"] = json!(manifest.asks);
                value["scripts"] = json!(found.scripts);
                if let Err(error) = &found.command {
                    value["error"] = format!("It does not run on this machine: {error}.").into();
                }
            }
        }
        value
    }
}
