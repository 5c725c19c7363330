/* What happens when the program comes to a probe. */
#ifndef THRACE_PRELOAD_PROBES_FIRE_H
#define THRACE_PRELOAD_PROBES_FIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/probes/operands.h"

struct name;

/* One thing to do at a probe. */
struct probe_act {
    uint8_t action; /* enum probe_action */
    bool all;       /* arguments of the probe, each as a number */
    uint8_t n;
    struct {
        uint8_t number; /* from 0 on */
        bool string;
    } argument[OPERANDS_MAX];
    struct name *name; /* of the region or task, the category of the message */
    uint64_t provider; /* tells providers apart: tasks of two have keys of their own */
};

struct probe {
    uintptr_t behind; /* the nop: as if it were a call, it would return to here */
    uint16_t nacts, noperands;
    bool tracks; /* regions, which are known also while nothing is recorded */
    const struct probe_act *act;
    struct operand operand[OPERANDS_MAX];
};

/* Asked first by probe_entry: is there anything to do in this thread, and stack enough? */
bool probe_admit(uintptr_t sp, const struct probe *probe);

/* Called by probe_entry then, with the registers as they are at the probe. Async-signal-safe. */
void probe_fire(const struct probe_regs *regs, const struct probe *probe);

#if defined(__x86_64__)
/*
 * What the trampolines call, with the probe in rax, on the stack as it is at the probe less 128 bytes, the flags, rax
 * and the return address. It preserves all registers but rax and the flags, vectors included.
 */
void probe_entry(void);

/* Once before. False: the processor, or the kernel, does not save vector registers. */
bool probe_entry_begin(void);
#endif

#endif
