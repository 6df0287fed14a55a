//! Every term of a script has the sort its parts give.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| auspex_logic::selfcheck::sort_script(bytes));
