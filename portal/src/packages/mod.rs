//! Extensions by name: found in a registry or in a folder, verified, unpacked, and shown to an admin
//! before any of their code runs.
//!
//! The database says what is installed, and folders are renamed into place before it does: whatever a
//! kill leaves half done is swept at the next start. An extension's data is no part of its package and
//! outlives it.

mod fetch;
mod folders;
mod installed;
mod integrity;
mod manifest;
mod package_json;
mod packument;
mod platform;
mod refusal;
mod registry;
mod source;
mod turns;
mod unpack;

pub(crate) use installed::Installed;
pub(crate) use manifest::is_name;
pub(crate) use refusal::{Kind, PackageError};
pub(crate) use registry::Hit;
pub use registry::RegistryConfig;

use crate::PortalError;
use crate::config::ExtensionCommand;
use crate::extension::{Hosts, Profile, Surroundings};
use crate::store::{Leaving, PackageRow, Store};
use fetch::Fetcher;
use folders::Folders;
use platform::Platform;
use registry::{FetchLimits, Registry};
use source::Source;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use turns::Turns;
use unpack::UnpackLimits;

/// The extension that comes with the portal.
#[derive(Debug, Clone)]
pub(crate) struct BuiltIn {
    pub(crate) profile: Profile,
    pub(crate) command: ExtensionCommand,
}

/// Everything that is installed, one change at a time.
#[derive(Debug, Clone)]
pub(crate) struct Packages {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    store: Arc<Store>,
    hosts: Hosts,
    around: Surroundings,
    built_in: BuiltIn,
    fetcher: Fetcher,
    turns: Turns,
}

/// A version that is newer than the installed one.
#[derive(Debug, Clone, serde::Serialize)]
pub(crate) struct Update {
    pub(crate) name: String,
    /// None when the registry could not be asked.
    pub(crate) version: Option<String>,
    pub(crate) error: Option<String>,
}

impl Packages {
    pub(crate) fn new(
        data: PathBuf,
        registry: &RegistryConfig,
        built_in: BuiltIn,
        store: Arc<Store>,
        hosts: Hosts,
        around: impl FnOnce(PathBuf) -> Surroundings,
    ) -> Result<Self, PortalError> {
        let registry = Registry::new(registry, FetchLimits::default())
            .map_err(|reason| PortalError::Registry { reason })?;
        let (platform, limits) = (Platform::here(), UnpackLimits::default());
        let fetcher = Fetcher { registry, folders: Folders::new(data), platform, limits };
        Ok(Self::over(fetcher, built_in, store, hosts, around))
    }

    fn over(
        fetcher: Fetcher,
        built_in: BuiltIn,
        store: Arc<Store>,
        hosts: Hosts,
        around: impl FnOnce(PathBuf) -> Surroundings,
    ) -> Self {
        let around = around(fetcher.folders.all_data());
        let turns = Turns::default();
        Self { shared: Arc::new(Shared { store, hosts, around, built_in, fetcher, turns }) }
    }

    /// Ends what a kill left half done, and starts what is enabled.
    pub(crate) async fn start(&self) -> Result<(), PackageError> {
        let shared = &self.shared;
        let built_in = shared.built_in.profile.name.clone();
        shared.store.name_first_extension(built_in.clone()).await?;
        let disk = |error: std::io::Error| PackageError::disk(&error);
        shared.folders().move_old_data().map_err(disk)?;
        for row in shared.store.packages().await? {
            if row.leaving != Leaving::No {
                shared.finish_leaving(&row).await?;
            }
        }
        let rows = shared.store.packages().await?;
        let kept: BTreeSet<(String, String)> = rows
            .iter()
            .flat_map(|row| {
                [&row.version, &row.previous].map(|it| Some((row.name.clone(), it.clone()?)))
            })
            .flatten()
            .collect();
        let folders = shared.folders().clone();
        let swept = tokio::task::spawn_blocking(move || folders.sweep(&kept)).await;
        swept.map_err(|error| disk(std::io::Error::other(error)))?.map_err(disk)?;
        shared.hosts.knows(&built_in, true);
        shared.run(&built_in).await?;
        for row in rows {
            shared.hosts.knows(&row.name, true);
            if row.enabled && row.name != built_in {
                shared.run(&row.name).await?;
            }
        }
        Ok(())
    }

    pub(crate) async fn search(&self, words: &str) -> Result<Vec<Hit>, PackageError> {
        self.shared.fetcher.registry.search(words).await
    }

    /// Everything that is installed, whether it runs or not.
    pub(crate) async fn all(&self) -> Result<Vec<Installed>, PackageError> {
        let rows = self.shared.store.packages().await?;
        Ok(rows.into_iter().map(|row| self.shared.installed(row)).collect())
    }

    /// Installed and not enabled: what it asks for is to be read first.
    pub(crate) async fn install(&self, source: &str) -> Result<Installed, PackageError> {
        let source = Source::parse(source)?;
        self.do_whole(move |shared| async move { shared.install(&source).await }).await
    }

    pub(crate) async fn enable(&self, name: String) -> Result<Installed, PackageError> {
        self.do_whole(move |shared| async move { shared.enable(name).await }).await
    }

    pub(crate) async fn disable(&self, name: String) -> Result<Installed, PackageError> {
        self.do_whole(move |shared| async move { shared.disable(name).await }).await
    }

    /// To the newest version that was asked for when it was installed, or to the newest of all if that was
    /// an exact one.
    pub(crate) async fn update(&self, name: String) -> Result<Installed, PackageError> {
        self.do_whole(move |shared| async move { shared.update(name).await }).await
    }

    pub(crate) async fn roll_back(&self, name: String) -> Result<Installed, PackageError> {
        self.do_whole(move |shared| async move { shared.roll_back(name).await }).await
    }

    pub(crate) async fn remove(&self, name: String, with_data: bool) -> Result<(), PackageError> {
        self.do_whole(move |shared| async move { shared.remove(name, with_data).await }).await
    }

    /// The newer versions that the registry has.
    pub(crate) async fn updates(&self) -> Result<Vec<Update>, PackageError> {
        let rows = self.shared.store.packages().await?;
        let looked = rows.iter().map(|row| self.shared.newer(row));
        Ok(futures_util::future::join_all(looked).await.into_iter().flatten().collect())
    }

    /// One change after the other, and each to its end although nobody waits for it any more.
    async fn do_whole<T, F>(
        &self,
        change: impl FnOnce(Arc<Shared>) -> F + Send + 'static,
    ) -> Result<T, PackageError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, PackageError>> + Send,
    {
        let shared = Arc::clone(&self.shared);
        let whole = async move {
            let _turn = shared.turns.next().await;
            change(Arc::clone(&shared)).await
        };
        let done = tokio::spawn(whole).await;
        done.map_err(|error| PackageError::disk(&std::io::Error::other(error)))?
    }
}

impl Shared {
    fn folders(&self) -> &Folders {
        &self.fetcher.folders
    }

    async fn row(&self, name: &str) -> Result<PackageRow, PackageError> {
        let row = self.store.package(name.to_owned()).await?;
        row.ok_or_else(|| {
            let text = format!("No extension {name:?} is installed.");
            PackageError::new(Kind::Missing, "unknown_extension", text)
        })
    }
}

#[cfg(test)]
mod tests;
