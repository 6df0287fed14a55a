//! Records the message of a worker's panic instead of printing it over the status screen.

use std::cell::RefCell;
use std::sync::Once;

thread_local! {
    static MESSAGE: RefCell<Option<String>> = const { RefCell::new(None) };
    static WATCHED: RefCell<bool> = const { RefCell::new(false) };
}

/// Records panics of this thread from now on; those of others are printed as before.
pub fn watch() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !WATCHED.with(|watched| *watched.borrow()) {
                return before(info);
            }
            let what = info.payload_as_str().unwrap_or("a panic without a message");
            let place = info.location().map(ToString::to_string).unwrap_or_default();
            MESSAGE.with(|message| *message.borrow_mut() = Some(format!("{what} at {place}")));
        }));
    });
    WATCHED.with(|watched| *watched.borrow_mut() = true);
}

/// The message of this thread's last panic.
pub fn take() -> String {
    let message = MESSAGE.with(|message| message.borrow_mut().take());
    message.unwrap_or_else(|| "a panic".to_string())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_message_and_its_place_are_kept() {
        let thread = std::thread::spawn(|| {
            super::watch();
            let _ = std::panic::catch_unwind(|| panic!("oh {}", 7));
            (super::take(), super::take())
        });
        let (first, second) = thread.join().unwrap();
        assert!(first.starts_with("oh 7 at "), "{first}");
        assert_eq!(second, "a panic");
    }
}
