// Two functions that wait for conditions, and one for a lock: of std, which has futexes of its own.
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

type Flag = (Mutex<bool>, Condvar);

#[inline(never)]
fn wait_for_stock(flag: &Flag) {
    let mut there = flag.0.lock().unwrap();
    while !*there {
        there = flag.1.wait(there).unwrap();
    }
}

#[inline(never)]
fn wait_for_price(flag: &Flag) {
    let mut there = flag.0.lock().unwrap();
    while !*there {
        there = flag.1.wait(there).unwrap();
    }
}

#[inline(never)]
fn place_order(orders: &Mutex<u32>) {
    let mut count = orders.lock().unwrap();
    *count += 1;
    thread::sleep(Duration::from_millis(5));
}

fn tell(flag: &Flag) {
    *flag.0.lock().unwrap() = true;
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
        thread::sleep(Duration::from_millis(15));
        tell(flag);
    }
    for client in clients {
        client.join().unwrap();
    }
    waiter.join().unwrap();
}
