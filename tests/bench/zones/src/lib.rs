//! What the programs here have in common: each does an operation as often as its argument says, and prints what `micro`
//! prints.
use std::time::Instant;

#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

extern "C" {
    fn clock_gettime(clock: i32, at: *mut Timespec) -> i32;
}

/// CPU time of all threads of the process.
fn cpu_ns() -> i64 {
    const CLOCK_PROCESS_CPUTIME_ID: i32 = 2;
    let mut at = Timespec { seconds: 0, nanoseconds: 0 };
    assert_eq!(unsafe { clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &mut at) }, 0);
    at.seconds * 1_000_000_000 + at.nanoseconds
}

pub fn operations() -> u64 {
    std::env::args().nth(1).map_or(1_000_000, |n| n.parse().expect("a number of operations"))
}

pub fn measure(name: &str, operations: u64, mut operation: impl FnMut()) {
    let (begun, used) = (Instant::now(), cpu_ns());
    for _ in 0..operations {
        operation();
    }
    println!("{name} {operations} {} cpu={}", begun.elapsed().as_nanos(), cpu_ns() - used);
}
