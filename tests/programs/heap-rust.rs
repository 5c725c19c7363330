// heap-rust ROUNDS: threads that make boxes, vectors and strings and drop what other threads made. What is left at the end
// stays; "live N" says how many bytes that is.
use std::alloc::{alloc, dealloc, Layout};
use std::io::Write;
use std::os::raw::c_void;
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Barrier};
use std::thread;

extern "C" {
    fn malloc_usable_size(p: *mut c_void) -> usize;
}

const THREADS: u64 = 4;

enum Thing {
    Boxed(Box<[u64; 20]>),
    Grown(Vec<u8>),
    Text(String),
    Aligned(Aligned),
}

struct Aligned(*mut u8, Layout);
unsafe impl Send for Aligned {}

impl Drop for Aligned {
    fn drop(&mut self) {
        unsafe { dealloc(self.0, self.1) }
    }
}

fn usable(p: *const u8) -> usize {
    unsafe { malloc_usable_size(p as *mut c_void) }
}

impl Thing {
    fn make(random: u64) -> Thing {
        let n = (random >> 8) as usize % 2000 + 1;
        match random % 4 {
            0 => Thing::Boxed(Box::new([random; 20])),
            1 => {
                let mut v = Vec::new();
                for i in 0..n {
                    v.push(i as u8);
                }
                Thing::Grown(v)
            }
            2 => Thing::Text("x".repeat(n)),
            _ => {
                let layout = Layout::from_size_align(n, 256).unwrap();
                Thing::Aligned(Aligned(unsafe { alloc(layout) }, layout))
            }
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Thing::Boxed(b) => usable(b.as_ptr() as *const u8),
            Thing::Grown(v) => usable(v.as_ptr()),
            Thing::Text(s) => usable(s.as_ptr()),
            Thing::Aligned(a) => usable(a.0),
        }
    }
}

// Keeps every fourth thing that comes in, drops the others, and sends its own on.
fn work(me: u64, rounds: u64, all_there: &Barrier, to: Sender<Thing>, from: Receiver<Thing>) -> usize {
    all_there.wait();
    let mut random = me + 1;
    let mut live = 0;
    for i in 0..rounds {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        to.send(Thing::make(random >> 20)).unwrap();
        if let Ok(thing) = from.recv() {
            if i % 4 == 0 {
                live += thing.bytes();
                std::mem::forget(thing);
            }
        }
    }
    live
}

fn main() {
    let rounds: u64 = std::env::args().nth(1).map_or(1000, |s| s.parse().unwrap());
    // What stays for the threads and for stdout comes before all else: libc's blocks are larger where a rest would not do.
    std::io::stdout().flush().unwrap();
    let all_there = Arc::new(Barrier::new(THREADS as usize));
    let (mut senders, mut receivers): (Vec<_>, Vec<_>) = (0..THREADS).map(|_| channel()).unzip();
    senders.rotate_left(1);
    let threads: Vec<_> = (0..THREADS)
        .map(|me| {
            let (to, from, all_there) = (senders.remove(0), receivers.remove(0), all_there.clone());
            let run = move || work(me, rounds, &all_there, to, from);
            thread::Builder::new().name(format!("worker-{}", me)).spawn(run).unwrap()
        })
        .collect();
    let live: usize = threads.into_iter().map(|t| t.join().unwrap()).sum();
    println!("live {}", live);
}
