// Objects in all the places that Rust has for them; the names are those of a program that is called variables.
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, Once, RwLock};

mod shop {
    use super::*;
    pub struct Shard {
        pub count: u32,
        pub lock: Mutex<u64>,
        pub changed: Condvar,
    }
    pub struct Cache {
        pub name: [u8; 16],
        pub shards: [Shard; 3],
        pub table: RwLock<i32>,
        pub turns: AtomicU32,
    }
    const fn shard() -> Shard {
        Shard { count: 1, lock: Mutex::new(7), changed: Condvar::new() }
    }
    pub const CACHE_LINE: u32 = line!() + 1;
    pub static CACHE: Cache = Cache {
        name: [0; 16],
        shards: [shard(), shard(), shard()],
        table: RwLock::new(3),
        turns: AtomicU32::new(0),
    };
}
pub struct Wrap(pub u8, pub Mutex<i32>);
const FIRST: u32 = line!() + 1;
static LOCK: Mutex<i32> = Mutex::new(1);
static LOCKS: [Mutex<i32>; 3] = [Mutex::new(1), Mutex::new(2), Mutex::new(3)];
static WRAP: Wrap = Wrap(1, Mutex::new(2));
static START: Once = Once::new();

fn bias() -> usize {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    usize::from_str_radix(maps.split('-').next().unwrap(), 16).unwrap()
}

fn must_be<T>(name: &str, line: u32, object: &T, inside: usize) {
    println!("{:x}\tvariables::{}\t{}", object as *const T as usize - bias() + inside, name, line);
}

fn inner() -> u32 {
    static TURN: AtomicU32 = AtomicU32::new(0);
    must_be("inner::TURN", line!() - 1, &TURN, 0);
    TURN.fetch_add(1, Ordering::SeqCst)
}

fn main() {
    START.call_once(|| ());
    *LOCK.lock().unwrap() += inner() as i32;
    must_be("LOCK", FIRST, &LOCK, 0);
    must_be("LOCK", FIRST, &LOCK, 4);
    must_be("LOCKS[2]", FIRST + 1, &LOCKS[2], 0);
    must_be("WRAP.1", FIRST + 2, &WRAP.1, 0);
    must_be("START", FIRST + 3, &START, 0);
    must_be("shop::CACHE.shards[2].lock", shop::CACHE_LINE, &shop::CACHE.shards[2].lock, 0);
    must_be("shop::CACHE.shards[0].lock", shop::CACHE_LINE, &shop::CACHE.shards[0].lock, 4);
    must_be("shop::CACHE.shards[1].changed", shop::CACHE_LINE, &shop::CACHE.shards[1].changed, 0);
    must_be("shop::CACHE.shards[1].count", shop::CACHE_LINE, &shop::CACHE.shards[1].count, 0);
    must_be("shop::CACHE.table", shop::CACHE_LINE, &shop::CACHE.table, 0);
    must_be("shop::CACHE.turns", shop::CACHE_LINE, &shop::CACHE.turns, 0);
    must_be("shop::CACHE.name[3]", shop::CACHE_LINE, &shop::CACHE.name[3], 0);
}
