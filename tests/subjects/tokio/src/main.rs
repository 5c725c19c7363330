//! A small web server on tokio: a thread pool that waits in epoll and on futexes, blocking work beside it, a journal
//! that is written by a task of its own and a thread that only ever sleeps.

use std::collections::HashMap;
use std::error::Error;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{signal, SignalKind};
use tokio::sync::{mpsc, Mutex as TaskMutex};

type Visits = Arc<TaskMutex<HashMap<String, u64>>>;

/// Work that has no place on a thread that serves many.
fn digest(text: &str) -> u64 {
    let mut hash = 0xcbf29ce484222325u64;
    for _ in 0..200 {
        for byte in text.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100000001b3);
        }
    }
    hash
}

async fn serve(stream: TcpStream, visits: Visits, journal: mpsc::Sender<String>) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let mut request = String::new();
        if stream.read_line(&mut request).await? == 0 {
            return Ok(());
        }
        let mut header = String::new();
        while stream.read_line(&mut header).await? > 2 {
            header.clear();
        }
        let path = request.split(' ').nth(1).unwrap_or("/").to_owned();
        let visit = {
            let mut table = visits.lock().await;
            let count = table.entry(path.clone()).or_insert(0);
            *count += 1;
            *count
        };
        if visit % 4 == 0 {
            let line = request.clone();
            tokio::task::spawn_blocking(move || digest(&line)).await?;
        }
        let _ = journal.try_send(path);
        let body = format!("visit {}\n", visit % 10);
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", body.len(), body);
        stream.get_mut().write_all(answer.as_bytes()).await?;
    }
}

/// Lives on the standard library's lock and condition: futexes, no libc.
fn sleeper(stopped: Arc<(Mutex<bool>, Condvar)>) {
    let (flag, changed) = &*stopped;
    let mut stop = flag.lock().unwrap();
    while !*stop {
        stop = changed.wait_timeout(stop, Duration::from_millis(100)).unwrap().0;
    }
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1).ok_or("usage: server ADDRESS:PORT")?;
    let listener = TcpListener::bind(address).await?;
    let mut terminate = signal(SignalKind::terminate())?;
    let visits = Visits::default();
    let (journal, mut entries) = mpsc::channel::<String>(100);
    let keeper = tokio::spawn(async move {
        let mut longest = 0;
        while let Some(path) = entries.recv().await {
            longest = longest.max(path.len());
        }
        longest
    });
    let stopped = Arc::new((Mutex::new(false), Condvar::new()));
    let sleeping = std::thread::Builder::new().name("sleeper".into()).spawn({
        let stopped = stopped.clone();
        move || sleeper(stopped)
    })?;
    println!("started");
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let (stream, _) = accepted?;
                stream.set_nodelay(true)?;
                let (visits, journal) = (visits.clone(), journal.clone());
                tokio::spawn(async move {
                    // A client that goes away is no error.
                    let _ = serve(stream, visits, journal).await;
                });
            }
            _ = terminate.recv() => break,
        }
    }
    drop(journal);
    *stopped.0.lock().unwrap() = true;
    stopped.1.notify_all();
    sleeping.join().map_err(|_| "the sleeper panicked")?;
    keeper.abort();
    println!("stopped");
    Ok(())
}
