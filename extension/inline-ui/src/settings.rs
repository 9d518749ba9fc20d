use inline_ui_core::Settings;
use tokio::sync::watch;

/// The settings in force, for whoever needs them now or wants to hear of changes.
#[derive(Debug, Clone)]
pub(crate) struct SettingsWatch(watch::Sender<Settings>);

impl SettingsWatch {
    pub(crate) fn new(settings: Settings) -> Self {
        Self(watch::Sender::new(settings))
    }

    pub(crate) fn now(&self) -> Settings {
        *self.0.borrow()
    }

    pub(crate) fn set(&self, settings: Settings) {
        self.0.send_replace(settings);
    }

    pub(crate) fn changes(&self) -> watch::Receiver<Settings> {
        self.0.subscribe()
    }
}
