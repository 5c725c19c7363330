//! A lock as parking_lot makes it, and called as that is: in a crate of its own, with a slow path that is not inlined.
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

extern "C" {
    fn syscall(number: i64, ...) -> i64;
}

#[cfg(target_arch = "x86_64")]
const FUTEX: i64 = 202;
#[cfg(not(target_arch = "x86_64"))]
const FUTEX: i64 = 98;
const WAIT_PRIVATE: i64 = 128;
const WAKE_PRIVATE: i64 = 129;

/// 0: free, 1: taken, 2: taken, and somebody waits.
pub struct RawMutex(AtomicU32);

impl RawMutex {
    pub const fn new() -> Self {
        RawMutex(AtomicU32::new(0))
    }

    #[inline]
    pub fn lock(&self) {
        if self.0.compare_exchange(0, 1, SeqCst, SeqCst).is_err() {
            self.lock_slow();
        }
    }

    #[cold]
    #[inline(never)]
    pub fn lock_slow(&self) {
        while self.0.swap(2, SeqCst) != 0 {
            unsafe { syscall(FUTEX, &self.0 as *const AtomicU32, WAIT_PRIVATE, 2i64, 0i64) };
        }
    }

    pub fn unlock(&self) {
        if self.0.swap(0, SeqCst) == 2 {
            unsafe { syscall(FUTEX, &self.0 as *const AtomicU32, WAKE_PRIVATE, 1i64) };
        }
    }
}
