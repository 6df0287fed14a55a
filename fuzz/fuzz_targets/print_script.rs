//! A printed script is read back as the same.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| auspex_logic::selfcheck::print_script(bytes));
