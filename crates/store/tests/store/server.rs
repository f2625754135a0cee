//! PostgreSQL: a server that is not there, does not let us in, or holds the tables of others.

use std::net::TcpListener;

use carelock_store::{Location, OpenMode, Store, StoreError};
use carelock_test_support::postgres::server_url;

use crate::harness::Fresh;

async fn refused(url: &str) -> StoreError {
    let location = Location::parse(url).unwrap();
    let error = Store::open(&location, OpenMode::Create).await.unwrap_err();
    let text = format!("{error}\n{error:?}");
    assert!(text.contains("\n  fix: "), "{text}");
    assert!(!text.contains("planted"), "{text}");
    error
}

#[tokio::test]
async fn a_server_that_is_not_there_is_said_at_once_and_without_the_password() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let error = refused(&format!("postgres://ana:planted@127.0.0.1:{port}/runs")).await;
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error}");
    assert!(error.to_string().starts_with(&format!("postgres://ana@127.0.0.1:{port}/runs: ")), "{error}");
}

#[tokio::test]
async fn a_wrong_password_and_a_missing_database_are_said() {
    let Some(url) = server_url() else { return };
    let (scheme, rest) = url.split_once("://").unwrap();
    let (login, address) = rest.rsplit_once('@').unwrap();
    let (user, _) = login.split_once(':').unwrap();
    let error = refused(&format!("{scheme}://{user}:planted@{address}")).await;
    assert!(matches!(error, StoreError::Refused { .. }), "{error}");
    let (server, _) = url.rsplit_once('/').unwrap();
    let error = refused(&format!("{server}/no_such_database")).await;
    assert!(matches!(error, StoreError::NoSuchDatabase { .. }), "{error}");
}

#[tokio::test]
async fn tables_of_others_with_our_names_are_left_alone() {
    let Some(fresh) = Fresh::server().await else { return };
    let mut raw = fresh.raw().await;
    let sql = "CREATE TABLE runs (distance INTEGER); INSERT INTO runs VALUES (42)";
    sqlx::raw_sql(sql).execute(&mut raw).await.unwrap();
    let error = refused(&fresh.url).await;
    assert!(matches!(error, StoreError::Foreign { .. }), "{error}");
    let error = Store::open(&fresh.location, OpenMode::Existing).await.unwrap_err();
    assert!(matches!(error, StoreError::Missing { .. }), "{error}");
    sqlx::query("SELECT distance FROM runs").fetch_one(&mut raw).await.unwrap();
}

#[tokio::test]
async fn other_tables_beside_ours_do_no_harm() {
    let Some(fresh) = Fresh::server().await else { return };
    let mut raw = fresh.raw().await;
    sqlx::raw_sql("CREATE TABLE recipes (name TEXT)").execute(&mut raw).await.unwrap();
    assert_eq!(fresh.open().await.runs().await.unwrap(), []);
}
