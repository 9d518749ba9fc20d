//! The product in a real browser: the built binary, Chromium, and what a person does.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::float_cmp, reason = "lengths are compared with what the page said before")]

mod browser;
mod containment;
mod pixels;
mod portal;
mod sink;

mod delivery;
mod forgery;
mod gate;
mod height;
mod inside;
mod leaving;
mod network;
mod pages;
mod pictures;
mod round_trip;
mod small_portal;
mod theme;
mod typing;
mod updates;
mod waits;
