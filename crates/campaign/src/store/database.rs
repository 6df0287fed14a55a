//! Opens a database that many machines share.

use super::{Address, Postgres, Store, StoreError};
use std::time::Duration;

/// Opens a database for reading, even while campaigns write.
pub fn look_shared(url: &str) -> Result<Box<dyn Store>, StoreError> {
    Ok(Box::new(Postgres::look(address(url)?)?))
}

/// Opens a database for writing; after `lease` of silence others get what this process has leased.
pub fn join(url: &str, lease: Duration) -> Result<Box<dyn Store>, StoreError> {
    Ok(Box::new(Postgres::create(address(url)?, lease)?))
}

fn address(url: &str) -> Result<Address, StoreError> {
    Address::read(url).map_err(StoreError::Address)
}
