//! What the models have in common: variants, the search, and membarrier(2).
use loom::cell::UnsafeCell;
use loom::sync::atomic::Ordering::{self, Relaxed};
use loom::sync::atomic::{fence, AtomicU64};
use loom::sync::mpsc::{channel, Receiver, Sender};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::atomic::AtomicU64 as Count;

/// What is run: "SCENARIO", or "SCENARIO,FUNCTION:ORDER" with that one order left out.
#[derive(Clone, Copy)]
pub struct Variant {
    pub scenario: &'static str,
    without: &'static str,
}

impl Variant {
    pub fn of(name: &'static str) -> Variant {
        let (scenario, without) = name.split_once(',').unwrap_or((name, ""));
        Variant { scenario, without }
    }

    pub fn has(&self, what: &str) -> bool {
        self.without.is_empty() || self.without != what
    }

    /// The order that the code has.
    pub fn order(&self, what: &str, order: Ordering) -> Ordering {
        if self.has(what) {
            order
        } else {
            Ordering::Relaxed
        }
    }

    /// ACQ_REL or SEQ_CST of one operation, of which either half can be left out.
    pub fn acq_rel(&self, acquire: &str, release: &str) -> Ordering {
        match (self.has(acquire), self.has(release)) {
            (true, true) => Ordering::AcqRel,
            (true, false) => Ordering::Acquire,
            (false, true) => Ordering::Release,
            (false, false) => Ordering::Relaxed,
        }
    }

    pub fn full_fence(&self, what: &str) {
        if self.has(what) {
            full_fence();
        }
    }
}

pub fn full_fence() {
    fence(Ordering::SeqCst);
}

/// What the program tells its own faults by, and loom's from what is wrong with a model.
pub const FAULT: &str = "fault: ";

pub fn shown(holds: bool, what: &str) {
    if !holds {
        panic!("{FAULT}not so: {what}");
    }
}

pub static EXECUTIONS: Count = Count::new(0);

/// Memory that is not atomic: two threads that are at it at once, of which one writes, are a fault.
pub struct Plain(UnsafeCell<u64>);

impl Plain {
    #[track_caller]
    pub fn new(value: u64) -> Plain {
        Plain(UnsafeCell::new(value))
    }

    #[track_caller]
    pub fn get(&self) -> u64 {
        unsafe { *self.0.get().deref() }
    }

    #[track_caller]
    pub fn set(&self, value: u64) {
        unsafe { *self.0.get_mut().deref() = value }
    }
}

/// loom tries a step of a thread before the one that it depends on, and of several it knows the last. Where a thread
/// loads and then exchanges, its own load hides that another one has loaded before, and loom misses interleavings. So
/// each operation has another one in front, which depends on all before it and orders nothing.
pub struct Atomic {
    value: AtomicU64,
    turn: AtomicU64,
}

impl Atomic {
    pub fn new(value: u64) -> Atomic {
        Atomic {
            value: AtomicU64::new(value),
            turn: AtomicU64::new(0),
        }
    }

    fn at_turn(&self) -> &AtomicU64 {
        self.turn.fetch_add(1, Relaxed);
        &self.value
    }

    #[track_caller]
    pub fn load(&self, order: Ordering) -> u64 {
        self.at_turn().load(order)
    }

    #[track_caller]
    pub fn store(&self, value: u64, order: Ordering) {
        self.at_turn().store(value, order);
    }

    #[track_caller]
    pub fn swap(&self, value: u64, order: Ordering) -> u64 {
        self.at_turn().swap(value, order)
    }

    #[track_caller]
    pub fn fetch_add(&self, n: u64, order: Ordering) -> u64 {
        self.at_turn().fetch_add(n, order)
    }

    #[track_caller]
    pub fn compare_exchange(&self, from: u64, to: u64, done: Ordering, failed: Ordering) -> Result<u64, u64> {
        self.at_turn().compare_exchange(from, to, done, failed)
    }
}

/// A thread of a model, or what is shown when all have ended.
pub type Role = Box<dyn FnOnce()>;

pub fn role(role: impl FnOnce() + 'static) -> Role {
    Box::new(role)
}

/// For each role, and for what is shown at the end.
pub fn share<T, const N: usize>(shared: T) -> [Rc<T>; N] {
    let shared = Rc::new(shared);
    [(); N].map(|_| shared.clone())
}

/// Where threads lose their processor while they could go on, so often in one execution at most: all of it takes
/// minutes.
const PREEMPTIONS: usize = 3;

/// All interleavings of the threads with so many preemptions, and for each load all values that it may see.
pub fn explore<const N: usize>(body: impl Fn() -> ([Role; N], Role) + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(PREEMPTIONS);
    builder.max_permutations = None;
    builder.max_duration = None;
    builder.checkpoint_file = None;
    builder.max_branches = 10_000;
    builder.check(move || {
        EXECUTIONS.fetch_add(1, Relaxed);
        let (roles, end) = body();
        for thread in roles.map(loom::thread::spawn) {
            thread.join().unwrap();
        }
        end();
    });
}

/// The caller's side of membarrier(2). What an interrupt does is a fence in the other thread, at a step of that one
/// which comes after the call and before its return. loom does not interrupt; so the other thread waits for the
/// call at one of its steps, and the search is made anew for each of them.
pub struct Membarrier {
    ask: Sender<()>,
    passed: Receiver<()>,
}

impl Membarrier {
    pub fn call(&self) {
        full_fence();
        self.ask.send(()).unwrap();
        self.passed.recv().unwrap();
        full_fence();
    }
}

/// The other side: the steps at which this thread is interrupted, in their order.
pub struct Interrupted {
    asked: Receiver<()>,
    pass: Sender<()>,
    at: RefCell<Vec<u64>>,
    step: Cell<u64>,
}

impl Interrupted {
    /// Between any two operations of the thread on what others see.
    pub fn step(&self) {
        while self.at.borrow().first() == Some(&self.step.get()) {
            self.pass();
        }
        self.step.set(self.step.get() + 1);
    }

    /// It waits, or ends: whatever is still to come comes now.
    pub fn rest(&self) {
        while !self.at.borrow().is_empty() {
            self.pass();
        }
    }

    fn pass(&self) {
        self.at.borrow_mut().remove(0);
        self.asked.recv().unwrap();
        full_fence();
        self.pass.send(()).unwrap();
    }
}

pub fn membarrier(at: &[u64]) -> (Membarrier, Interrupted) {
    let (ask, asked) = channel();
    let (pass, passed) = channel();
    let (at, step) = (RefCell::new(at.to_vec()), Cell::new(0));
    (Membarrier { ask, passed }, Interrupted { asked, pass, at, step })
}
