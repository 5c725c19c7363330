//! The writer gate (lib/gate.h, lib/gate.c): one thread changes the generation under another that writes.
//!
//! Shown: the advancer works alone; it sees all that the writer wrote inside, and the writer sees all that it wrote. So
//! without any one of these orders a writer is inside while the generation changes, or an event is encoded with what
//! was so in another one: it lands in a batch of the wrong generation, with a sequence number of the wrong one.
//!
//! `fences`: the kernel has no membarrier, both sides pay a fence. `membarrier`: the writer pays none. `narrow`:
//! likewise, and the gate is narrow before it is shut. `hold`: while it is narrow the advancer holds the writer. What
//! membarrier does is done by the model (explore.rs).
//!
//! Not listed, since nothing breaks without: SEQ_CST of the store of GATE_CLOSED, which a fence follows; RELEASE where
//! a writer that is refused lowers its flag, as it has written nothing since it raised it; ACQUIRE of gate_wait and of
//! gate_pass's first look, behind which another look comes.
use crate::explore::{
    explore, full_fence, membarrier, role, share, shown, Atomic, Interrupted, Membarrier, Plain, Variant,
};
use crate::Model;
use loom::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use loom::thread;

pub const MODEL: Model = Model {
    name: "gate",
    holds: &["fences", "membarrier", "narrow", "hold"],
    breaks: &[
        "fences,gate_enter:fence",
        "fences,gate_enter:acquire",
        "fences,gate_leave:release",
        "fences,gate_close:fence",
        "fences,gate_await_writer:acquire",
        "fences,gate_open:release",
        "membarrier,gate_enter:acquire",
        "membarrier,gate_leave:release",
        "membarrier,gate_close:membarrier",
        "membarrier,gate_await_writer:acquire",
        "membarrier,gate_open:release",
        "narrow,gate_narrow:membarrier",
        "narrow,gate_shut:fence",
        "narrow,gate_enter:acquire",
        "narrow,gate_pass:fence",
        "narrow,gate_pass:acquire",
        "narrow,gate_leave:release",
        "narrow,gate_await_writer:acquire",
        "narrow,gate_open:release",
        "hold,gate_narrow:membarrier",
        "hold,gate_hold:fence",
        "hold,gate_hold:acquire",
        "hold,gate_let_go:release",
        "hold,gate_pass:fence",
        "hold,gate_pass:acquire-held",
        "hold,gate_leave:release",
        "hold,gate_open:release",
    ],
    run,
};

const GATE_OPEN: u64 = 0;
const GATE_CLOSED: u64 = 1;
const GATE_NARROW: u64 = 2;

/// struct gate, struct writer, and what they guard: what the advancer alone changes, and what the writer writes.
struct Gate {
    v: Variant,
    state: Atomic,
    writing: Atomic,
    held: Atomic,
    generation: Plain,
    written: Plain,
}

impl Gate {
    fn has_fences(&self) -> bool {
        self.v.scenario == "fences"
    }

    fn gate_enter(&self, me: &Interrupted) -> bool {
        self.writing.store(1, Relaxed);
        me.step();
        if self.has_fences() {
            self.v.full_fence("gate_enter:fence");
        }
        if self.state.load(self.v.order("gate_enter:acquire", Acquire)) != GATE_OPEN {
            me.step();
            self.writing.store(0, self.v.order("gate_enter:release", Release));
            return false;
        }
        true
    }

    fn gate_leave(&self) {
        self.writing.store(0, self.v.order("gate_leave:release", Release));
    }

    fn gate_wait(&self, me: &Interrupted) {
        me.rest();
        while self.state.load(self.v.order("gate_wait:acquire", Acquire)) == GATE_CLOSED {
            thread::yield_now();
        }
    }

    fn gate_pass(&self, me: &Interrupted) -> bool {
        if self.state.load(self.v.order("gate_pass:acquire-look", Acquire)) == GATE_CLOSED {
            return false;
        }
        me.step();
        self.writing.store(1, Relaxed);
        self.v.full_fence("gate_pass:fence");
        let held = self.held.load(self.v.order("gate_pass:acquire-held", Acquire)) != 0;
        if self.state.load(self.v.order("gate_pass:acquire", Acquire)) != GATE_CLOSED && !held {
            return true;
        }
        self.gate_leave();
        if held {
            me.rest();
            while self.held.load(Relaxed) != 0 {
                thread::yield_now();
            }
        }
        false
    }

    fn set_for_all(&self, state: u64, barrier: &Membarrier) {
        self.state.store(state, self.v.order("gate_close:seq_cst", SeqCst));
        if self.has_fences() {
            self.v.full_fence("gate_close:fence");
        } else if self.v.has("gate_close:membarrier") && self.v.has("gate_narrow:membarrier") {
            barrier.call();
        } else {
            full_fence();
        }
    }

    fn gate_shut(&self) {
        self.state.store(GATE_CLOSED, self.v.order("gate_shut:seq_cst", SeqCst));
        self.v.full_fence("gate_shut:fence");
    }

    fn gate_open(&self) {
        self.state.store(GATE_OPEN, self.v.order("gate_open:release", Release));
    }

    fn gate_hold(&self) -> bool {
        self.held.store(1, Relaxed);
        self.v.full_fence("gate_hold:fence");
        if self.writing.load(self.v.order("gate_hold:acquire", Acquire)) == 0 {
            return true;
        }
        self.gate_let_go();
        false
    }

    fn gate_let_go(&self) {
        self.held.store(0, self.v.order("gate_let_go:release", Release));
    }

    fn gate_await_writer(&self) {
        while self.writing.load(self.v.order("gate_await_writer:acquire", Acquire)) != 0 {
            thread::yield_now();
        }
    }

    /// A section of the writer.
    fn section(&self, me: &Interrupted) {
        me.step();
        while !self.gate_enter(me) && !self.gate_pass(me) {
            self.gate_wait(me);
        }
        me.step();
        let generation = self.generation.get();
        self.written.set(generation + 1);
        me.step();
        self.gate_leave();
    }

    /// What the advancer does while the writer is out.
    fn work(&self) {
        let written = self.written.get();
        self.generation.set(self.generation.get() + 1);
        shown(written <= 2, "the writer wrote what it saw");
    }

    fn advance(&self, barrier: &Membarrier) {
        match self.v.scenario {
            "narrow" | "hold" => self.set_for_all(GATE_NARROW, barrier),
            _ => self.set_for_all(GATE_CLOSED, barrier),
        }
        if self.v.scenario == "hold" {
            if self.gate_hold() {
                self.work();
                self.gate_let_go();
            }
        } else {
            if self.v.scenario == "narrow" {
                self.gate_shut();
            }
            self.gate_await_writer();
            self.work();
        }
        self.gate_open();
    }
}

/// The writer is interrupted at this step.
fn at_step(v: Variant, at: &'static [u64]) {
    explore(move || {
        let [of_writer, gate] = share(Gate {
            v,
            state: Atomic::new(GATE_OPEN),
            writing: Atomic::new(0),
            held: Atomic::new(0),
            generation: Plain::new(0),
            written: Plain::new(0),
        });
        let (barrier, me) = membarrier(at);
        let writer = role(move || {
            of_writer.section(&me);
            me.rest();
        });
        ([writer, role(move || gate.advance(&barrier))], role(|| ()))
    });
}

fn run(v: Variant) {
    if v.scenario == "fences" || !v.has("gate_close:membarrier") || !v.has("gate_narrow:membarrier") {
        at_step(v, &[]);
        return;
    }
    const STEPS: [[u64; 1]; 10] = [[0], [1], [2], [3], [4], [5], [6], [7], [8], [9]];
    for at in &STEPS {
        at_step(v, at);
    }
}
