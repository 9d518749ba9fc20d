use super::access::NoAccess;
use super::failure::Asked;
use super::remote::{FIRST_PAUSE, Remote};
use super::{BadChoice, Choice, Model, ModelAccess, Provider};
use crate::store::{Store, StoreError};
use std::sync::Arc;

/// Where the choice stands among the settings; no extension has such a name.
const STORED_AS: &str = "portal:model";

/// Why a model cannot be chosen.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unavailable {
    #[error(transparent)]
    Choice(#[from] BadChoice),
    #[error(transparent)]
    Access(#[from] NoAccess),
    #[error("no connection can be made: {0}")]
    Client(String),
}

/// The models there are to choose from.
#[derive(Debug)]
pub(crate) struct Models {
    demo: Arc<dyn Model>,
    access: ModelAccess,
}

/// What is told of a provider.
#[derive(Debug, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProviderEntry {
    name: &'static str,
    title: &'static str,
    /// The environment variable of its key.
    key_variable: &'static str,
    key_set: bool,
    usual_model: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    /// Why it cannot be chosen as things stand.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<String>,
}

impl Models {
    pub(crate) fn new(demo: Arc<dyn Model>, access: ModelAccess) -> Self {
        Self { demo, access }
    }

    pub(crate) fn providers(&self) -> Vec<ProviderEntry> {
        let entry = |provider: Provider| ProviderEntry {
            name: provider.name(),
            title: provider.title(),
            key_variable: provider.key_variable(),
            key_set: self.access.has_key(provider),
            usual_model: provider.usual_model(),
            address: self.access.address(provider).ok(),
            missing: self.access.door(provider).err().map(|why| why.to_string()),
        };
        Provider::ALL.into_iter().map(entry).collect()
    }

    pub(crate) fn get(&self, choice: &Choice) -> Result<Arc<dyn Model>, Unavailable> {
        match choice {
            Choice::Demo => Ok(Arc::clone(&self.demo)),
            Choice::Remote { provider, model } => {
                let door = self.access.door(*provider)?;
                let asked = Asked { provider: *provider, model: model.clone(), door };
                let model = Remote::new(asked, FIRST_PAUSE).map_err(Unavailable::Client)?;
                Ok(Arc::new(model))
            }
        }
    }

    /// What was chosen in Settings. A choice that does not hold any more gives way to the demo model,
    /// so that the portal starts and another can be made.
    pub(crate) async fn stored(&self, store: &Store) -> Result<Arc<dyn Model>, StoreError> {
        let Some(stored) = store.settings(STORED_AS.to_owned()).await? else {
            return Ok(Arc::clone(&self.demo));
        };
        let text: String = serde_json::from_str(&stored).unwrap_or_default();
        let model = text.parse().map_err(Unavailable::from).and_then(|choice| self.get(&choice));
        Ok(model.unwrap_or_else(|error| {
            tracing::error!(%error, "chosen model not available, demo answers");
            Arc::clone(&self.demo)
        }))
    }

    pub(crate) async fn store(choice: &Choice, store: &Store) -> Result<(), StoreError> {
        let body = serde_json::Value::from(choice.to_string()).to_string();
        let change = move |_| Ok::<_, std::convert::Infallible>((body, ()));
        store.change_settings(STORED_AS.to_owned(), change).await.map(|_| ())
    }
}
