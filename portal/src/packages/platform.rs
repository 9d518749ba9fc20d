use serde::Deserialize;
use std::path::Path;

/// The machine as npm names it in a package's `os`, `cpu` and `libc`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Platform {
    pub(super) os: &'static str,
    pub(super) cpu: &'static str,
    /// Only Linux has one to tell of.
    pub(super) libc: Option<&'static str>,
}

/// What a package says that it runs on. Nothing said is anything.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct RunsOn {
    #[serde(default)]
    os: Names,
    #[serde(default)]
    cpu: Names,
    #[serde(default)]
    libc: Names,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(untagged)]
enum Names {
    #[default]
    Any,
    One(String),
    Several(Vec<String>),
}

impl Platform {
    pub(crate) fn here() -> Self {
        let os = match std::env::consts::OS {
            "macos" => "darwin",
            "windows" => "win32",
            os => os,
        };
        let cpu = match std::env::consts::ARCH {
            "x86_64" => "x64",
            "x86" => "ia32",
            "aarch64" => "arm64",
            "powerpc64" => "ppc64",
            "loongarch64" => "loong64",
            cpu => cpu,
        };
        let libc = (os == "linux").then(|| libc(Path::new("/")));
        Self { os, cpu, libc }
    }

    pub(super) fn runs(&self, package: &RunsOn) -> bool {
        package.os.allow(self.os)
            && package.cpu.allow(self.cpu)
            && match self.libc {
                Some(libc) => package.libc.allow(libc),
                None => matches!(package.libc, Names::Any),
            }
    }
}

impl std::fmt::Display for Platform {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.os, self.cpu)?;
        self.libc.map_or(Ok(()), |libc| write!(f, " {libc}"))
    }
}

impl Names {
    /// One of the names, or none of those with an exclamation mark.
    fn allow(&self, name: &str) -> bool {
        let names: Vec<&str> = match self {
            Self::Any => Vec::new(),
            Self::One(one) => vec![one],
            Self::Several(several) => several.iter().map(String::as_str).collect(),
        };
        if names.iter().any(|it| it.strip_prefix('!') == Some(name)) {
            return false;
        }
        let mut wanted = names.iter().filter(|it| !it.starts_with('!')).peekable();
        wanted.peek().is_none() || wanted.any(|it| *it == name || *it == "any")
    }
}

/// The C library that the machine's own shell is linked to: both may be installed, and this program
/// may be static. Without a shell it is the one this program was built for.
fn libc(root: &Path) -> &'static str {
    let read = |path: &str| {
        let mut head = Vec::new();
        let file = std::fs::File::open(root.join(path)).ok()?;
        std::io::Read::read_to_end(&mut std::io::Read::take(file, 4096), &mut head).ok()?;
        Some(head)
    };
    let has = |head: &[u8], name: &[u8]| head.windows(name.len()).any(|part| part == name);
    for path in ["bin/sh", "usr/bin/env"] {
        match read(path) {
            Some(head) if has(&head, b"/ld-musl-") => return "musl",
            Some(head) if has(&head, b"/ld-linux") || has(&head, b"/ld64.so") => return "glibc",
            Some(_) | None => {}
        }
    }
    if cfg!(target_env = "musl") { "musl" } else { "glibc" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const LINUX: Platform = Platform { os: "linux", cpu: "x64", libc: Some("glibc") };

    fn runs(platform: &Platform, package: Value) -> bool {
        platform.runs(&serde_json::from_value(package).unwrap())
    }

    #[test]
    fn a_package_runs_where_it_says_and_nowhere_else() {
        assert!(runs(&LINUX, json!({ "os": ["linux"], "cpu": ["x64"], "libc": ["glibc"] })));
        assert!(runs(&LINUX, json!({ "os": "linux", "cpu": ["arm64", "x64"] })));
        assert!(runs(&LINUX, json!({ "os": ["!win32"] })));
        assert!(runs(&LINUX, json!({})));
        for other in [
            json!({ "os": ["darwin"] }),
            json!({ "os": ["linux"], "cpu": ["arm64"] }),
            json!({ "os": ["linux"], "cpu": ["x64"], "libc": ["musl"] }),
            json!({ "os": ["!linux"] }),
            json!({ "os": ["Linux"] }),
        ] {
            assert!(!runs(&LINUX, other.clone()), "{other}");
        }
        let mac = Platform { os: "darwin", cpu: "arm64", libc: None };
        assert!(runs(&mac, json!({ "os": ["darwin"] })));
        assert!(!runs(&mac, json!({ "os": ["darwin"], "libc": ["glibc"] })));
    }

    #[test]
    fn the_c_library_is_that_of_the_machines_shell() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("bin")).unwrap();
        let shell = |text: &str| std::fs::write(root.path().join("bin/sh"), text).unwrap();
        shell("\x7fELF ... /lib/ld-musl-x86_64.so.1");
        assert_eq!(libc(root.path()), "musl");
        shell("\x7fELF ... /lib64/ld-linux-x86-64.so.2");
        assert_eq!(libc(root.path()), "glibc");
    }
}
