//! Lists of modules (preload/snapshots.c, enter_hook and hook_done, modules_now): swapped in as a whole, used again
//! when no thread reads them any more.
//!
//! Shown: a thread in a hook reads a list that is complete, and nobody changes it meanwhile. Without one of these
//! orders a stack is unwound by a list that is half made, or that is being made of other modules: frames of functions
//! that were not on the stack, or loads from where nothing is mapped any more.
//!
//! There is no variant without membarrier: then no list is used again. What membarrier does is done by the model
//! (explore.rs). The locks of those who make lists are left out: there is one here. hook_sp is plain in the code.
//!
//! Not listed: SEQ_CST of the store of the pointer, of which RELEASE is needed, as a barrier follows; ACQUIRE of
//! hooks_have_left's look, which the second barrier makes up for.
use crate::explore::{
    explore, full_fence, membarrier, role, share, shown, Atomic, Interrupted, Membarrier, Plain, Variant,
};
use crate::Model;
use loom::sync::atomic::Ordering::{Acquire, Relaxed, Release};

pub const MODEL: Model = Model {
    name: "snapshots",
    holds: &["hooks"],
    breaks: &[
        "hooks,snapshot_publish:release",
        "hooks,modules_now:acquire",
        "hooks,least_read:first-membarrier",
        "hooks,least_read:second-membarrier",
    ],
    run,
};

struct Recorder {
    v: Variant,
    hook_sp: Atomic,
    current: Atomic,
    lists: [Plain; 2],
}

impl Recorder {
    /// A hook of the thread that reads.
    fn hook(&self, me: &Interrupted) {
        me.step();
        self.hook_sp.store(1, Relaxed);
        me.step();
        let now = self.current.load(self.v.order("modules_now:acquire", Acquire));
        me.step();
        let modules = self.lists[now as usize].get();
        shown(modules != 0, "the list is complete");
        me.step();
        self.hook_sp.store(0, Relaxed);
    }

    fn gate_barrier(&self, what: &str, barrier: &Membarrier) {
        if self.v.has(what) {
            barrier.call();
        } else {
            full_fence();
        }
    }

    fn fill(&self, list: u64, modules: u64) {
        self.lists[list as usize].set(modules);
    }

    /// Whether nobody reads the one before any more.
    fn snapshot_publish(&self, fresh: u64, barrier: &Membarrier) -> bool {
        self.current
            .store(fresh, self.v.order("snapshot_publish:release", Release));
        self.gate_barrier("least_read:first-membarrier", barrier);
        let has_left = self.hook_sp.load(self.v.order("hooks_have_left:acquire", Acquire)) == 0;
        self.gate_barrier("least_read:second-membarrier", barrier);
        has_left
    }
}

/// The reader is interrupted at these steps.
fn at_steps(v: Variant, at: Vec<u64>) {
    explore(move || {
        let [of_reader, r] = share(Recorder {
            v,
            hook_sp: Atomic::new(0),
            current: Atomic::new(0),
            lists: [Plain::new(1), Plain::new(0)],
        });
        let (barrier, me) = membarrier(&at);
        let reader = role(move || {
            of_reader.hook(&me);
            of_reader.hook(&me);
            me.rest();
        });
        let maker = role(move || {
            r.fill(1, 2);
            if r.snapshot_publish(1, &barrier) {
                r.fill(0, 3);
            }
        });
        ([reader, maker], role(|| ()))
    });
}

const STEPS: u64 = 9;

fn run(v: Variant) {
    let barriers =
        usize::from(v.has("least_read:first-membarrier")) + usize::from(v.has("least_read:second-membarrier"));
    for first in 0..STEPS {
        for second in first..STEPS {
            at_steps(v, [first, second][..barriers].to_vec());
        }
    }
}
