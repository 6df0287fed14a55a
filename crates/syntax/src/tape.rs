//! The tape: nodes of s-expressions in pre-order, 16 bytes each, one allocation for all.

/// What a node is. Literals of dialects that have no kind of their own are symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    List,
    Symbol,
    QuotedSymbol,
    Keyword,
    Numeral,
    Decimal,
    Hexadecimal,
    Binary,
    String,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub start: u32,
    pub end: u32,
    /// The index after the last descendant; while a list is open, the index of the list around it.
    pub after: u32,
    pub kind: Kind,
}

/// Nodes of one or more s-expressions in pre-order. Reusable: `clear` keeps the memory.
#[derive(Clone, Debug, Default)]
pub struct Tape {
    pub(crate) nodes: Vec<Node>,
}

impl Tape {
    /// Forgets all nodes and keeps the memory.
    #[inline]
    pub fn clear(&mut self) {
        self.nodes.clear();
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_takes_sixteen_bytes() {
        assert_eq!(size_of::<Node>(), 16);
    }
}
