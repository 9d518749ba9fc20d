//! Puts every file of `page/` and `cards/` into the program, so that no list of them can be forgotten.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

const PAGE_TYPES: &[&str] = &["css", "html", "ico", "js", "png", "svg", "txt", "woff2"];

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("page.rs"), table(&root.join("page"), PAGE_TYPES)?)?;
    fs::write(out.join("cards.rs"), table(&root.join("cards"), &["html"])?)
}

/// A slice of (name, content) of the files directly in `folder`.
fn table(folder: &Path, types: &[&str]) -> io::Result<String> {
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    files.sort();
    let mut table = "&[\n".to_owned();
    for file in files {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let kind = file.extension().and_then(|kind| kind.to_str()).unwrap_or_default();
        if !file.is_file() || !types.contains(&kind) || name.contains(".test.") {
            continue;
        }
        println!("cargo:rerun-if-changed={}", file.display());
        let path = file.display().to_string();
        writeln!(table, "    ({name:?}, include_bytes!({path:?})),").map_err(io::Error::other)?;
    }
    table.push(']');
    Ok(table)
}
