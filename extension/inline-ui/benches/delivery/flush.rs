//! The floor of a durable write: a small piece of a file, flushed to the disk that holds the store.

use crate::harness::Run;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

const PIECE: [u8; 8_192] = [7; 8_192];

pub(crate) fn run(folder: &Path) -> Run {
    let mut file = std::fs::File::create(folder.join("flush")).unwrap();
    let start = Instant::now();
    let latencies = (0..200)
        .map(|_| {
            let began = Instant::now();
            file.write_all(&PIECE).unwrap();
            file.sync_data().unwrap();
            began.elapsed()
        })
        .collect();
    Run::new(start.elapsed(), latencies)
}
