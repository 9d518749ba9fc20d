use crate::store::StoreError;

/// Why a package is not taken, or something is not done with it: a stable code, and what a person reads.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub(crate) struct PackageError {
    pub(crate) kind: Kind,
    pub(crate) code: &'static str,
    pub(crate) text: String,
}

/// Whose doing it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// What was asked for cannot be, whatever the package is.
    Asked,
    /// There is no such thing.
    Missing,
    /// It does not fit what is installed.
    Conflict,
    /// The package is not taken.
    Refused,
    /// The registry did not give what it should.
    Registry,
    /// This machine did not take it.
    Machine,
}

impl PackageError {
    pub(crate) fn new(kind: Kind, code: &'static str, text: impl Into<String>) -> Self {
        Self { kind, code, text: text.into() }
    }

    pub(super) fn refused(code: &'static str, text: impl Into<String>) -> Self {
        Self::new(Kind::Refused, code, text)
    }

    pub(super) fn registry(code: &'static str, text: impl Into<String>) -> Self {
        Self::new(Kind::Registry, code, text)
    }

    pub(super) fn disk(error: &std::io::Error) -> Self {
        let text = format!("The portal's data folder does not take it: {error}.");
        Self::new(Kind::Machine, "storage_unavailable", text)
    }
}

impl From<StoreError> for PackageError {
    fn from(error: StoreError) -> Self {
        let text = format!("The portal's database does not take it: {error}.");
        Self::new(Kind::Machine, "storage_unavailable", text)
    }
}
