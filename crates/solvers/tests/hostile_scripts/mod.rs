//! Makes scripts that try to write a file: names, spellings, comments, quotes, nesting and bytes, from a number each.

/// Numbers from a number; the same ones every time.
pub struct Numbers(pub u64);

impl Numbers {
    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % end as u64) as usize
    }

    pub fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

const OPTIONS: [&str; 16] = [
    ":regular-output-channel",
    ":diagnostic-output-channel",
    ":trace_file_name",
    ":trace-file-name",
    ":solver.proof.log",
    ":solver.smtlib2_log",
    ":solver.cancel_backup_file",
    ":sat.drat.file",
    ":sat.inprocess.out",
    ":opt.solution_prefix",
    ":fp.print_aig",
    ":fp.spacer.trace_file",
    ":dot_proof_file",
    ":out",
    ":write-partitions-to",
    ":output-channel",
];

const SWITCHES: [&str; 6] = [
    "(set-option :trace true)",
    "(set-option :opt.dump_benchmarks true)",
    "(set-option :solver.axioms2files true)",
    "(set-option :smt.arith.dump_lemmas true)",
    "(set-option :produce-proofs true)",
    "(set-option :verbose 10)",
];

/// What may stand between two tokens, for some reader.
const GAPS: [&str; 15] = [
    " ", "", "\n", "\t", "\r\n", "\r", ";x\n", ";\"\n", ";|\n", ";x\r", "#| \" |#", "#| | |#",
    "\0", "\u{b}", "\u{a0}",
];

const BEFORE: [&str; 10] = [
    "",
    "(assert true)",
    "(set-info :source \"a\\\")",
    "(set-info :source |a\\|)",
    "(assert (= 1 1)",
    ")",
    "\"",
    "|",
    "(push 1)(pop 1)",
    "(assert (! true :named a))",
];

const AFTER: [&str; 7] = [
    "(echo \"a line of somebody's choice\")",
    "(check-sat)(get-model)",
    "(check-sat-using sat)(echo \"x\")",
    "(get-info :version)",
    "(apply (using-params sat :drat.file @))",
    "(set-info :x \"y\\\" (echo \"z\"))",
    "(exit)",
];

fn spelled(word: &str, numbers: &mut Numbers) -> String {
    match numbers.below(6) {
        0 => format!("|{word}|"),
        1 => word.to_uppercase(),
        2 => word.replace('-', "_"),
        _ => word.to_string(),
    }
}

fn quoted(file: &str, numbers: &mut Numbers) -> String {
    match numbers.below(5) {
        0 => format!("|{file}|"),
        1 => file.to_string(),
        2 => format!("\"{}\"", file.replace('/', "//")),
        3 => format!("\"/./{file}\""),
        _ => format!("\"{file}\""),
    }
}

/// The script of a number, which wants to write this file.
pub fn script(number: u64, file: &str) -> String {
    let mut numbers = Numbers(number.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let mut out = String::from("(declare-const p Bool)(declare-const q Bool)");
    for _ in 0..1 + numbers.below(3) {
        out.push_str(numbers.pick(&BEFORE));
        out.push_str(numbers.pick(&GAPS));
        let gap = |numbers: &mut Numbers| numbers.pick(&GAPS).to_string();
        let option = numbers.pick(&OPTIONS);
        let parts = [
            "(".to_string(),
            gap(&mut numbers),
            spelled("set-option", &mut numbers),
            gap(&mut numbers),
            spelled(option, &mut numbers),
            gap(&mut numbers),
            quoted(file, &mut numbers),
            gap(&mut numbers),
            ")".to_string(),
        ];
        let command = parts.concat();
        match numbers.below(8) {
            0 => out.push_str(&format!("({command})")),
            1 => out.push_str(&format!("(assert {command})")),
            2 => out.push_str(command.trim_end_matches(')')),
            _ => out.push_str(&command),
        }
        out.push_str(numbers.pick(&SWITCHES));
    }
    out.push_str("(assert (or p q))(assert (not p))(check-sat)");
    out.push_str(&numbers.pick(&AFTER).replace('@', file));
    out
}
