//! The lists of chunks (lib/spool.c): free list → owner → full list → log → free list.
//!
//! Shown: who has a chunk has it alone, and sees what was written into it before; no link leads elsewhere. Without one
//! of these orders the drain writes bytes to the log that the owner had not stored yet, an owner writes into a chunk
//! that is still being drained, or a list is cut off or has a chunk twice: batches are lost, or in the trace with
//! others' bytes.
//!
//! `cycle`: an owner fills chunks and hands them in, a drain takes them all and frees them. `contend`: two take from
//! the free list and give back. `restore`: a drain that could not write puts back what it took.
//!
//! Not listed: ACQUIRE of a pop that succeeds. Each push makes a word that was never there, so the exchange reads the
//! store that the load before it has read, by ACQUIRE. RELEASE of full_list_restore: only a drain takes that list
//! apart, under the drain lock, which orders it as well. What log_pos, log_end and used are stored by is for readers
//! after a kill (docs/models/chunk.pml).
use crate::explore::{explore, role, share, shown, Atomic, Plain, Variant};
use crate::Model;
use loom::sync::atomic::Ordering::{Acquire, Relaxed, Release};

pub const MODEL: Model = Model {
    name: "lists",
    holds: &["cycle", "contend", "restore"],
    breaks: &[
        "cycle,free_list_push:release",
        "cycle,free_list_pop:acquire",
        "cycle,free_list_pop:acquire-failed",
        "cycle,full_list_push:release",
        "cycle,spool_drain:acquire",
        "contend,free_list_push:release",
        "contend,free_list_pop:acquire",
        "contend,free_list_pop:acquire-failed",
        "restore,full_list_restore:acquire",
        "restore,full_list_push:release",
    ],
    run,
};

/// Of a word of the free list: the index + 1. Above it is the tag.
const INDEX: u64 = u32::MAX as u64;

/// What is in the list's link is atomic in the code, too; the bytes stand for all else.
struct Chunk {
    next: Atomic,
    data: Plain,
}

struct Spool {
    v: Variant,
    chunks: Vec<Chunk>,
    free_list: Atomic,
    full_list: Atomic,
}

impl Spool {
    /// With the first so many chunks on the free list, chunk 0 at its head.
    fn new(v: Variant, chunks: u64, free: u64) -> Spool {
        let chunk = |i| Chunk {
            next: Atomic::new(if i + 1 < free { i + 2 } else { 0 }),
            data: Plain::new(0),
        };
        Spool {
            v,
            chunks: (0..chunks).map(chunk).collect(),
            free_list: Atomic::new(u64::from(free != 0)),
            full_list: Atomic::new(0),
        }
    }

    fn chunk(&self, index: u64) -> &Chunk {
        &self.chunks[index as usize]
    }

    fn set_next(&self, c: u64, next: u64) {
        self.chunk(c).next.store(next, Relaxed);
    }

    fn next_of(&self, c: u64) -> u64 {
        self.chunk(c).next.load(Relaxed)
    }

    fn free_list_push(&self, c: u64) {
        let order = self.v.order("free_list_push:release", Release);
        let mut old = self.free_list.load(Relaxed);
        loop {
            self.set_next(c, old & INDEX);
            let new = ((old >> 32) + 1) << 32 | (c + 1);
            match self.free_list.compare_exchange(old, new, order, Relaxed) {
                Ok(_) => return,
                Err(now) => old = now,
            }
        }
    }

    fn free_list_pop(&self) -> Option<u64> {
        let failed = self.v.order("free_list_pop:acquire-failed", Acquire);
        let mut old = self.free_list.load(self.v.order("free_list_pop:acquire", Acquire));
        loop {
            let c = (old & INDEX).checked_sub(1)?;
            let new = (old >> 32) << 32 | self.next_of(c);
            let done = self.v.order("free_list_pop:acquire-done", Acquire);
            match self.free_list.compare_exchange(old, new, done, failed) {
                Ok(_) => return Some(c),
                Err(now) => old = now,
            }
        }
    }

    fn full_list_push(&self, c: u64) {
        let order = self.v.order("full_list_push:release", Release);
        let mut old = self.full_list.load(Relaxed);
        loop {
            self.set_next(c, old);
            match self.full_list.compare_exchange(old, c + 1, order, Relaxed) {
                Ok(_) => return,
                Err(now) => old = now,
            }
        }
    }

    fn full_list_restore(&self, mut newest: u64) {
        let order = self.v.order("full_list_restore:release", Release);
        while self.full_list.compare_exchange(0, newest + 1, order, Relaxed).is_err() {
            let acquire = self.v.order("full_list_restore:acquire", Acquire);
            let newer = self.full_list.swap(0, acquire);
            if newer != 0 {
                let mut last = newer - 1;
                while self.next_of(last) != 0 {
                    last = self.next_of(last) - 1;
                }
                self.set_next(last, newest + 1);
                newest = newer - 1;
            }
        }
    }

    fn take_full(&self) -> u64 {
        self.full_list.swap(0, self.v.order("spool_drain:acquire", Acquire))
    }

    fn drain(&self) {
        let mut c = self.take_full();
        while c != 0 {
            let next = self.next_of(c - 1);
            shown(self.read(c - 1) != 0, "a full chunk has its bytes");
            self.write(c - 1, 0);
            self.free_list_push(c - 1);
            c = next;
        }
    }

    fn read(&self, c: u64) -> u64 {
        self.chunk(c).data.get()
    }

    fn write(&self, c: u64, data: u64) {
        self.chunk(c).data.set(data);
    }

    fn count_free(&self) -> usize {
        (0..self.chunks.len())
            .take_while(|_| self.free_list_pop().is_some())
            .count()
    }
}

fn fill(s: &Spool) {
    if let Some(c) = s.free_list_pop() {
        shown(s.read(c) == 0, "a free chunk was drained");
        s.write(c, 1);
        s.full_list_push(c);
    }
}

fn take_and_give_back(s: &Spool) {
    if let Some(c) = s.free_list_pop() {
        s.write(c, s.read(c) + 1);
        s.free_list_push(c);
    }
}

fn cycle(v: Variant) {
    explore(move || {
        let [of_owner, of_drain, s] = share(Spool::new(v, 2, 2));
        let owner = role(move || (0..3).for_each(|_| fill(&of_owner)));
        let end = role(move || {
            s.drain();
            shown(s.count_free() == 2, "no chunk is lost, and none is there twice");
        });
        ([owner, role(move || of_drain.drain())], end)
    });
}

fn contend(v: Variant) {
    explore(move || {
        let [of_one, of_other, s] = share(Spool::new(v, 3, 2));
        let one = role(move || {
            of_one.free_list_push(2);
            take_and_give_back(&of_one);
        });
        let end = role(move || shown(s.count_free() == 3, "no chunk is lost, and none is there twice"));
        ([one, role(move || take_and_give_back(&of_other))], end)
    });
}

fn restore(v: Variant) {
    explore(move || {
        let [of_owner, of_drain, s] = share(Spool::new(v, 3, 0));
        s.full_list_push(0);
        let owner = role(move || (1..3).for_each(|c| of_owner.full_list_push(c)));
        let drain = role(move || {
            let newest = of_drain.take_full();
            shown(newest != 0, "there is a full chunk");
            of_drain.full_list_restore(newest - 1);
        });
        let end = role(move || {
            let (mut c, mut n) = (s.take_full(), 0);
            while c != 0 && n <= 3 {
                c = s.next_of(c - 1);
                n += 1;
            }
            shown(n == 3, "what was put back is there, once, and what came meanwhile");
        });
        ([owner, drain], end)
    });
}

fn run(v: Variant) {
    match v.scenario {
        "cycle" => cycle(v),
        "contend" => contend(v),
        _ => restore(v),
    }
}
