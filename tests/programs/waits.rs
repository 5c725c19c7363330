// Two functions that wait for conditions, and one for a lock: of std, which has futexes of its own. Nobody is told before
// the kernel says that it sleeps.
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

#[derive(Default)]
struct State {
    told: bool,
    waiter: Option<PathBuf>, // where the kernel says what it does
}

type Flag = (Mutex<State>, Condvar);

fn my_stat() -> PathBuf {
    Path::new("/proc").join(fs::read_link("/proc/thread-self").unwrap()).join("stat")
}

#[inline(never)]
fn wait_for_stock(flag: &Flag) {
    let mut there = flag.0.lock().unwrap();
    there.waiter = Some(my_stat());
    while !there.told {
        there = flag.1.wait(there).unwrap();
    }
}

#[inline(never)]
fn wait_for_price(flag: &Flag) {
    let mut there = flag.0.lock().unwrap();
    there.waiter = Some(my_stat());
    while !there.told {
        there = flag.1.wait(there).unwrap();
    }
}

#[inline(never)]
fn place_order(orders: &Mutex<u32>) {
    let mut count = orders.lock().unwrap();
    *count += 1;
    thread::sleep(Duration::from_millis(5));
}

fn is_waited_for(flag: &Flag) -> bool {
    match &flag.0.lock().unwrap().waiter {
        Some(stat) => fs::read_to_string(stat).unwrap().rsplit(')').next().unwrap().starts_with(" S"),
        None => false,
    }
}

fn tell(flag: &Flag) {
    flag.0.lock().unwrap().told = true;
    flag.1.notify_one();
}

fn main() {
    let flags: Arc<[Flag; 2]> = Arc::default();
    let orders: Arc<Mutex<u32>> = Arc::default();
    let waiting = flags.clone();
    let waiter = thread::spawn(move || {
        wait_for_stock(&waiting[0]);
        wait_for_price(&waiting[1]);
    });
    let clients: Vec<_> = (0..2)
        .map(|_| {
            let orders = orders.clone();
            thread::spawn(move || (0..4).for_each(|_| place_order(&orders)))
        })
        .collect();
    for flag in flags.iter() {
        while !is_waited_for(flag) {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(15));
        tell(flag);
    }
    for client in clients {
        client.join().unwrap();
    }
    waiter.join().unwrap();
}
