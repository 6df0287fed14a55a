//! Pieces of a list to remove: the whole list, its halves, their halves, down to single items.

use std::ops::Range;

/// All pieces, largest first. Sizes halve, so there are at most twice as many pieces as items.
pub fn chunks(length: usize) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut size = length;
    while size > 0 {
        let starts = (0..length).step_by(size);
        pieces.extend(starts.map(|start| start..(start + size).min(length)));
        size = if size == 1 { 0 } else { size.div_ceil(2) };
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_down_to_single_items() {
        assert_eq!(chunks(3), [0..3, 0..2, 2..3, 0..1, 1..2, 2..3]);
        assert_eq!(chunks(2), [0..2, 0..1, 1..2]);
    }

    #[test]
    fn nothing_has_no_pieces() {
        assert_eq!(chunks(0), []);
    }
}
