//! The product in a real browser: the built binary, Chromium or Firefox, and what a person does.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::float_cmp, reason = "lengths are compared with what the page said before")]

mod browser;
mod containment;
mod engine;
mod pixels;
mod portal;
mod process;
mod sink;

mod access;
mod bank;
mod closing;
mod delivery;
mod errors;
mod extensions;
mod forgery;
mod full_screen;
mod gallery;
mod gate;
mod height;
mod inside;
mod leaving;
mod many;
mod network;
mod odd_cards;
mod pages;
mod pictures;
mod portal_page;
mod round_trip;
mod small_portal;
mod surviving;
mod theme;
mod typing;
mod unsent;
mod updates;
mod waits;
