//! The evaluation of an assertion as a tree for a page: what opens, stands and closes, in the order of reading, so that
//! a template without recursion can write nested lists.

use auspex_campaign::report::explain::Explained;
use auspex_logic::model::Tree;

/// A piece of the tree.
pub enum Piece {
    Open(Node),
    Leaf(Node),
    /// Parts that are left out.
    Cut,
    Close,
}

/// One term with its value.
pub struct Node {
    pub head: String,
    pub value: String,
    /// Whether its value decides that of the whole.
    pub decides: bool,
}

/// One assertion with its evaluation.
pub struct Evaluation {
    pub assertion: String,
    pub holds: bool,
    pub lines: Vec<String>,
    pub left_out: usize,
    pub operators: Vec<String>,
    pub pieces: Vec<Piece>,
}

pub fn evaluation(one: &Explained) -> Evaluation {
    let mut pieces = Vec::new();
    lay(&one.tree, &mut pieces);
    Evaluation {
        assertion: one.assertion.clone(),
        holds: one.holds,
        lines: one.trace.text(),
        left_out: one.trace.left_out,
        operators: one.operators.clone(),
        pieces,
    }
}

/// The depth of a tree is bounded where it is made.
fn lay(tree: &Tree, pieces: &mut Vec<Piece>) {
    let node = Node {
        head: tree.head.clone(),
        value: tree.value.clone(),
        decides: tree.decides,
    };
    if tree.parts.is_empty() && !tree.is_cut {
        pieces.push(Piece::Leaf(node));
        return;
    }
    pieces.push(Piece::Open(node));
    for part in &tree.parts {
        lay(part, pieces);
    }
    if tree.is_cut {
        pieces.push(Piece::Cut);
    }
    pieces.push(Piece::Close);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_opens_is_closed() {
        let leaf = |head: &str| Tree {
            head: head.to_string(),
            value: "1".to_string(),
            decides: true,
            parts: Vec::new(),
            is_cut: false,
        };
        let tree = Tree {
            parts: vec![
                leaf("x"),
                Tree {
                    is_cut: true,
                    ..leaf("f")
                },
            ],
            ..leaf("=")
        };
        let mut pieces = Vec::new();
        lay(&tree, &mut pieces);
        let word = |piece: &Piece| match piece {
            Piece::Open(node) => format!("({}", node.head),
            Piece::Leaf(node) => node.head.clone(),
            Piece::Cut => "…".to_string(),
            Piece::Close => ")".to_string(),
        };
        let words: Vec<String> = pieces.iter().map(word).collect();
        assert_eq!(words.join(" "), "(= x (f … ) )");
    }
}
