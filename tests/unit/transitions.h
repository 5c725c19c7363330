/* Every transition of lib/sched, in a scene of two threads, one instruction at a time where the processor can. */
#ifndef THRACE_TESTS_TRANSITIONS_H
#define THRACE_TESTS_TRANSITIONS_H

#include "tests/unit/model.h"

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define CAN_STEP 1
#else
#define CAN_STEP 0
#endif

struct fixture {
    struct sched *s;
    struct sched_thread t, other;
};

enum { SCENE_PROCS = 4 };

/*
 * Where the other thread is in a system call, on the only P, so that t has to take that; where it has taken that of t;
 * and where it no longer needs it.
 */
enum { SCENE_THEFT = 16, SCENE_ROBBED = 32, SCENE_FREE = 64, SCENE_STATUS = SCENE_THEFT - 1 };

/*
 * What each writes, and what the thread writes next: it yields if it runs, else starts, wakes itself or ends its call.
 */
struct transition {
    const char *name;
    bool (*run)(struct fixture *);
    uint32_t from, to;
    const char *writes, *next_if_done, *next_if_not;
};
extern const struct transition transitions[];
extern const size_t ntransitions;

void scene_make(struct fixture *f, uint32_t scene);
void scene_discard(struct fixture *f);

/* Lets the thread make the next transition that its state has. */
bool scene_go_on(struct fixture *f);

/*
 * Fails, for the transition of that name, interrupted after n steps, unless each thread has the procs that its state
 * says. Returns how many have their bit set without an owner: those are lost to the recording, but to nobody's harm.
 */
int scene_check_procs(const struct fixture *f, const char *name, long n);

/* What whoever finds the thread's file reads there. */
const char *scene_file(const struct sched_thread *t);

/* The processor's trap flag: SIGTRAP after every instruction. */
static inline void step_on(void)
{
#if CAN_STEP
    __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
#endif
}

static inline void step_off(void)
{
#if CAN_STEP
    __asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
#endif
}

#endif
