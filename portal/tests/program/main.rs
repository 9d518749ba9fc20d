//! The built program `inline-ui portal` with its real extension, killed, stopped and hung. Build it
//! first: `cargo build -p inline-ui`, or name it in `INLINE_UI_BIN`.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "these are tests, helpers and all")]

mod chat;
mod chats;
mod context;
mod failing;
mod gateway;
mod hangs;
mod http;
mod installs;
mod kills;
mod ledger;
mod many;
mod program;
mod real;
#[expect(dead_code, reason = "the tests of the packages serve badly too")]
mod registry;
#[expect(dead_code, reason = "tests beside the code script more")]
#[path = "../../src/model/tests/server.rs"]
mod server;
mod stops;
