//! Stable hashes: the same on every machine and in every release. They identify cases, shapes and findings.

use sha2::{Digest, Sha256};

/// An incremental 64-bit hash (FNV-1a with a final mix).
#[derive(Clone, Copy, Debug)]
pub struct Stable(u64);

impl Default for Stable {
    fn default() -> Self {
        Stable(0xcbf2_9ce4_8422_2325)
    }
}

impl Stable {
    pub fn text(mut self, text: &str) -> Stable {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        // A separator, so that "a" + "bc" differs from "ab" + "c".
        self.number(text.len() as u64)
    }

    pub fn number(mut self, number: u64) -> Stable {
        self.0 = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 ^= self.0 >> 29;
        self
    }

    pub fn finish(self) -> u64 {
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }
}

/// The hash of one text.
pub fn hash(text: &str) -> u64 {
    Stable::default().text(text).finish()
}

/// Twelve hexadecimal digits for several texts, without collisions among millions.
pub fn name(parts: &[&str]) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part.as_bytes());
    }
    let bytes = digest.finalize();
    bytes.iter().take(6).map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_told_apart() {
        let two = |a, b| Stable::default().text(a).text(b).finish();
        assert_eq!(two("a", "bc"), two("a", "bc"));
        assert_ne!(two("a", "bc"), two("ab", "c"));
        assert_ne!(name(&["a", "bc"]), name(&["ab", "c"]));
        assert_eq!(name(&["x"]).len(), 12);
    }
}
