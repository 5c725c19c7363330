//! Procs between threads (lib/sched_proc.h, lib/sched_proc.c, lib/sched.c): one in a system call, which another takes.
//!
//! Shown: a P's sequence number and thread are read and written by its holder alone, who sees what the holder before it
//! has written; and who takes a P knows when it was given. Without one of these orders the trace has a sequence number
//! of a P twice or with a gap, a ProcSteal that names another thread, or a P that is taken before it was given: readers
//! refuse such a trace.
//!
//! `steal`: one is in a call, another takes its P away, stops and gives it back. `unclaim`: the thief was torn out of
//! its transition, and takes back its claim.
//!
//! Not listed: ACQUIRE of proc_unclaim's look, at what its own thread has stored.
use crate::explore::{explore, role, share, shown, Atomic, Plain, Variant};
use crate::Model;
use loom::sync::atomic::Ordering::{Acquire, Relaxed, Release};

pub const MODEL: Model = Model {
    name: "steal",
    holds: &["steal", "unclaim"],
    breaks: &[
        "steal,sched_syscall_begin:release",
        "steal,proc_claim:acquire",
        "steal,proc_started:release",
        "steal,proc_reclaim:acquire-failed",
        "steal,proc_release:release",
        "steal,proc_take_free:acquire",
        "unclaim,proc_claim:acquire",
        "unclaim,proc_unclaim:release",
        "unclaim,proc_reclaim:acquire",
    ],
    run,
};

const HELD: u64 = 1;
const IN_CALL: u64 = 2;
const CLAIMED: u64 = 3;

/// The G of the one in the call, and of the thief.
const CALLER: u64 = 1;
const THIEF: u64 = 2;

fn proc_word(kind: u64, g: u64) -> u64 {
    g << 2 | kind
}

fn word_kind(word: u64) -> u64 {
    word & 3
}

/// One struct sched_proc, and its bit of the bitmap. At the beginning the caller holds it.
struct Proc {
    v: Variant,
    busy: Atomic,
    word: Atomic,
    given: Atomic,
    seq: Plain,
    m: Plain,
}

#[derive(PartialEq)]
enum State {
    Kept,
    Claimed,
    Gone,
}

impl Proc {
    fn proc_mark(&self, word: u64, what: &str) {
        self.word.store(word, self.v.order(what, Release));
    }

    fn proc_take_free(&self) -> bool {
        let acquire = self.v.order("proc_take_free:acquire", Acquire);
        self.busy.load(Relaxed) == 0 && self.busy.compare_exchange(0, 1, acquire, Relaxed).is_ok()
    }

    fn proc_release(&self) {
        self.busy
            .fetch_add(1u64.wrapping_neg(), self.v.order("proc_release:release", Release));
    }

    fn proc_claim(&self) -> Option<u64> {
        let word = self.word.load(Relaxed);
        if word_kind(word) != IN_CALL {
            return None;
        }
        let acquire = self.v.order("proc_claim:acquire", Acquire);
        self.word
            .compare_exchange(word, proc_word(CLAIMED, THIEF), acquire, Relaxed)
            .ok()
    }

    fn proc_unclaim(&self, claim_word: u64) {
        if self.word.load(self.v.order("proc_unclaim:acquire", Acquire)) == proc_word(CLAIMED, THIEF) {
            self.proc_mark(claim_word, "proc_unclaim:release");
        }
    }

    /// It looks once.
    fn proc_reclaim(&self) -> State {
        let (done, failed) = ("proc_reclaim:acquire", "proc_reclaim:acquire-failed");
        let (from, mine) = (proc_word(IN_CALL, CALLER), proc_word(HELD, CALLER));
        match self
            .word
            .compare_exchange(from, mine, self.v.order(done, Acquire), self.v.order(failed, Acquire))
        {
            Ok(_) => State::Kept,
            Err(word) if word == mine => State::Kept,
            Err(word) if word_kind(word) == CLAIMED => State::Claimed,
            Err(_) => State::Gone,
        }
    }

    fn txn_give(&self, time: u64) {
        self.given.store(time, Relaxed);
    }

    fn txn_take(&self) -> u64 {
        self.given.load(Relaxed)
    }

    fn proc_started(&self, g: u64, seq: u64) {
        self.seq.set(seq);
        self.m.set(g);
        self.proc_mark(proc_word(HELD, g), "proc_started:release");
    }

    fn sched_syscall_begin(&self) {
        self.seq.set(self.seq.get() + 1);
        self.proc_mark(proc_word(IN_CALL, CALLER), "sched_syscall_begin:release");
    }

    /// False: it is in the call for the trace until it tries again.
    fn sched_syscall_end(&self) -> bool {
        match self.proc_reclaim() {
            State::Kept => true,
            State::Claimed => false,
            State::Gone => {
                shown(self.txn_take() >= STOLEN, "who has lost its P knows when");
                if !self.proc_take_free() {
                    return false;
                }
                shown(self.txn_take() == GIVEN, "a P is taken after it was given");
                shown(self.seq.get() == 3, "nothing of the P's is missing");
                self.proc_started(CALLER, self.seq.get() + 1);
                true
            }
        }
    }
}

const STOLEN: u64 = 1;
const GIVEN: u64 = 2;

fn steal(p: &Proc) {
    if p.proc_claim().is_some() {
        shown(
            p.m.get() == CALLER && p.seq.get() == 1,
            "the ProcSteal says whose P it was",
        );
        p.txn_give(STOLEN);
        p.proc_started(THIEF, p.seq.get() + 2);
        p.txn_give(GIVEN);
        p.proc_release();
    }
}

fn unclaim(p: &Proc) {
    if let Some(claim_word) = p.proc_claim() {
        shown(
            p.m.get() == CALLER && p.seq.get() == 1,
            "the ProcSteal says whose P it was",
        );
        p.proc_unclaim(claim_word);
    }
}

fn run(v: Variant) {
    explore(move || {
        let [of_caller, of_thief, _] = share(Proc {
            v,
            busy: Atomic::new(1),
            word: Atomic::new(proc_word(HELD, CALLER)),
            given: Atomic::new(0),
            seq: Plain::new(0),
            m: Plain::new(CALLER),
        });
        let caller = role(move || {
            of_caller.sched_syscall_begin();
            if of_caller.sched_syscall_end() {
                of_caller.seq.set(of_caller.seq.get() + 1);
            }
        });
        let act = if v.scenario == "steal" { steal } else { unclaim };
        ([caller, role(move || act(&of_thief))], role(|| ()))
    });
}
