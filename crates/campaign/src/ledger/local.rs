//! A campaign of one process: the store is a file in its folder.

use super::deployment::Deployment;
use crate::findings::finding::Finding;
use crate::schedule::arms::Arms;
use crate::status::Status;
use crate::store::{News, StatisticsRow, Store, StoreError};

pub(super) struct Local;

impl Deployment for Local {
    fn news(&mut self, store: &mut dyn Store) -> Result<News, StoreError> {
        Ok(News {
            findings: store.findings()?,
            ..News::default()
        })
    }

    fn is_news_due(&self) -> bool {
        false
    }

    fn arms_of_all(&self, _: &mut dyn Store) -> Result<Option<Arms>, StoreError> {
        Ok(None)
    }

    fn writes_all(&mut self) -> bool {
        true
    }

    fn has_own_disk(&self) -> bool {
        false
    }

    fn queues_reductions(&self) -> bool {
        true
    }

    fn delivered(&mut self, _: &mut dyn Store, _: &[Finding]) -> Result<(), StoreError> {
        Ok(())
    }

    fn take_reduction(&mut self, _: &mut dyn Store, _: bool) -> Option<Finding> {
        None
    }

    fn end_reduction(&mut self, _: &mut dyn Store, _: bool) {}

    fn finding(&self, _: &mut dyn Store, _: &str) -> Option<Finding> {
        None
    }

    fn put_status(
        &mut self,
        store: &mut dyn Store,
        status: &Status,
        _: &dyn Fn(&mut Status),
    ) -> Result<(), StoreError> {
        store.put_statistics(&StatisticsRow {
            at: status.at,
            json: serde_json::to_string(status).unwrap_or_default(),
        })
    }

    fn last_status(&self, store: &mut dyn Store) -> Option<Status> {
        let rows = store.statistics(0).ok()?;
        serde_json::from_str(&rows.last()?.json).ok()
    }

    fn close(&mut self, _: &mut dyn Store) -> Result<(), StoreError> {
        Ok(())
    }
}
