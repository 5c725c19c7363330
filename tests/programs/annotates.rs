//! annotates: says what it does by thrace.rs until it is told to end; nothing of that may fail.
#[path = "../../include/thrace/thrace.rs"]
mod thrace;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

static OVER: AtomicBool = AtomicBool::new(false);

unsafe extern "C" {
    fn signal(number: i32, handler: extern "C" fn(i32)) -> usize;
}

extern "C" fn end(_: i32) {
    OVER.store(true, Ordering::Relaxed);
}

fn main() {
    let mut rounds = 0;
    unsafe { signal(15, end) };
    println!("ready");
    while !OVER.load(Ordering::Relaxed) {
        rounds += 1;
        let _task = thrace::task("request");
        let _region = thrace::region("outer");
        thrace::log("cache", format_args!("{rounds} found"));
        thrace::count("rounds", rounds);
        std::thread::sleep(Duration::from_millis(1));
    }
    println!("done, {} rounds", if rounds > 10 { "many" } else { "few" });
}
