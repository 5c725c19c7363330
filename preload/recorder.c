#include "preload/recorder.h"

#include <sys/mman.h>

#include "preload/config.h"

static struct owner nobody;

static struct stacktab_slot stack_slots[STACK_SLOTS], pair_slots[PAIR_SLOTS], more_pair_slots[MORE_PAIR_SLOTS];
static uint32_t slot_of_stack[STACKTAB_MAX(STACK_SLOTS) + 1], slot_of_pair[STACKTAB_MAX(PAIR_SLOTS) + 1],
    slot_of_more[STACKTAB_MAX(MORE_PAIR_SLOTS) + 1];

struct recorder recorder = {
    .owner = &nobody,
    .stacks = {.nslots = STACK_SLOTS, .slots = stack_slots, .slot_of = slot_of_stack},
    .pairs = {.nslots = PAIR_SLOTS, .slots = pair_slots, .slot_of = slot_of_pair},
    .more_pairs = {.nslots = MORE_PAIR_SLOTS, .slots = more_pair_slots, .slot_of = slot_of_more},
};

void seal_chunk(struct sched_thread *t)
{
    struct chunk *c = sched_detach_chunk(t);
    if (c)
        spool_seal(&recorder.spool, c);
}

void recorder_read_clocks(void)
{
    struct spool_header *h = recorder.spool.header;
    int64_t suspended_ns = recorder.suspended_ns;
    const struct clock_pair now = clock_read_all(&recorder.clock, &suspended_ns);
    if (clock_was_suspended(recorder.suspended_ns, suspended_ns))
        suspensions_note(&h->suspensions, h->last, now);
    recorder.suspended_ns = suspended_ns;
    h->last = now;
}

/* Not inherited: a child does not believe that it records. */
static struct owner *make_owner(void)
{
    enum { PAGE = 4096, WIPE_ON_FORK = 18 };
    long p = sys_mmap(PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (sys_failed(p))
        return NULL;
    raw_syscall(SYS_madvise, p, PAGE, WIPE_ON_FORK, 0, 0, 0);
    return (struct owner *)p;
}

enum { STEAL_AFTER_NS = 10000 };

bool recorder_init(bool has_threads)
{
    struct owner *owner = make_owner();
    if (!owner)
        return false;
    clock_start(&recorder.clock);
    recorder.pid = (int)sys_getpid();
    if (has_threads)
        gate_init_with_fences(&recorder.gate);
    else
        gate_init(&recorder.gate);
    recorder.sched.steal_after = (uint32_t)clock_roughly(&recorder.clock, STEAL_AFTER_NS);
    recorder.service.proc_taken = PROC_NONE;
    recorder.service.m = ID_NONE;
    *owner = (struct owner){tracked_classes(), 0, 1};
    __atomic_store_n(&recorder.owner, owner, __ATOMIC_RELEASE);
    return true;
}

void recorder_spare_fences(void)
{
    if (!gate_has_fences(&recorder.gate) || !gate_register())
        return;
    lock_take(&recorder.advance_lock);
    gate_spare_fences(&recorder.gate);
    lock_drop(&recorder.advance_lock);
}
