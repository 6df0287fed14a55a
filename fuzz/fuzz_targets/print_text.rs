//! Reading what was printed gives the same thing.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| auspex_syntax::selfcheck::print_text(bytes));
