// A thread waits for a lock of parking_lot.rs that main holds. The lock is on the heap: only its place can name it.
use parking_lot::RawMutex;
use std::{sync::Arc, thread, time::Duration};

#[inline(never)]
fn place_order(orders: &RawMutex) {
    orders.lock();
    orders.unlock();
}

fn main() {
    let orders = Arc::new(RawMutex::new());
    let of_client = orders.clone();
    orders.lock();
    let client = thread::spawn(move || place_order(&of_client));
    thread::sleep(Duration::from_millis(200));
    orders.unlock();
    client.join().unwrap();
}
