//! How soon the web app's pages come, at two hundred requests a second for a minute, and whether its memory stays flat.
//!
//! `cargo build --release && cargo run --release -p carelock-benches --bin serve [CHATS] [SECONDS]`

#![expect(clippy::print_stdout, reason = "a benchmark's output is its result")]

use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use carelock_benches::plain_chat;

type Failure = Box<dyn std::error::Error>;

/// Requests a second, over all connections.
const RATE: usize = 200;
/// Connections at once.
const CLIENTS: usize = 16;

/// The pages that are asked for in turn, and the longest their median may take; `{n}` is a number that changes.
const PAGES: [(&str, &str, Option<u64>); 6] = [
    ("a report", "/runs/1/chats/{n}", Some(50)),
    ("a run", "/runs/1", Some(100)),
    ("a report", "/runs/1/chats/{n}", Some(50)),
    ("a run, sorted", "/runs/1?sort=overall", Some(100)),
    ("a report as JSON", "/api/v1/runs/1/chats/{n}/report", None),
    ("all runs", "/runs", None),
];

fn main() -> Result<(), Failure> {
    let number = |place: usize| std::env::args().nth(place).and_then(|word| word.parse().ok());
    let (chats, seconds) = (number(1).unwrap_or(100_000), number(2).unwrap_or(60));
    let program = std::env::current_exe()?.with_file_name("carelock");
    let folder = std::env::temp_dir().join(format!("carelock-bench-serve-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let measured = measure(&program, &folder, chats, seconds);
    std::fs::remove_dir_all(&folder)?;
    measured
}

fn measure(program: &Path, folder: &Path, chats: usize, seconds: usize) -> Result<(), Failure> {
    let mut file = BufWriter::new(std::fs::File::create(folder.join("chats.jsonl"))?);
    for number in 0..chats {
        serde_json::to_writer(&mut file, &plain_chat(number, 10))?;
        file.write_all(b"\n")?;
    }
    file.flush()?;
    let words = ["run", "chats.jsonl", "--judge", "builtin", "--name", "load"];
    let made =
        Command::new(program).args(words).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    if !matches!(made.code(), Some(0 | 3)) {
        return Err(format!("carelock run ended with {made}").into());
    }
    let mut server = Command::new(program)
        .args(["serve", "--port", "0"])
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let loaded = address(&mut server).and_then(|address| load(&address, &server, chats, seconds));
    server.kill()?;
    server.wait()?;
    loaded
}

fn address(server: &mut Child) -> Result<String, Failure> {
    let output = server.stdout.take().ok_or("the server has no output")?;
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line)?;
    let address = line.trim().strip_prefix("listening on http://").ok_or("the server did not say where it listens")?;
    Ok(address.trim_end_matches('/').to_owned())
}

fn load(address: &str, server: &Child, chats: usize, seconds: usize) -> Result<(), Failure> {
    println!("a run of {chats} chats of ten turns; {RATE} requests a second for {seconds} s, {CLIENTS} connections");
    let ask_all = |total: usize| -> Result<Vec<Asked>, Failure> {
        let (next, asked, begun) = (AtomicUsize::new(0), Mutex::new(Vec::new()), Instant::now());
        std::thread::scope(|scope| {
            let client = || client(address, &next, total, chats, begun, &asked);
            let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(client)).collect();
            clients.into_iter().try_for_each(|client| client.join().map_err(|_| "a client panicked")?)
        })
        .map_err(|error: String| error)?;
        Ok(asked.into_inner()?)
    };
    // First a little, so that what is kept between requests is there.
    ask_all(RATE)?;
    let before = memory(server);
    let asked = ask_all(RATE * seconds)?;
    let after = memory(server);
    for (name, bar) in distinct() {
        let mut times: Vec<Duration> = asked.iter().filter(|one| one.page == name).map(|one| one.took).collect();
        times.sort();
        let at =
            |share: usize| times.get(times.len() * share / 100).copied().unwrap_or_default().as_secs_f64() * 1000.0;
        let bar = bar.map(|bar| format!(" (bar: under {bar})")).unwrap_or_default();
        println!("{name:<18} {:6} requests   median {:7.2} ms{bar}   99 % {:7.2} ms", times.len(), at(50), at(99));
    }
    let failed = asked.iter().filter(|one| one.status != 200).count();
    println!("errors             {failed:6} of {}   (bar: 0)", asked.len());
    println!("memory             {before} MB before, {after} MB after");
    Ok(())
}

fn distinct() -> Vec<(&'static str, Option<u64>)> {
    let mut names: Vec<(&str, Option<u64>)> = PAGES.iter().map(|(name, _, bar)| (*name, *bar)).collect();
    names.sort();
    names.dedup();
    names
}

/// One request and what came of it.
struct Asked {
    page: &'static str,
    status: u16,
    /// From the moment at which it was due, so that a server that falls behind is seen to.
    took: Duration,
}

fn client(
    address: &str,
    next: &AtomicUsize,
    total: usize,
    chats: usize,
    begun: Instant,
    asked: &Mutex<Vec<Asked>>,
) -> Result<(), String> {
    let mut connection = BufReader::new(TcpStream::connect(address).map_err(|error| error.to_string())?);
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= total {
            return Ok(());
        }
        let due = begun + Duration::from_secs(1) * u32::try_from(number).unwrap_or(u32::MAX) / RATE as u32;
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        let (page, path, _) = PAGES[number % PAGES.len()];
        let path = path.replace("{n}", &(1 + number * 7919 % chats).to_string());
        let status = ask(&mut connection, address, &path).map_err(|error| format!("{path}: {error}"))?;
        let one = Asked { page, status, took: due.elapsed() };
        asked.lock().map_err(|error| error.to_string())?.push(one);
    }
}

/// Asks for a page and reads all of it.
fn ask(connection: &mut BufReader<TcpStream>, address: &str, path: &str) -> std::io::Result<u16> {
    // In one piece: the system holds back a second small one until the first is acknowledged.
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n");
    connection.get_mut().write_all(request.as_bytes())?;
    let mut line = String::new();
    connection.read_line(&mut line)?;
    let status = line.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    let (mut length, mut chunked) = (0, false);
    loop {
        line.clear();
        connection.read_line(&mut line)?;
        let header = line.trim().to_ascii_lowercase();
        if header.is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().map_err(std::io::Error::other)?;
        }
        chunked |= header.starts_with("transfer-encoding:") && header.contains("chunked");
    }
    let mut skip = |length: u64| std::io::copy(&mut connection.by_ref().take(length), &mut std::io::sink());
    if !chunked {
        skip(length)?;
        return Ok(status);
    }
    loop {
        let mut line = String::new();
        connection.read_line(&mut line)?;
        let length = u64::from_str_radix(line.trim(), 16).map_err(std::io::Error::other)?;
        std::io::copy(&mut connection.by_ref().take(length + 2), &mut std::io::sink())?;
        if length == 0 {
            return Ok(status);
        }
    }
}

/// The memory of a process in MB.
fn memory(process: &Child) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) / 1000
}
