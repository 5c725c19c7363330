//! The line that waits to be said (preload/say.c): two threads have one to say, a third one says what there is.
//!
//! Shown: what is said is one of the lines, and whole. Without one of these orders it is made of two, or of one that is
//! not written yet: a reason for why something was not recorded that does not fit.
//!
//! pass_on is one function, and ACQ_REL of each of its four uses: each needs one half, which is listed.
use crate::explore::{explore, role, share, shown, Atomic, Plain, Variant};
use crate::Model;
use loom::sync::atomic::Ordering::Relaxed;

pub const MODEL: Model = Model {
    name: "say",
    holds: &["lines"],
    breaks: &[
        "lines,to-write:acquire",
        "lines,written:release",
        "lines,to-say:acquire",
        "lines,said:release",
    ],
    run,
};

const NOTHING: u64 = 0;
const IS_WRITTEN: u64 = 1;
const TO_SAY: u64 = 2;
const IS_SAID: u64 = 3;

struct Pending {
    v: Variant,
    state: Atomic,
    text: Plain,
    detail: Plain,
}

impl Pending {
    fn pass_on(&self, from: u64, to: u64, who: &str) -> bool {
        let order = self.v.acq_rel(&format!("{who}:acquire"), &format!("{who}:release"));
        self.state.load(Relaxed) == from && self.state.compare_exchange(from, to, order, Relaxed).is_ok()
    }

    fn say_later(&self, line: u64) {
        if !self.pass_on(NOTHING, IS_WRITTEN, "to-write") {
            return;
        }
        self.detail.set(line);
        self.text.set(line);
        self.pass_on(IS_WRITTEN, TO_SAY, "written");
    }

    fn say_pending(&self) {
        if !self.pass_on(TO_SAY, IS_SAID, "to-say") {
            return;
        }
        let text = self.text.get();
        let detail = self.detail.get();
        shown(text != 0 && text == detail, "a line is whole");
        self.pass_on(IS_SAID, NOTHING, "said");
    }
}

fn run(v: Variant) {
    explore(move || {
        let [of_one, of_other, p] = share(Pending {
            v,
            state: Atomic::new(NOTHING),
            text: Plain::new(0),
            detail: Plain::new(0),
        });
        let sayer = role(move || {
            p.say_pending();
        });
        (
            [
                role(move || of_one.say_later(1)),
                role(move || of_other.say_later(2)),
                sayer,
            ],
            role(|| ()),
        )
    });
}
