//! A database of its own on a real PostgreSQL server, where there is one.

use std::env::VarError;
use std::io::Write as _;
use std::sync::atomic::{AtomicU32, Ordering};

use sqlx::{AnyConnection, Connection as _};

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// A fresh database on the test server. Where there is none, the test is left out aloud, or fails where one is required.
pub(crate) fn fresh_server() -> Option<String> {
    let Some(server) = named(std::env::var("CARELOCK_TEST_POSTGRES")) else {
        let required = is_required(std::env::var("CARELOCK_REQUIRE_POSTGRES"));
        assert!(!required, "CARELOCK_REQUIRE_POSTGRES=1, but CARELOCK_TEST_POSTGRES names no server");
        // Not eprintln!, which a test that passes keeps to itself.
        let words = "LEFT OUT: no PostgreSQL. Run this under tests/postgres, or set CARELOCK_TEST_POSTGRES to a URL.\n";
        std::io::stderr().write_all(words.as_bytes()).unwrap();
        return None;
    };
    let program = env!("CARGO_CRATE_NAME");
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("carelock_{program}_{}_{number}", std::process::id());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        sqlx::any::install_default_drivers();
        let mut admin = AnyConnection::connect(&server).await.expect("CARELOCK_TEST_POSTGRES names a server");
        let sql = sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}"));
        sqlx::query(sql).execute(&mut admin).await.unwrap();
        admin.close().await.unwrap();
    });
    let (address, _) = server.rsplit_once('/').expect("a URL with a database");
    Some(format!("{address}/{name}"))
}

fn named(url: Result<String, VarError>) -> Option<String> {
    url.ok().filter(|url| !url.is_empty())
}

fn is_required(value: Result<String, VarError>) -> bool {
    value.is_ok_and(|value| value == "1")
}

#[test]
fn a_server_is_required_by_1_and_by_nothing_else() {
    assert!(is_required(Ok("1".to_owned())));
    for other in ["", "0", "no"] {
        assert!(!is_required(Ok(other.to_owned())), "{other}");
    }
    assert!(!is_required(Err(VarError::NotPresent)));
    assert_eq!(named(Ok(String::new())), None);
}
