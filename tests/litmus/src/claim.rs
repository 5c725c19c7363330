//! The wakeup claim (lib/waitq.h, wait_block, withdraw and wake_next in preload/wait.c): who releases an object claims
//! a waiter by its slot's word, and writes that it woke.
//!
//! Shown: a claim that succeeds was made by what its waiter's state was in that wait. So without one of these orders
//! the trace has a GoUnblock with a sequence number of an earlier wait, which readers refuse, or before the GoBlock.
//! `early`: a waiter that is only registered is told to look again, and then sees that the object was released. Without
//! that it blocks in the trace, and nobody was seen to wake it.
//!
//! The waiter's state is read while it may change, on purpose: it is atomic here, RELAXED.
//!
//! Not listed: ACQUIRE of sched_current's look at commits, and of an exchange in wait_move that fails: here the word's
//! own look is one. SEQ_CST of wait_move and of the word's store is no more than ACQ_REL for loom; of each exchange
//! only the half that is listed is missed; was_released_early acquires twice, by its look and by its exchange. That a
//! claimer's looks at the state are over once the waiter sees the claim is ACQUIRE and RELEASE, too; loom lets no load
//! see what is stored later.
use crate::explore::{explore, role, share, shown, Atomic, Variant};
use crate::Model;
use loom::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};

pub const MODEL: Model = Model {
    name: "claim",
    holds: &["wake", "early"],
    breaks: &[
        "wake,wait_block:release",
        "wake,waitq_claim:acquire",
        "early,waitq_claim:release",
    ],
    run,
};

const REGISTERED: u64 = 1;
const EARLY: u64 = 2;
const BLOCKED: u64 = 3;
const CLAIMED: u64 = 4;
const STATE_MASK: u64 = 7;

/// A slot's word: the state, and the ticket, which is the number of the wait. The object is free once it is 1.
struct Wait {
    v: Variant,
    word: Atomic,
    commits: Atomic,
    g_seq: [Atomic; 2],
    object: Atomic,
}

impl Wait {
    fn wait_word(&self, what: &str) -> u64 {
        self.word.load(self.v.order(what, Acquire))
    }

    fn wait_move(&self, word: u64, to: u64, who: &str) -> bool {
        let order = self
            .v
            .acq_rel(&format!("{who}:acquire-done"), &format!("{who}:release"));
        let failed = self.v.order("wait_move:acquire-failed", Acquire);
        self.word
            .compare_exchange(word, word & !STATE_MASK | to, order, failed)
            .is_ok()
    }

    /// txn_commit: the sequence number of the wait, twice its ticket.
    fn commit(&self, g_seq: u64) {
        let commits = self.commits.load(Relaxed);
        self.g_seq[(!commits & 1) as usize].store(g_seq, Relaxed);
        self.commits.store(commits + 1, self.v.order("commit:release", Release));
    }

    fn waitq_register(&self, ticket: u64) {
        self.word
            .store(ticket << 3 | REGISTERED, self.v.order("waitq_register:seq_cst", SeqCst));
    }

    fn was_released_early(&self) -> bool {
        let word = self.wait_word("was_released_early:acquire");
        word & STATE_MASK == EARLY && self.wait_move(word, REGISTERED, "was_released_early")
    }

    fn withdraw(&self) {
        loop {
            let word = self.wait_word("withdraw:acquire");
            if word & STATE_MASK == CLAIMED || self.wait_move(word, EARLY, "withdraw") {
                return;
            }
        }
    }

    fn waitq_leave(&self) {
        self.word.store(0, self.v.order("waitq_leave:release", Release));
    }

    /// wait_block, and wait_end behind it.
    fn wait(&self, ticket: u64) {
        self.waitq_register(ticket);
        if self.v.scenario == "early" && self.was_released_early() {
            shown(self.object.load(Relaxed) == 1, "who is told to look again sees why");
            self.waitq_leave();
            return;
        }
        self.commit(2 * ticket);
        self.wait_move(ticket << 3 | REGISTERED, BLOCKED, "wait_block");
        self.withdraw();
        self.waitq_leave();
        self.commit(2 * ticket + 1);
    }

    /// The waiter's sequence number, by sched_wakeup_of.
    fn promise(&self) -> u64 {
        let commits = self.commits.load(self.v.order("sched_current:acquire", Acquire));
        self.g_seq[(commits & 1) as usize].load(Relaxed)
    }

    fn waitq_claim(&self) {
        let word = self.wait_word("waitq_claim:acquire");
        match word & STATE_MASK {
            BLOCKED => {
                let g_seq = self.promise();
                if self.wait_move(word, CLAIMED, "waitq_claim") {
                    shown(g_seq == 2 * (word >> 3), "a GoUnblock is of the wait that it ends");
                }
            }
            REGISTERED => {
                self.wait_move(word, EARLY, "waitq_claim");
            }
            _ => (),
        }
    }
}

fn run(v: Variant) {
    explore(move || {
        let [of_waiter, of_releaser, _] = share(Wait {
            v,
            word: Atomic::new(0),
            commits: Atomic::new(0),
            g_seq: [Atomic::new(0), Atomic::new(0)],
            object: Atomic::new(0),
        });
        let waiter = role(move || {
            of_waiter.wait(1);
            if v.scenario == "wake" {
                of_waiter.wait(2);
            }
        });
        let releaser = role(move || {
            of_releaser.object.store(1, Relaxed);
            of_releaser.waitq_claim();
        });
        ([waiter, releaser], role(|| ()))
    });
}
