//! Tellers book payments into a ledger. Whoever books also waits for the bank's answer, with the ledger locked.
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

struct Ledger {
    balance: u64,
    entries: Vec<u64>,
}

static LEDGER: Mutex<Ledger> = Mutex::new(Ledger { balance: 0, entries: Vec::new() });

/// The bank takes its time.
#[inline(never)]
fn ask_bank(amount: u64) -> bool {
    thread::sleep(Duration::from_millis(4));
    amount > 0
}

#[inline(never)]
fn book(amount: u64) {
    let mut ledger = LEDGER.lock().unwrap();
    if ask_bank(amount) {
        ledger.balance += amount;
        ledger.entries.push(amount);
    }
}

fn main() {
    let tellers: Vec<_> = (1..=4u64)
        .map(|n| {
            thread::Builder::new()
                .name("teller".into())
                .spawn(move || {
                    for i in 0..15 {
                        book(n * 100 + i);
                    }
                })
                .unwrap()
        })
        .collect();
    for teller in tellers {
        teller.join().unwrap();
    }
    let ledger = LEDGER.lock().unwrap();
    println!("{} entries, {}", ledger.entries.len(), ledger.balance);
}
