//! Reads a user's signature file: an SMT-LIB theory declaration, or bare declarations. Its operators can be read,
//! sorted and printed. An operator that the built-in table has with the same signature keeps its semantics; others
//! have none.
//!
//! ```text
//! (theory Colours
//!  :sorts ((Colour 0) (Palette 1))
//!  :funs ((mix Colour Colour Colour :left-assoc)
//!         (par (X) (pick (Palette X) Int X))))
//! ```

use super::{Meaning, OpDecl, OpTable, OpenCase, SolverSet, Theory, written};
use crate::sig::{BadDeclaration, Declaration, Pattern, read_declaration};
use auspex_syntax::{Diagnostic, Document, Sexpr, SyntaxError};

/// Why a signature file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignatureError {
    Syntax(SyntaxError),
    Declaration(BadDeclaration),
}

impl SignatureError {
    /// The error at its place in the file.
    pub fn diagnostic(&self, file: &str, text: &str) -> Diagnostic {
        match self {
            SignatureError::Syntax(error) => Diagnostic::of_syntax_error(file, text, error),
            SignatureError::Declaration(bad) => {
                let help = Some(format!("expected {}", bad.expected));
                let message = "no sort or operator is declared".into();
                Diagnostic::new(file, text, bad.span, message, help)
            }
        }
    }
}

fn bad(sexpr: Sexpr<'_>, expected: &'static str) -> SignatureError {
    SignatureError::Declaration(BadDeclaration {
        span: sexpr.span(),
        expected,
    })
}

/// The first line of a stored file that restricts the operators.
const ONLY: &str = "; only these operators\n";

impl OpTable {
    /// The built-in table with the operators and sorts of a user's signature file.
    pub fn with_user_signatures(text: &str) -> Result<OpTable, SignatureError> {
        match text.strip_prefix(ONLY) {
            Some(rest) => OpTable::with_operators(rest),
            None => OpTable::extended(text).map(|(table, _)| table),
        }
    }

    /// The same, and only the operators of the file may be inserted into scripts.
    pub fn with_operators(text: &str) -> Result<OpTable, SignatureError> {
        let (mut table, mut rows) = OpTable::extended(text)?;
        rows.sort_unstable();
        rows.dedup();
        table.chosen = Some(rows);
        table.signature = Some(format!("{ONLY}{text}").into());
        Ok(table)
    }

    /// The table with what a file declares, and the rows of that.
    fn extended(text: &str) -> Result<(OpTable, Vec<u32>), SignatureError> {
        let document = Document::read(text).map_err(SignatureError::Syntax)?;
        let builtin = OpTable::builtin();
        let mut table = OpTable {
            rows: builtin.rows.clone(),
            by_name: builtin.by_name.clone(),
            sorts: Vec::new(),
            signature: Some(text.into()),
            chosen: None,
        };
        // Operators may mention sorts that are declared after them.
        let mut operators = Vec::new();
        for item in document.items() {
            match item.head() {
                Some("theory") => {
                    let parts: Vec<Sexpr<'_>> = item.items().collect();
                    for pair in parts.windows(2) {
                        match pair[0].text() {
                            ":sorts" => table.push_sorts(pair[1])?,
                            ":funs" => operators.extend(pair[1].items()),
                            _ => {}
                        }
                    }
                }
                Some("declare-sort") => table.push_sort(item, 1)?,
                _ => operators.push(item),
            }
        }
        let rows = operators.into_iter().map(|one| table.push_user(one));
        let rows = rows.collect::<Result<_, _>>()?;
        Ok((table, rows))
    }

    fn push_sorts(&mut self, sorts: Sexpr<'_>) -> Result<(), SignatureError> {
        sorts.items().try_for_each(|sort| self.push_sort(sort, 0))
    }

    /// Adds the sort whose name stands at a place of a list, with its number of arguments after it.
    fn push_sort(&mut self, sexpr: Sexpr<'_>, at: usize) -> Result<(), SignatureError> {
        let name = sexpr.item(at).and_then(|name| name.symbol());
        let arity = sexpr
            .item(at + 1)
            .and_then(|arity| arity.text().parse().ok());
        let (Some(name), Some(arity)) = (name, arity) else {
            return Err(bad(sexpr, "a sort's name and its number of arguments"));
        };
        self.sorts.push((name.into(), arity));
        Ok(())
    }

    /// The row of a declared operator, which may exist already.
    fn push_user(&mut self, sexpr: Sexpr<'_>) -> Result<u32, SignatureError> {
        let Declaration { name, sig } =
            read_declaration(sexpr).map_err(SignatureError::Declaration)?;
        if !(sig.params.iter().chain([&sig.result])).all(|pattern| self.knows(pattern)) {
            return Err(bad(sexpr, "sorts of SMT-LIB or of this file's `:sorts`"));
        }
        let same = |row: &&u32| {
            let known = &self.rows[**row as usize].sig;
            known.indices == sig.indices && known.params == sig.params && known.result == sig.result
        };
        if let Some(row) = self.named(&name).iter().find(same) {
            return Ok(*row);
        }
        self.push(OpDecl {
            written: written(&name),
            name,
            theory: Theory::User,
            sig,
            known: SolverSet(0),
            meaning: Meaning::None("declared in a signature file"),
            examples: &[],
            commutative: false,
            nonlinear: false,
            literals: 0,
            open_case: OpenCase::Unknown,
            says: "",
            declaration: sexpr.text().into(),
        });
        Ok(self.rows.len() as u32 - 1)
    }

    fn knows(&self, pattern: &Pattern) -> bool {
        match pattern {
            Pattern::Exactly(_) | Pattern::Hole(_) | Pattern::Field(_) => true,
            Pattern::BitVec(_) | Pattern::Float(..) => true,
            Pattern::Array(a, b) => self.knows(a) && self.knows(b),
            Pattern::Seq(p) | Pattern::Set(p) | Pattern::Bag(p) | Pattern::Nullable(p) => {
                self.knows(p)
            }
            Pattern::Function(parts) => parts.iter().all(|p| self.knows(p)),
            Pattern::Named(name, args) => {
                let arity = args.len() as u32;
                let declared = self.sorts.iter().any(|(n, a)| n == name && *a == arity);
                declared && args.iter().all(|p| self.knows(p))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Terms, read_script};
    use std::sync::Arc;

    /// The messages of reading a script with the operators of a signature file.
    fn issues(signatures: &str, script: &str) -> Vec<String> {
        let table = OpTable::with_user_signatures(signatures).expect("well-formed");
        let mut terms = Terms::with_table(Arc::new(table));
        let reading = read_script(&mut terms, script).expect("well-formed");
        let issues = reading.issues.iter();
        issues.map(|(_, issue)| issue.message()).collect()
    }

    fn refusal(signatures: &str) -> String {
        let error = OpTable::with_user_signatures(signatures).err();
        let diagnostic = error.map(|e| e.diagnostic("my.sig", signatures).render(false));
        diagnostic.unwrap_or_default()
    }

    const COLOURS: &str = "(theory Colours :funs ((mix Colour Colour Colour :left-assoc) \
        (red Colour) (par (X) (pick (Palette X) Int X))) \
        :sorts ((Colour 0) (Palette 1)) :notes \"none\")";

    #[test]
    fn operators_over_known_sorts_are_sorted() {
        let signatures = "(theory T :funs ((par (X) (pick (Array Int X) X)) \
            ((_ spin k) (_ BitVec m) (_ BitVec m))))";
        let script = "(declare-const a (Array Int Bool))(declare-const b (_ BitVec 8))\
            (assert (and (pick a) (= b ((_ spin 3) b))))";
        assert_eq!(issues(signatures, script), Vec::<String>::new());
    }

    #[test]
    fn operators_over_own_sorts_are_sorted() {
        let script = "(declare-const c Colour)(declare-const p (Palette Colour))\
            (assert (= (mix c red (pick p 3)) c))";
        assert_eq!(issues(COLOURS, script), Vec::<String>::new());
    }

    #[test]
    fn wrong_arguments_are_still_seen() {
        let script = "(declare-const c Colour)(assert (= (mix c 1) c))";
        assert_eq!(issues(COLOURS, script), ["ill-sorted: (mix Colour Int)"]);
    }

    #[test]
    fn an_unknown_sort_is_refused_at_its_place() {
        let text = refusal("(ok Int Bool)\n(mix Colour Int)");
        assert!(text.contains("my.sig:2:1"), "{text}");
        assert!(text.contains(":sorts"), "{text}");
    }

    #[test]
    fn an_operator_of_the_standard_keeps_its_meaning() {
        let rows = OpTable::builtin().rows().len();
        let table =
            OpTable::with_user_signatures("(abs Int Int)(abs Bool Int)").expect("well-formed");
        assert_eq!(table.rows().len(), rows + 1);
        assert_eq!(table.chosen(), None);
    }

    #[test]
    fn a_file_can_be_the_set_of_operators() {
        let text = "(abs Int Int)(mix Int Int)(abs Int Int)";
        let table = OpTable::with_operators(text).expect("well-formed");
        let names = |table: &OpTable| -> Vec<String> {
            let rows = table.chosen().unwrap_or_default().iter();
            rows.map(|row| table.rows()[*row as usize].declaration.to_string())
                .collect()
        };
        assert_eq!(names(&table), ["(abs Int Int)", "(mix Int Int)"]);
        let kept = table.signature().expect("its text");
        let again = OpTable::with_user_signatures(kept).expect("well-formed");
        assert_eq!(names(&again), names(&table));
        assert_eq!(again.signature(), table.signature());
    }

    #[test]
    fn bare_declarations_work_too() {
        let signatures = "(declare-sort Colour 0)(dark Colour Bool)";
        let script = "(declare-const c Colour)(assert (dark c))";
        assert_eq!(issues(signatures, script), Vec::<String>::new());
    }
}
