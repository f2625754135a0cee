//! Small pages with one thing wrong each, served on loopback.

use anyhow::Result;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:";
const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript";
const STYLE: &str = "body { background: white; color: black } main { max-width: 60ch }
    @media (prefers-color-scheme: dark) { body { background: rgb(1, 2, 3); color: white } }
    .faint { color: rgb(220, 220, 220) } .broad { width: 2000px } .tall { height: 3000px }
    .zone { width: 200px; height: 100px }";
const DROP: &str = "const zone = document.querySelector('.zone');
    zone.addEventListener('dragover', (event) => event.preventDefault());
    zone.addEventListener('drop', async (event) => {
        event.preventDefault();
        const [file] = event.dataTransfer.files;
        zone.textContent = `${file.name}: ${await file.text()}`;
    });";

/// Starts serving, until the test's process ends, and says where.
pub(crate) fn serve() -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = format!("http://{}", listener.local_addr()?);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer(stream));
        }
    });
    Ok(address)
}

fn answer(mut stream: TcpStream) -> Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let path = first.split(' ').nth(1).unwrap_or_default();
    let (status, kind, body) = match resource(path) {
        Some((kind, body)) => ("200 OK", kind, body),
        None => ("404 Not Found", HTML, page("nothing here")),
    };
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\
         content-security-policy: {POLICY}\r\n\r\n{body}"
    )?;
    Ok(())
}

fn resource(path: &str) -> Option<(&'static str, String)> {
    let html = |body: &str| Some((HTML, page(body)));
    let script = |name: &str| html(&format!("<p>one</p><script src=\"{name}\"></script>"));
    match path {
        "/clean" => script("/changes.js"),
        "/error" => script("/error.js"),
        "/throws" => script("/throws.js"),
        "/inline-script" => html("<script>document.title = 'ran'</script>"),
        "/inline-style" => html("<p style=\"color: red\">red?</p>"),
        "/outside" => html("<img alt=\"a picture\" src=\"http://carelock.example/picture.png\">"),
        "/missing" => html("<img alt=\"a picture\" src=\"/no-such-picture.png\">"),
        "/image-without-alt" => html("<img id=\"planted\" src=\"data:image/gif;base64,R0lGODlhAQABAAAAACw=\">"),
        "/faint" => html("<p class=\"faint\">hardly to be read</p>"),
        "/broad" => html("<p class=\"broad\">broad</p>"),
        "/tall" => html("<p class=\"tall\">tall</p>"),
        "/writing" => {
            html("<p lang=\"zh\">你好</p><p lang=\"ar\" dir=\"rtl\">مرحبا</p><p lang=\"qaa\">\u{10FFF0}\u{10FFF1}</p>")
        }
        "/download" => html("<a href=\"/report.json\" download>download</a>"),
        "/zone" => html("<p class=\"zone\">drop here</p><script src=\"/zone.js\"></script>"),
        "/changes.js" => Some((SCRIPT, "document.querySelector('p').textContent = 'two'".to_owned())),
        "/error.js" => Some((SCRIPT, "console.error('a planted error')".to_owned())),
        "/throws.js" => Some((SCRIPT, "throw new Error('a planted exception')".to_owned())),
        "/zone.js" => Some((SCRIPT, DROP.to_owned())),
        "/style.css" => Some(("text/css", STYLE.to_owned())),
        "/report.json" => Some(("application/json", "{}".to_owned())),
        _ => None,
    }
}

fn page(body: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>a page</title>\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <link rel=\"icon\" href=\"data:,\"><link rel=\"stylesheet\" href=\"/style.css\"></head>\
         <body><main><h1>A page</h1>{body}</main></body></html>"
    )
}
