//! The lock of the slow paths (lib/lock.h): three states and a futex.
//!
//! Shown: one thread at a time is inside and sees what the others did there, and none sleeps for ever. Without one of
//! these orders two threads would pack into a chunk at once, or drain the same one twice: batches that overwrite each
//! other; or the list of threads would be changed by two.
//!
//! The kernel's side is a mutex and a condition variable: it looks at the word under the lock of the futex's bucket.
use crate::explore::{explore, role, share, Atomic, Plain, Variant};
use crate::Model;
use loom::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use loom::sync::{Condvar, Mutex};

pub const MODEL: Model = Model {
    name: "lock",
    holds: &["take", "try"],
    breaks: &[
        "take,lock_try:acquire",
        "take,lock_take:acquire",
        "take,lock_drop:release",
        "try,lock_try:acquire",
        "try,lock_drop:release",
    ],
    run,
};

struct Lock {
    v: Variant,
    word: Atomic,
    bucket: Mutex<()>,
    sleepers: Condvar,
    guarded: Plain,
}

impl Lock {
    fn lock_try(&self) -> bool {
        let order = self.v.order("lock_try:acquire", Acquire);
        self.word.compare_exchange(0, 1, order, Relaxed).is_ok()
    }

    fn lock_take(&self) {
        if self.lock_try() {
            return;
        }
        while self.word.swap(2, self.v.order("lock_take:acquire", Acquire)) != 0 {
            self.futex_wait(2);
        }
    }

    fn lock_drop(&self) {
        if self.word.swap(0, self.v.order("lock_drop:release", Release)) == 2 {
            self.futex_wake();
        }
    }

    fn futex_wait(&self, value: u64) {
        let bucket = self.bucket.lock().unwrap();
        if self.word.load(Relaxed) == value {
            drop(self.sleepers.wait(bucket).unwrap());
        }
    }

    fn futex_wake(&self) {
        let _bucket = self.bucket.lock().unwrap();
        self.sleepers.notify_one();
    }

    fn inside(&self) {
        self.guarded.set(self.guarded.get() + 1);
    }
}

fn take(l: &Lock) {
    l.lock_take();
    l.inside();
    l.lock_drop();
}

/// As spool_seal does, which waits for nobody.
fn attempt(l: &Lock) {
    if l.lock_try() {
        l.inside();
        l.lock_drop();
    }
}

fn threads<const N: usize>(v: Variant, act: fn(&Lock)) {
    explore(move || {
        let locks: [_; N] = share(Lock {
            v,
            word: Atomic::new(0),
            bucket: Mutex::new(()),
            sleepers: Condvar::new(),
            guarded: Plain::new(0),
        });
        (locks.map(|l| role(move || act(&l))), role(|| ()))
    });
}

fn run(v: Variant) {
    match v.scenario {
        "take" => threads::<2>(v, take),
        _ => threads::<3>(v, attempt),
    }
}
