//! A database of its own on a real PostgreSQL server, where `CARELOCK_TEST_POSTGRES` names one.

use std::sync::atomic::{AtomicU32, Ordering};

use sqlx::{AnyConnection, Connection as _};

use crate::leave_out;

/// The server's URL. Where there is none, the test is left out, or fails where `CARELOCK_REQUIRE_POSTGRES` is 1.
#[track_caller]
pub fn server_url() -> Option<String> {
    let url = std::env::var("CARELOCK_TEST_POSTGRES").ok().filter(|url| !url.is_empty());
    if url.is_none() {
        let why = "CARELOCK_TEST_POSTGRES names no PostgreSQL; run this under tests/postgres, or set it to a URL";
        leave_out("CARELOCK_REQUIRE_POSTGRES", why);
    }
    url
}

/// The URL of a fresh database on the server, where there is one.
pub async fn fresh() -> Option<String> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let server = server_url()?;
    sqlx::any::install_default_drivers();
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    // Other tests run at the same time, each program with numbers of its own.
    let name = format!("carelock_test_{}_{number}", std::process::id());
    let mut admin = AnyConnection::connect(&server).await.expect("CARELOCK_TEST_POSTGRES names a server");
    let sql = sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}"));
    sqlx::query(sql).execute(&mut admin).await.expect("a new database");
    admin.close().await.expect("the connection closes");
    let (address, _) = server.rsplit_once('/').expect("a URL with a database");
    Some(format!("{address}/{name}"))
}

/// The same, outside of an asynchronous test.
pub fn fresh_blocking() -> Option<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(fresh())
}
