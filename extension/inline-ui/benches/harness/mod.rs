//! What both benches need: the built program under a scripted portal, and a client that posts to it.

mod client;
mod portal;
mod proc;

pub(crate) use client::{Http, Job, Run, exchange_all};
pub(crate) use portal::{ORIGIN, Portal, Speaker};
pub(crate) use proc::{kib, processor_time};
