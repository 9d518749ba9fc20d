pub(crate) mod bench;
mod delivery;
mod gateway;
mod late;
mod lifecycle;
mod outage;
mod request;
mod several;
