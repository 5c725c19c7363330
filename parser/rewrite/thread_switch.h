/* A thread and a processor, in the time of a trace. */
#ifndef THRACE_PARSER_REWRITE_THREAD_SWITCH_H
#define THRACE_PARSER_REWRITE_THREAD_SWITCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/switch_kind.h"

struct thread_switch {
    int64_t time; /* ns */
    uint32_t thread;
    uint16_t cpu;
    uint8_t kind;   /* enum switch_kind */
    bool ends_wait; /* with this one the thread came back from what it waited for */
};

/* By time. */
struct thread_switches {
    struct thread_switch *v;
    size_t n;
};

#endif
