use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tokio::io::{Stdin, Stdout};
use tokio::net::UnixListener;

/// The child's ends of a portal that started it.
pub(crate) fn stdio() -> (Stdin, Stdout) {
    (tokio::io::stdin(), tokio::io::stdout())
}

/// A socket in the file system, gone when this is dropped.
#[derive(Debug)]
pub(crate) struct SocketFile(PathBuf);

impl SocketFile {
    /// Binds a socket that only this user may open. A file that a dead process left is replaced; one
    /// that somebody answers at is an error.
    pub(crate) fn bind(path: &Path) -> io::Result<(UnixListener, Self)> {
        if std::os::unix::net::UnixStream::connect(path).is_ok() {
            return Err(io::Error::new(
                io::ErrorKind::AddrInUse,
                "another process serves this socket",
            ));
        }
        // Bound in a folder that nobody else may enter, and moved into place once its mode is set:
        // between bind and chmod it would be open to others.
        let name = path
            .file_name()
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
        let parent =
            path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let private = parent.join(format!(".inline-ui-{:016x}", rand::random::<u64>()));
        fs::DirBuilder::new().mode(0o700).create(&private)?;
        let bound = private.join(name);
        let listener = UnixListener::bind(&bound)
            .and_then(|listener| {
                fs::set_permissions(&bound, fs::Permissions::from_mode(0o600)).map(|()| listener)
            })
            .and_then(|listener| fs::rename(&bound, path).map(|()| listener));
        let _ = fs::remove_dir_all(&private);
        Ok((listener?, Self(path.to_owned())))
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_its_user_may_open_the_socket_and_a_dead_ones_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("link.sock");
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        let (_listener, file) = SocketFile::bind(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(
            SocketFile::bind(&path).err().map(|error| error.kind()),
            Some(io::ErrorKind::AddrInUse)
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        drop(file);
        assert!(!path.exists());
    }
}
