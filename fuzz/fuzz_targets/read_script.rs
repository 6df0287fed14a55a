//! Reading any script keeps every command and marks every issue.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| auspex_logic::selfcheck::read_script(bytes));
