//! SMT-LIB text: bytes, tokens and s-expressions with positions, in any dialect; knows no sorts and does no IO.
//!
//! ```
//! use auspex_syntax::{Reader, Tape};
//!
//! let text = "(assert (= |a b| 1)) (check-sat)";
//! let (mut reader, mut tape) = (Reader::new(text), Tape::default());
//! let at = reader.next(&mut tape).unwrap().unwrap();
//! let command = tape.root(text, at);
//! assert_eq!(command.head(), Some("assert"));
//! assert_eq!(command.item(1).unwrap().item(1).unwrap().symbol(), Some("a b"));
//! ```

mod bytes;
mod diagnostic;
mod document;
mod error;
mod escape;
mod pretty;
mod read;
mod scan;
#[doc(hidden)]
pub mod selfcheck;
mod sexpr;
mod span;
mod tape;
mod write;

pub use bytes::{decode, encode};
pub use diagnostic::Diagnostic;
pub use document::Document;
pub use error::{Problem, SyntaxError};
pub use pretty::{Comments, pretty, write_flat};
pub use read::Reader;
pub use sexpr::{Items, Sexpr};
pub use span::{Span, line_column};
pub use tape::{Kind, Tape};
pub use write::{is_reserved_word, is_simple_symbol, write_string, write_symbol};
