//! A tarball is taken apart as if its author meant harm: nothing it says decides where a byte is
//! written but plain names below one new folder.

use super::refusal::PackageError;
use flate2::bufread::GzDecoder;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};
use tar::{Archive, Entry, EntryType};

/// What a package may unpack to.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnpackLimits {
    /// Files and folders.
    pub(super) entries: usize,
    pub(super) one_file: u64,
    pub(super) all: u64,
    /// Unpacked bytes for each packed one, once there are more than `free` of them.
    pub(super) ratio: u64,
    pub(super) free: u64,
}

impl Default for UnpackLimits {
    fn default() -> Self {
        Self { entries: 5_000, one_file: 256 << 20, all: 512 << 20, ratio: 200, free: 8 << 20 }
    }
}

const LONGEST_PATH: usize = 512;
const LONGEST_PART: usize = 200;
const DEEPEST: usize = 16;
/// Of a pax header, which is read whole.
const LARGEST_HEADER: u64 = 65_536;
/// The one folder of an npm package.
const ROOT: &str = "package";

/// Writes the files below `package/` into `folder`, which must not be there.
pub(super) fn unpack(
    packed: impl BufRead,
    packed_size: u64,
    folder: &Path,
    limits: UnpackLimits,
) -> Result<(), PackageError> {
    let most = limits.all.min(limits.free.max(packed_size.saturating_mul(limits.ratio)));
    // Headers and padding count too, so that no archive can be only those.
    let counted = Counted { inner: GzDecoder::new(packed), left: most };
    let mut archive = Archive::new(counted);
    let mut unpacked = Unpacked { folder, limits, names: BTreeSet::new(), seen: BTreeMap::new() };
    make_folder(folder).map_err(|error| PackageError::disk(&error))?;
    let mut path = None;
    for entry in archive.entries().map_err(broken)?.raw(true) {
        let mut entry = entry.map_err(broken)?;
        match entry.header().entry_type() {
            EntryType::XHeader => path = extended(&mut entry)?,
            EntryType::XGlobalHeader => {
                extended(&mut entry)?;
            }
            kind => {
                let path =
                    path.take().map_or_else(|| entry.path_bytes().into_owned(), String::into_bytes);
                unpacked.put(kind, &path, &mut entry)?;
            }
        }
    }
    // The checksum of the compressed data stands at its end.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(broken)?;
    if unpacked.seen.is_empty() {
        return Err(PackageError::refused("empty_package", "The tarball has no files in it."));
    }
    Ok(())
}

struct Unpacked<'a> {
    folder: &'a Path,
    limits: UnpackLimits,
    /// In small letters: on some disks `A` and `a` are one file.
    names: BTreeSet<String>,
    /// Every path in small letters, and whether it is a folder.
    seen: BTreeMap<String, bool>,
}

impl Unpacked<'_> {
    fn put(
        &mut self,
        kind: EntryType,
        path: &[u8],
        entry: &mut Entry<impl Read>,
    ) -> Result<(), PackageError> {
        let shown = String::from_utf8_lossy(path).into_owned();
        let is_folder = match kind {
            EntryType::Regular => false,
            EntryType::Directory => true,
            other => {
                let what = describe(other);
                let text = format!(
                    "The tarball has {what} in it, {shown:?}. Only files and folders are taken."
                );
                return Err(PackageError::refused("special_file", text));
            }
        };
        let path = std::str::from_utf8(path).map_err(|_| bad_path(&shown))?;
        let parts = parts(path, is_folder).ok_or_else(|| bad_path(&shown))?;
        if self.seen.len() >= self.limits.entries {
            let text =
                format!("The tarball has more than {} files and folders.", self.limits.entries);
            return Err(PackageError::refused("too_many_files", text));
        }
        self.remember(&parts, is_folder, &shown)?;
        let target =
            parts.iter().fold(self.folder.to_owned(), |path: PathBuf, part| path.join(part));
        let disk = |error: io::Error| PackageError::disk(&error);
        if is_folder {
            return make_folder(&target).map_err(disk);
        }
        if let Some(parent) = target.parent() {
            make_folder(parent).map_err(disk)?;
        }
        self.write(&target, entry, &shown)
    }

    fn write(
        &self,
        target: &Path,
        entry: &mut Entry<impl Read>,
        shown: &str,
    ) -> Result<(), PackageError> {
        let size = entry.header().size().map_err(broken)?;
        if size > self.limits.one_file {
            let text = format!(
                "{shown} has {size} bytes; a file of a package may have {}.",
                self.limits.one_file
            );
            return Err(PackageError::refused("file_too_large", text));
        }
        let runs = entry.header().mode().is_ok_and(|mode| mode & 0o111 != 0);
        let mut file = create(target, runs).map_err(|error| PackageError::disk(&error))?;
        let mut left = size;
        let mut piece = vec![0; 65_536];
        while left > 0 {
            let read = entry.read(&mut piece).map_err(broken)?;
            if read == 0 {
                return Err(broken(io::ErrorKind::UnexpectedEof.into()));
            }
            io::Write::write_all(&mut file, &piece[..read])
                .map_err(|error| PackageError::disk(&error))?;
            left -= read as u64;
        }
        file.sync_all().map_err(|error| PackageError::disk(&error))
    }

    /// No path twice, and none below a file.
    fn remember(
        &mut self,
        parts: &[&str],
        is_folder: bool,
        shown: &str,
    ) -> Result<(), PackageError> {
        let twice = || {
            let text =
                format!("The tarball has {shown:?} twice, or once as a file and once as a folder.");
            PackageError::refused("duplicate_path", text)
        };
        let parts: Vec<String> = parts.iter().map(|part| part.to_lowercase()).collect();
        for depth in 1..parts.len() {
            let above = parts[..depth].join("/");
            if self.seen.get(&above) == Some(&false) {
                return Err(twice());
            }
            self.names.insert(above);
        }
        let whole = parts.join("/");
        if !is_folder && self.names.contains(&whole) || self.seen.contains_key(&whole) {
            return Err(twice());
        }
        self.seen.insert(whole, is_folder);
        Ok(())
    }
}

/// The path that a pax header gives to the next entry. Nothing else in one is needed, and a size
/// that differs from the entry's own would be a way to hide something.
fn extended(entry: &mut Entry<impl Read>) -> Result<Option<String>, PackageError> {
    let bad = |why: &str| {
        PackageError::refused("bad_tarball", format!("The tarball has a header that {why}."))
    };
    let size = entry.header().size().map_err(broken)?;
    if size > LARGEST_HEADER {
        return Err(bad("is too long"));
    }
    let mut bytes = Vec::new();
    entry.read_to_end(&mut bytes).map_err(broken)?;
    let mut path = None;
    for record in tar::PaxExtensions::new(&bytes) {
        let record = record.map_err(|_| bad("is not understood"))?;
        match record.key_bytes() {
            b"path" => {
                let text = record.value().map_err(|_| bad("names a path that is not UTF-8"))?;
                path = Some(text.to_owned());
            }
            b"size" => return Err(bad("gives a file another size than its own")),
            key if key.starts_with(b"GNU.sparse") => {
                return Err(bad("makes a file with holes"));
            }
            _ => {}
        }
    }
    Ok(path)
}

/// The names below `package/`; none when the path could lead anywhere else.
fn parts(path: &str, is_folder: bool) -> Option<Vec<&str>> {
    let path = if is_folder { path.strip_suffix('/').unwrap_or(path) } else { path };
    if path.len() > LONGEST_PATH {
        return None;
    }
    let mut parts = path.split('/');
    if parts.next() != Some(ROOT) {
        return None;
    }
    let parts: Vec<&str> = parts.collect();
    let plain = |part: &str| {
        !part.is_empty()
            && part.len() <= LONGEST_PART
            // `.` and `..` are among those.
            && !part.ends_with(['.', ' '])
            && !part.chars().any(|c| c.is_control() || matches!(c, '\\' | ':'))
    };
    if parts.len() > DEEPEST
        || !parts.iter().all(|part| plain(part))
        || parts.is_empty() && !is_folder
    {
        return None;
    }
    Some(parts)
}

fn describe(kind: EntryType) -> &'static str {
    match kind {
        EntryType::Symlink => "a symbolic link",
        EntryType::Link => "a hard link",
        EntryType::Char | EntryType::Block => "a device",
        EntryType::Fifo => "a pipe",
        EntryType::GNULongName | EntryType::GNULongLink => "a name in an old form",
        _ => "something that is neither file nor folder",
    }
}

fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o755);
    builder.create(path)
}

fn create(path: &Path, runs: bool) -> io::Result<std::fs::File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, if runs { 0o755 } else { 0o644 });
    #[cfg(not(unix))]
    let _ = runs;
    options.open(path)
}

/// Ends a stream that gives more than it may.
struct Counted<R> {
    inner: R,
    left: u64,
}

#[derive(Debug, thiserror::Error)]
#[error("it unpacks to too much")]
struct TooMuch;

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| io::Error::other(TooMuch))?;
        Ok(read)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it stands in map_err")]
fn broken(error: io::Error) -> PackageError {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(it) = cause {
        let inner = it.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        if it.is::<TooMuch>()
            || inner.is_some_and(<dyn std::error::Error + Send + Sync>::is::<TooMuch>)
        {
            let text = "The tarball unpacks to more than it may, or to far more than its own size.";
            return PackageError::refused("unpacks_too_large", text);
        }
        cause = it.source();
    }
    PackageError::refused("bad_tarball", format!("The tarball cannot be unpacked: {error}."))
}

fn bad_path(shown: &str) -> PackageError {
    let text = format!(
        "The tarball has a path that is not taken, {shown:?}. Everything lies below {ROOT}/, in \
         plain names."
    );
    PackageError::refused("bad_path", text)
}

#[cfg(test)]
mod tests;
