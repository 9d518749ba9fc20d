use super::*;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use tar::{Builder, Header};
use tempfile::TempDir;

const LIMITS: UnpackLimits =
    UnpackLimits { entries: 20, one_file: 100_000, all: 300_000, ratio: 50, free: 50_000 };

/// A header as it is, whatever the path.
fn header(path: &[u8], kind: EntryType, size: u64) -> Header {
    let mut header = Header::new_ustar();
    header.set_size(size);
    header.set_mode(0o644);
    header.set_entry_type(kind);
    header.as_mut_bytes()[..path.len()].copy_from_slice(path);
    header.set_cksum();
    header
}

fn gzip(tar: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(tar).unwrap();
    packed.finish().unwrap()
}

fn archive(entries: &[(Header, Vec<u8>)]) -> Vec<u8> {
    let mut tar = Builder::new(Vec::new());
    for (header, data) in entries {
        tar.append(header, &data[..]).unwrap();
    }
    tar.into_inner().unwrap()
}

fn file(path: &str, text: &str) -> (Header, Vec<u8>) {
    (header(path.as_bytes(), EntryType::Regular, text.len() as u64), text.as_bytes().to_vec())
}

fn odd(path: &str, kind: EntryType, link: &str) -> (Header, Vec<u8>) {
    let mut it = header(path.as_bytes(), kind, 0);
    if !link.is_empty() {
        it.set_link_name_literal(link).unwrap();
        it.set_cksum();
    }
    (it, vec![])
}

fn pax(records: &[(&str, &[u8])]) -> (Header, Vec<u8>) {
    let mut data = Vec::new();
    for (key, value) in records {
        let rest = key.len() + value.len() + 3;
        let mut length = rest + 1;
        while length != rest + length.to_string().len() {
            length = rest + length.to_string().len();
        }
        data.extend_from_slice(format!("{length} {key}=").as_bytes());
        data.extend_from_slice(value);
        data.push(b'\n');
    }
    (header(b"pax", EntryType::XHeader, data.len() as u64), data)
}

fn unpack_bytes(packed: &[u8]) -> (TempDir, Result<(), PackageError>) {
    let root = tempfile::tempdir().unwrap();
    let done = unpack(packed, packed.len() as u64, &root.path().join("in/it"), LIMITS);
    (root, done)
}

fn unpacked(entries: &[(Header, Vec<u8>)]) -> (TempDir, Result<(), PackageError>) {
    unpack_bytes(&gzip(&archive(entries)))
}

/// The code of the refusal; and nothing stands outside of the one folder.
fn refused(entries: &[(Header, Vec<u8>)]) -> &'static str {
    let (root, done) = unpacked(entries);
    let outside: Vec<_> = std::fs::read_dir(root.path()).unwrap().flatten().collect();
    assert!(outside.iter().all(|entry| entry.file_name() == "in"), "{outside:?}");
    let inside: Vec<_> = std::fs::read_dir(root.path().join("in")).unwrap().flatten().collect();
    assert!(inside.iter().all(|entry| entry.file_name() == "it"), "{inside:?}");
    done.map_or_else(|error| error.code, |()| "taken")
}

#[test]
fn files_and_folders_below_package_are_written_and_programs_stay_programs() {
    let mut program = header(b"package/bin/tea", EntryType::Regular, 2);
    program.set_mode(0o4777);
    program.set_cksum();
    let long = format!("package/{}/{}.js", "d".repeat(120), "f".repeat(120));
    let (root, done) = unpacked(&[
        odd("package/", EntryType::Directory, ""),
        odd("package/empty/", EntryType::Directory, ""),
        file("package/manifest.json", "{}"),
        (program, b"#!".to_vec()),
        pax(&[("path", long.as_bytes()), ("mtime", b"1.5")]),
        file("package/x", "long"),
        file("package/größe.txt", "ä"),
    ]);
    done.unwrap();
    let it = root.path().join("in/it");
    assert!(it.join("empty").is_dir());
    assert_eq!(std::fs::read_to_string(it.join("manifest.json")).unwrap(), "{}");
    assert_eq!(std::fs::read_to_string(it.join(&long["package/".len()..])).unwrap(), "long");
    assert_eq!(std::fs::read_to_string(it.join("größe.txt")).unwrap(), "ä");
    #[cfg(unix)]
    {
        let mode = |path: &str| {
            std::os::unix::fs::PermissionsExt::mode(
                &it.join(path).metadata().unwrap().permissions(),
            )
        };
        assert_eq!(mode("bin/tea") & 0o6111, 0o111, "no set-user-id");
        assert_eq!(mode("manifest.json") & 0o111, 0);
    }
}

#[test]
fn a_path_that_could_lead_elsewhere_is_refused() {
    for path in [
        "../evil",
        "package/../evil",
        "package/../../evil",
        "/evil",
        "//evil",
        "package//evil",
        "package/./a",
        "package/a/../../../evil",
        "package\\..\\evil",
        "package/..\\evil",
        "package/a\\b",
        "C:\\evil",
        "package/C:evil",
        "evil",
        "packages/a",
        "Package/a",
        "package",
        "package/",
        "./package/a",
        "",
        "package/a/",
        "package/a\nb",
        "package/a\u{7f}",
        "package/trailing.",
        "package/space ",
        "..",
        "package/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q",
    ] {
        assert_eq!(refused(&[file(path, "x")]), "bad_path", "{path:?}");
    }
    let bytes = header(b"package/\xff\xfe", EntryType::Regular, 1);
    assert_eq!(refused(&[(bytes, vec![b'x'])]), "bad_path", "not UTF-8");
}

#[test]
fn a_path_in_an_extended_header_is_held_to_the_same() {
    let with = |path: &str| refused(&[pax(&[("path", path.as_bytes())]), file("package/a", "x")]);
    assert_eq!(with("package/fine"), "taken");
    for path in ["../evil", "/evil", "package/../../evil"] {
        assert_eq!(with(path), "bad_path", "{path}");
    }
    let records: [&[(&str, &[u8])]; 3] =
        [&[("size", b"9")], &[("GNU.sparse.major", b"1")], &[("path", b"package/\xff")]];
    for records in records {
        assert_eq!(refused(&[pax(records), file("package/a", "x")]), "bad_tarball", "{records:?}");
    }
    let (mut too_long, mut data) = pax(&[("comment", &vec![b'a'; 70_000])]);
    assert_eq!(refused(&[(too_long.clone(), data.clone()), file("package/a", "x")]), "bad_tarball");
    data.truncate(20);
    too_long.set_size(20);
    too_long.set_cksum();
    assert_eq!(refused(&[(too_long, data), file("package/a", "x")]), "bad_tarball", "cut off");
}

#[test]
fn links_devices_pipes_and_names_in_old_forms_are_refused() {
    for (kind, link) in [
        (EntryType::Symlink, "/etc/passwd"),
        (EntryType::Symlink, "manifest.json"),
        (EntryType::Link, "/etc/passwd"),
        (EntryType::Link, "package/manifest.json"),
        (EntryType::Char, ""),
        (EntryType::Block, ""),
        (EntryType::Fifo, ""),
        (EntryType::Continuous, ""),
        (EntryType::GNUSparse, ""),
        (EntryType::GNULongName, ""),
        (EntryType::GNULongLink, ""),
        (EntryType::new(b'V'), ""),
    ] {
        let entries = [file("package/manifest.json", "{}"), odd("package/it", kind, link)];
        assert_eq!(refused(&entries), "special_file", "{kind:?}");
    }
    // A file that would be written through a link finds no link there.
    let through = [odd("package/out", EntryType::Symlink, "/tmp"), file("package/out/evil", "x")];
    assert_eq!(refused(&through), "special_file");
}

#[test]
fn a_path_that_comes_twice_is_refused() {
    let both = |first: &str, second: &str| refused(&[file(first, "x"), file(second, "y")]);
    for (first, second) in [
        ("package/a", "package/a"),
        ("package/a", "package/A"),
        ("package/GRÖẞE", "package/größe"),
        ("package/a", "package/a/b"),
        ("package/a/b", "package/a"),
        ("package/A/b", "package/a"),
    ] {
        assert_eq!(both(first, second), "duplicate_path", "{first} {second}");
    }
    assert_eq!(both("package/a", "package/b"), "taken");
    assert_eq!(both("package/a/b", "package/a/c"), "taken");
}

#[test]
fn bombs_are_refused_before_they_fill_anything() {
    let zeros = |bytes: usize| "\0".repeat(bytes);
    assert_eq!(refused(&[file("package/a", &zeros(40_000))]), "taken", "small ones may be zeros");
    assert_eq!(refused(&[file("package/a", &zeros(90_000))]), "unpacks_too_large", "the ratio");
    assert_eq!(refused(&[file("package/a", &zeros(100_001))]), "file_too_large");
    let noise = |n: u32| -> String {
        let mut state = n.wrapping_mul(2_654_435_761) | 1;
        let step = |_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from(b' ' + (state >> 24) as u8 % 90)
        };
        (0..90_000).map(step).collect()
    };
    let several: Vec<_> = (0..4).map(|n| file(&format!("package/{n}"), &noise(n))).collect();
    assert_eq!(refused(&several[..3]), "taken");
    assert_eq!(refused(&several), "unpacks_too_large", "all together");
    let many: Vec<_> = (0..21).map(|n| file(&format!("package/{n}"), "")).collect();
    assert_eq!(refused(&many[..20]), "taken");
    assert_eq!(refused(&many), "too_many_files");
    let huge = header(b"package/a", EntryType::Regular, 1 << 60);
    assert_eq!(refused(&[(huge, vec![0; 100])]), "file_too_large");
    // Nothing but headers, each of which is read and none of which is a file.
    let headers: Vec<_> = (0..2000).map(|_| pax(&[("comment", &[b'a'; 200])])).collect();
    assert_eq!(refused(&headers), "unpacks_too_large");
}

#[test]
fn a_tarball_that_is_cut_off_or_is_none_is_refused() {
    let whole = gzip(&archive(&[file("package/a", &"text ".repeat(2000))]));
    assert!(unpack_bytes(&whole).1.is_ok());
    for cut in [0, 1, 10, whole.len() / 2, whole.len() - 9, whole.len() - 4, whole.len() - 1] {
        let code = unpack_bytes(&whole[..cut]).1.unwrap_err().code;
        assert_eq!(code, "bad_tarball", "{cut} of {}", whole.len());
    }
    let mut spoiled = whole.clone();
    let last = spoiled.len() - 6;
    spoiled[last] ^= 1;
    assert_eq!(unpack_bytes(&spoiled).1.unwrap_err().code, "bad_tarball", "its checksum");
    for bytes in [&b"not gzip at all"[..], &gzip(b"gzip, but not tar: ".repeat(60).as_slice())] {
        assert_eq!(unpack_bytes(bytes).1.unwrap_err().code, "bad_tarball");
    }
    assert_eq!(unpack_bytes(&gzip(&archive(&[]))).1.unwrap_err().code, "empty_package");
}
