// annotated: what a Rust program says of itself by thrace.rs, on its main thread, on one that it makes, and on one that
// takes work from others.
#[path = "../../include/thrace/thrace.rs"]
mod thrace;

use std::sync::mpsc::channel;
use std::thread::spawn;

#[inline(never)]
fn parse() -> bool {
    let _region = thrace::region("parse");
    thrace::log("size", format_args!("{} bytes", 12));
    thrace::count("headers", -3);
    true
}

fn misuse(request: u64) {
    thrace::region_end();
    let _works_for = thrace::adopt(0);
    let part = thrace::task_begin_in(request, "part");
    thrace::region_begin("up to\0a NUL");
    thrace::task_end(part);
    thrace::region_end();
    thrace::log("long", "\u{20ac}".repeat(1000));
}

type Work = Box<dyn FnOnce() -> u64 + Send>;

fn main() {
    let (put, take) = channel::<Work>();
    let pool = spawn(move || take.iter().map(|work| work()).collect::<Vec<u64>>());
    thrace::label("crab");
    let request = thrace::task("request");
    assert!(parse());
    put.send(Box::new(thrace::carry(|| {
        let _region = thrace::region("carried");
        thrace::task_current()
    })))
    .unwrap();
    put.send(Box::new(|| {
        thrace::log("plain", "work");
        thrace::task_current()
    }))
    .unwrap();
    drop(put);
    let made = spawn(|| {
        thrace::log("made", 1.5);
        thrace::task_current()
    });
    assert_eq!(made.join().unwrap(), request.id());
    assert_eq!(pool.join().unwrap(), [request.id(), 0]);
    misuse(request.id());
    assert_eq!(thrace::task_current(), request.id());
    assert_eq!(thrace::enabled(), request.id() != 0);
    drop(request);
    assert_eq!(thrace::task_current(), 0);
    println!(
        "trace: annotated * 1 label:crab task+request region+parse@request log@request:size=12_bytes \
         log@request:headers=-3 region-parse@request task+part<request region+up_to task-part<request region-up_to \
         log:long={} task-request",
        "\u{20ac}".repeat(341)
    );
    println!("trace: annotated * 1 region+carried@request region-carried@request log:plain=work");
    println!("trace: annotated * 1 log@request:made=1.5");
}
