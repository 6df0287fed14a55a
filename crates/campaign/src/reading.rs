//! Reads untrusted files: regular files only, up to a limit.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// The most bytes read of any file: far more than a script that a solver answers.
pub const LARGEST: u64 = 512 << 20;

/// The bytes of a regular file of at most `largest` bytes. Devices and pipes may have no end, or block forever.
pub fn read_within(path: &Path, largest: u64) -> Result<Vec<u8>> {
    let data = std::fs::metadata(path)?;
    if data.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if !data.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "not a regular file"));
    }
    read_all(File::open(path)?, largest)
}

/// Reads a source that ends within a limit.
pub fn read_all(source: impl Read, largest: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source
        .take(largest.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > largest {
        let text = format!("larger than {largest} bytes");
        return Err(Error::new(ErrorKind::FileTooLarge, text));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn plain_files_within_the_limit_are_read() {
        let scratch = Scratch::new();
        let path = scratch.path().join("x");
        std::fs::write(&path, "abc").unwrap();
        assert_eq!(read_within(&path, 3).unwrap(), b"abc");
        assert!(read_within(&path, 2).is_err());
        assert!(read_all(std::io::repeat(0), 1000).is_err());
    }

    #[test]
    fn devices_and_folders_are_not() {
        for path in ["/dev/zero", "/dev/null", "/"] {
            assert!(read_within(Path::new(path), LARGEST).is_err(), "{path}");
        }
    }
}
