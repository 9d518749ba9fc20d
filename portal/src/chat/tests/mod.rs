pub(crate) mod bench;
mod delivery;
mod lifecycle;
mod outage;
