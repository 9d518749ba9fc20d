pub(crate) mod bench;
mod delivery;
mod late;
mod lifecycle;
mod outage;
mod request;
mod several;
