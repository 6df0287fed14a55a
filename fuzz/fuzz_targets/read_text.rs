//! Reading any bytes never crashes and loses nothing.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| auspex_syntax::selfcheck::read_text(bytes));
