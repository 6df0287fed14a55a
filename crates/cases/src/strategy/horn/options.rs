//! Options of z3's engine for Horn clauses, set in the script: they change how an invariant is searched for, not which
//! clauses have one.
//!
//! ```text
//! (set-option :fp.xform.inline_eager false)
//! ```
//!
//! Left out are those that approximate the clauses (`transform_arrays`, `instantiate_*`, `quantify_arrays`, `magic`,
//! `scale`), limits and output, and `spacer.gpdr`, whose wrong answers are known.

use crate::draw::Draw;
use auspex_logic::{Command, Terms};

/// Names after `:fp.`, with values that are not the default.
const ALL: &[(&str, &str)] = &[
    ("xform.inline_eager", "false"),
    ("xform.inline_linear", "false"),
    ("xform.inline_linear_branch", "true"),
    ("xform.slice", "false"),
    ("xform.coi", "false"),
    ("xform.subsumption_checker", "false"),
    ("xform.tail_simplifier_pve", "false"),
    ("xform.compress_unbound", "false"),
    ("xform.elim_term_ite", "true"),
    ("xform.fix_unbound_vars", "true"),
    ("xform.coalesce_rules", "true"),
    ("xform.array_blast", "true"),
    ("xform.array_blast_full", "true"),
    ("spacer.ctp", "false"),
    ("spacer.elim_aux", "false"),
    ("spacer.eq_prop", "false"),
    ("spacer.expand_bnd", "true"),
    ("spacer.global", "true"),
    ("spacer.ground_pobs", "false"),
    ("spacer.keep_proxy", "false"),
    ("spacer.mbqi", "false"),
    ("spacer.native_mbp", "false"),
    ("spacer.order_children", "1"),
    ("spacer.order_children", "2"),
    ("spacer.p3.share_invariants", "true"),
    ("spacer.p3.share_lemmas", "true"),
    ("spacer.propagate", "false"),
    ("spacer.push_pob", "true"),
    ("spacer.q3", "false"),
    ("spacer.q3.instantiate", "false"),
    ("spacer.q3.use_qgen", "true"),
    ("spacer.reach_dnf", "false"),
    ("spacer.reset_pob_queue", "false"),
    ("spacer.restarts", "true"),
    ("spacer.simplify_lemmas_post", "true"),
    ("spacer.simplify_lemmas_pre", "true"),
    ("spacer.simplify_pob", "true"),
    ("spacer.use_array_eq_generalizer", "false"),
    ("spacer.use_bg_invs", "true"),
    ("spacer.use_derivations", "false"),
    ("spacer.use_euf_gen", "true"),
    ("spacer.use_inc_clause", "false"),
    ("spacer.use_inductive_generalizer", "false"),
    ("spacer.use_iuc", "false"),
    ("spacer.use_lemma_as_cti", "true"),
    ("spacer.use_lim_num_gen", "true"),
    ("spacer.weak_abs", "false"),
];

/// One to three options, in one case of two.
pub(super) fn options(draw: &mut Draw, terms: &mut Terms) -> Vec<Command> {
    if draw.coin() {
        return Vec::new();
    }
    let count = draw.between(1, 3);
    let mut all: Vec<Command> = Vec::new();
    for _ in 0..count {
        let Some((name, value)) = draw.pick(ALL) else {
            continue;
        };
        let name = terms.symbols.intern(&format!(":fp.{name}"));
        let value = terms.symbols.intern(value);
        let is_set =
            |command: &Command| matches!(command, Command::SetOption(key, _) if *key == name);
        if !all.iter().any(is_set) {
            all.push(Command::SetOption(name, value));
        }
    }
    all
}
