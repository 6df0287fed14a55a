//! What differs between a campaign of one process (`local`) and one that many processes share (`shared`).

use crate::findings::finding::Finding;
use crate::schedule::arms::Arms;
use crate::status::Status;
use crate::store::{News, Store, StoreError};

pub(super) trait Deployment: Send {
    /// Rows of earlier runs and of other processes, since the last call.
    fn news(&mut self, store: &mut dyn Store) -> Result<News, StoreError>;

    /// Whether it is time to read what others wrote.
    fn is_news_due(&self) -> bool;

    /// What the arms of all processes earned.
    fn arms_of_all(&self, store: &mut dyn Store) -> Result<Option<Arms>, StoreError>;

    /// Whether it is time to write everything, and not only what is urgent.
    fn writes_all(&mut self) -> bool;

    /// Whether the store is on another disk than the campaign's folder.
    fn has_own_disk(&self) -> bool;

    /// Whether findings wait for their reduction in this process, and not in the store.
    fn queues_reductions(&self) -> bool;

    /// These findings are in the store now, and were not before.
    fn delivered(&mut self, store: &mut dyn Store, new: &[Finding]) -> Result<(), StoreError>;

    /// A finding that waits in the store to be reduced.
    fn take_reduction(&mut self, store: &mut dyn Store, is_over: bool) -> Option<Finding>;

    /// The reduction that was taken has ended; if it is not done, another process may try.
    fn end_reduction(&mut self, store: &mut dyn Store, done: bool);

    /// A finding as other processes may have changed it.
    fn finding(&self, store: &mut dyn Store, id: &str) -> Option<Finding>;

    /// Writes the counters. `fill` adds what the index of findings knows.
    fn put_status(
        &mut self,
        store: &mut dyn Store,
        status: &Status,
        fill: &dyn Fn(&mut Status),
    ) -> Result<(), StoreError>;

    /// The last status of an earlier run that this process continues.
    fn last_status(&self, store: &mut dyn Store) -> Option<Status>;

    /// Returns what this process has not finished.
    fn close(&mut self, store: &mut dyn Store) -> Result<(), StoreError>;
}
