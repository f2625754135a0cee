//! Certificates: known ones are trusted, unknown ones end the judge at once, and no key goes out before.

use std::sync::Arc;
use std::time::Duration;

use carelock_judge::http::{
    Auth, Caller, CancellationToken, Client, ClientOptions, Jitter, Lane, LaneOptions, RetryPolicy, Secret, Transport,
    TransportError,
};
use carelock_judge::outcome::{Outcome, Reply};
use carelock_judge::wire::{Request, Response};
use carelock_test_support::fault_server::FaultServer;
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

/// Puts TLS in front of a server; gives the port and the certificate as PEM.
async fn tls_in_front_of(server: &FaultServer, name: &str) -> (u16, Vec<u8>) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let made = rcgen::generate_simple_self_signed([name.to_owned()]).expect("a certificate");
    let pem = made.cert.pem().into_bytes();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let config = ServerConfig::builder().with_no_client_auth().with_single_cert(vec![made.cert.der().clone()], key);
    let acceptor = TlsAcceptor::from(Arc::new(config.expect("a usable certificate")));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port on loopback");
    let port = listener.local_addr().expect("a bound address").port();
    let behind = server.address();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let mut outside = acceptor.accept(stream).await.ok()?;
                let mut inside = TcpStream::connect(behind).await.ok()?;
                tokio::io::copy_bidirectional(&mut outside, &mut inside).await.ok()
            });
        }
    });
    (port, pem)
}

fn client(extra_roots: Vec<Vec<u8>>) -> Result<Client, TransportError> {
    Client::new(&ClientOptions { extra_roots, call_timeout: Duration::from_secs(10), ..ClientOptions::default() })
}

fn request(url: String) -> Request {
    Request { url, headers: Vec::new(), body: json!({}) }
}

#[tokio::test]
async fn an_authority_the_user_adds_is_trusted() {
    let server = FaultServer::start([]).await;
    let (port, pem) = tls_in_front_of(&server, "localhost").await;
    let client = client(vec![pem]).expect("a client");
    let response = client.send(&request(format!("https://localhost:{port}/v1")), &Auth::None).await;
    assert_eq!(response.expect("an answer").status, 200);
}

#[tokio::test]
async fn an_unknown_certificate_closes_the_lane_before_the_key_is_sent() {
    let server = FaultServer::start([]).await;
    let (port, _) = tls_in_front_of(&server, "localhost").await;
    let transport = client(Vec::new()).expect("a client");
    let caller = Caller::new(transport, RetryPolicy::default(), Jitter::seeded(1), CancellationToken::new());
    let auth = Auth::Bearer(Secret::new("sk-planted-0123456789"));
    let lane = Lane::new(LaneOptions { auth, ..LaneOptions::default() });
    let request = request(format!("https://localhost:{port}/v1"));
    let classify = |_: &Response| Outcome::Answered(Reply::default());
    let (outcome, stats) = caller.call(&lane, &request, classify).await;
    assert!(matches!(&outcome, Outcome::Misconfigured { what } if what.contains("not known here")), "{outcome:?}");
    assert_eq!((stats.attempts, server.calls()), (1, 0));
    assert_eq!(caller.call(&lane, &request, classify).await.1.attempts, 0);
}

#[tokio::test]
async fn a_certificate_for_another_name_is_not_trusted() {
    let server = FaultServer::start([]).await;
    let (port, pem) = tls_in_front_of(&server, "elsewhere.test").await;
    let client = client(vec![pem]).expect("a client");
    let error = client.send(&request(format!("https://localhost:{port}/v1")), &Auth::None).await.expect_err("refused");
    let expected = format!("certificate of localhost:{port} is not trusted: it was made out to another name");
    assert!(error.to_string().contains(&expected), "{error}");
}

#[tokio::test]
async fn plain_http_behind_an_https_address_is_a_failed_connection() {
    let server = FaultServer::start([]).await;
    let url = format!("https://{}/v1", server.address());
    let options = ClientOptions { connect_timeout: Duration::from_millis(500), ..ClientOptions::default() };
    let client = Client::new(&options).expect("a client");
    let sent = tokio::time::timeout(Duration::from_secs(15), client.send(&request(url), &Auth::None)).await;
    let error = sent.expect("no hang").expect_err("refused");
    assert!(
        error.to_string().contains("could not connect") && error.to_string().contains("it took too long"),
        "{error}"
    );
}

#[test]
fn something_that_is_no_certificate_is_refused_at_the_start() {
    for pem in [&b""[..], b"not a certificate", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        assert!(client(vec![pem.to_vec()]).is_err());
    }
}
