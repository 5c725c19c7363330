//! The queue of waiters (lib/waitq.c): a release finds the waiter of its object among others of the bucket.
//!
//! Shown in `walk`: the release finds who was registered before it began, while another one leaves and comes back. In
//! `object`: it claims nobody that waits for something else by now. In `slot`: two that take a place in turn have it
//! alone. Without one of these orders a thread wakes without a waker in the trace, or was woken by who woke another.
//!
//! Not listed: RELEASE of take_slot's exchange, and ACQUIRE of its look before: nothing is read by what they order.
//! ACQUIRE of others_came's look, behind which comes nothing that rests on it. SEQ_CST of the count in waitq_register
//! is meant for a releaser that looks at the count RELAXED, before it releases: no order can make up for that, and what
//! it costs is a waker that the trace does not name.
use crate::explore::{explore, role, share, shown, Atomic, Plain, Variant};
use crate::Model;
use loom::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};

pub const MODEL: Model = Model {
    name: "waitq",
    holds: &["walk", "object", "slot"],
    breaks: &[
        "walk,waitq_register:release",
        "walk,wait_word:acquire",
        "walk,walk_from:acquire",
        "walk,waitq_leave:release-count",
        "object,waitq_register:release",
        "object,wait_word:acquire",
        "slot,take_slot:acquire",
        "slot,waitq_leave:release-word",
    ],
    run,
};

const RESERVED: u64 = 5;
const REGISTERED: u64 = 1;
const EARLY: u64 = 2;
const BLOCKED: u64 = 3;
const CLAIMED: u64 = 4;
const STATE_MASK: u64 = 7;

/// In `waiting`: waiters are in the lower half, and in the upper half those who ever came.
const CAME: u64 = 1 << 16;

const OURS: u64 = 1;
const THEIRS: u64 = 2;

struct Slot {
    word: Atomic,
    object: Atomic,
    place: Plain,
}

struct Waitq {
    v: Variant,
    tickets: Atomic,
    waiting: Atomic,
    reach: Atomic,
    slots: [Slot; 2],
}

impl Waitq {
    fn new(v: Variant) -> Waitq {
        let slot = || Slot {
            word: Atomic::new(0),
            object: Atomic::new(0),
            place: Plain::new(9),
        };
        Waitq {
            v,
            tickets: Atomic::new(0),
            waiting: Atomic::new(0),
            reach: Atomic::new(0),
            slots: [slot(), slot()],
        }
    }

    fn wait_word(&self, place: usize) -> u64 {
        self.slots[place].word.load(self.v.order("wait_word:acquire", Acquire))
    }

    fn take_slot(&self) -> usize {
        let order = self.v.acq_rel("take_slot:acquire", "take_slot:release");
        for (place, slot) in self.slots.iter().enumerate() {
            let none = slot.word.load(self.v.order("take_slot:acquire-look", Acquire));
            if none == 0 && slot.word.compare_exchange(0, RESERVED, order, Relaxed).is_ok() {
                slot.place.set(place as u64);
                return place;
            }
        }
        unreachable!("two have two places")
    }

    fn raise_reach(&self, places: u64) {
        let mut old = self.reach.load(Relaxed);
        while old < places {
            match self.reach.compare_exchange(old, places, Relaxed, Relaxed) {
                Ok(_) => return,
                Err(now) => old = now,
            }
        }
    }

    fn waitq_register(&self, object: u64) -> usize {
        self.waiting.fetch_add(
            CAME + 1,
            self.v.acq_rel("waitq_register:acquire", "waitq_register:release-count"),
        );
        let place = self.take_slot();
        self.raise_reach(place as u64 + 1);
        let ticket = self.tickets.fetch_add(1, Relaxed);
        let slot = &self.slots[place];
        slot.object.store(object, Relaxed);
        slot.word.store(
            ticket << 3 | REGISTERED,
            self.v.order("waitq_register:release", Release),
        );
        place
    }

    /// preload/wait.c: from now on nobody claims it.
    fn withdraw(&self, place: usize) {
        let word = &self.slots[place].word;
        let now = word.load(Acquire);
        if now & STATE_MASK == REGISTERED {
            let _ = word.compare_exchange(now, now & !STATE_MASK | EARLY, SeqCst, Acquire);
            /* or it is claimed */
        }
    }

    fn waitq_leave(&self, place: usize) {
        let slot = &self.slots[place];
        shown(slot.place.get() == place as u64, "a waiter has its place alone");
        slot.word.store(0, self.v.order("waitq_leave:release-word", Release));
        self.waiting
            .fetch_add(1u64.wrapping_neg(), self.v.order("waitq_leave:release-count", Release));
    }

    fn walk(&self, mut left: u64) -> Option<(usize, u64)> {
        let (mut found, reach) = (None, self.reach.load(Relaxed) as usize);
        for place in 0..reach {
            if left == 0 {
                break;
            }
            let word = self.wait_word(place);
            if word == 0 {
                continue;
            }
            let is_ours = self.slots[place].object.load(Relaxed) == OURS;
            if word != RESERVED {
                left -= 1;
            }
            let waits = matches!(word & STATE_MASK, REGISTERED | BLOCKED) && word != RESERVED;
            if waits && is_ours && found.is_none() {
                found = Some((place, word));
            }
        }
        found
    }

    fn oldest(&self) -> Option<(usize, u64)> {
        let waiting = self.waiting.load(self.v.order("walk_from:acquire", Acquire));
        let found = self.walk(waiting % CAME);
        let now = || self.waiting.load(self.v.order("others_came:acquire", Acquire));
        if found.is_some() || now() / CAME == waiting / CAME {
            return found;
        }
        self.walk(u64::MAX)
    }

    /// One attempt; whom it claims, by ticket.
    fn waitq_claim(&self) -> Option<u64> {
        let (place, word) = self.oldest()?;
        let claimed = word & !STATE_MASK | CLAIMED;
        let order = self.v.acq_rel("waitq_claim:acquire", "waitq_claim:release");
        self.slots[place]
            .word
            .compare_exchange(word, claimed, order, Relaxed)
            .ok()?;
        Some(word >> 3)
    }
}

/// One leaves, and comes back to wait for something else; behind it is one that waits for the object all the time.
fn walk(v: Variant) {
    let before = if v.scenario == "object" { OURS } else { THEIRS };
    explore(move || {
        let [of_other, of_releaser, q] = share(Waitq::new(v));
        let first = q.waitq_register(before);
        q.waitq_register(OURS);
        let other = role(move || {
            of_other.withdraw(first);
            of_other.waitq_leave(first);
            of_other.waitq_register(THEIRS);
        });
        let releaser = role(move || {
            let found = of_releaser.waitq_claim();
            if before == OURS {
                shown(found != Some(2), "who waits for something else is not claimed");
            } else {
                shown(found == Some(1), "the release finds who was there before it began");
            }
        });
        ([other, releaser], role(|| ()))
    });
}

fn slot(v: Variant) {
    explore(move || {
        let [of_one, of_other, _] = share(Waitq::new(v));
        let come_and_go = |q: &Waitq, object| {
            let place = q.waitq_register(object);
            q.waitq_leave(place);
        };
        let one = role(move || come_and_go(&of_one, OURS));
        ([one, role(move || come_and_go(&of_other, THEIRS))], role(|| ()))
    });
}

fn run(v: Variant) {
    match v.scenario {
        "slot" => slot(v),
        _ => walk(v),
    }
}
