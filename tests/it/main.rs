//! The built program under a scripted portal, through what is public: the link, the routes, the
//! command line. Build it first: `cargo build -p inline-ui`.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a harness that fails is a test that fails"
)]

mod harness;

mod admission;
mod answers;
mod broken_portals;
mod chats;
mod checks;
mod command_line;
mod crash;
mod delivery;
mod disk;
mod documented;
mod documents;
mod durability;
mod errors;
mod frames;
mod hints;
mod interleavings;
mod limits_cards;
mod limits_data;
mod limits_message;
mod limits_rates;
mod link_end;
mod link_lines;
mod link_start;
mod manifest;
mod many_pages;
mod page_half;
mod payloads;
mod questions;
mod request_bodies;
mod request_guards;
mod session;
mod settings;
mod socket;
mod streams;
mod tools;
mod waits;
mod wakes;
