//! Puts the page half's modules into the program, so that no list of them can be forgotten.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("page.rs"), modules(&manifest.join("../../bridge-js"))?)
}

/// A slice of (name, content) of the modules in `folder`. `card.js` is no module: it goes into cards.
fn modules(folder: &Path) -> io::Result<String> {
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    files.sort();
    let mut table = "&[\n".to_owned();
    for file in files {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if file.extension().is_some_and(|kind| kind == "js") && name != "card.js" {
            println!("cargo:rerun-if-changed={}", file.display());
            writeln!(table, "    ({name:?}, include_str!({:?})),", file.display().to_string())
                .map_err(io::Error::other)?;
        }
    }
    table.push(']');
    Ok(table)
}
