/* What this process records, and how: set by the constructor, and the same from then on. */
#ifndef THRACE_PRELOAD_CONFIG_H
#define THRACE_PRELOAD_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/options/classes.h"

struct config {
    uint32_t classes;     /* enum call_class: what is to be recorded */
    uint32_t stack_kinds; /* enum stack_kind */
    uint32_t annotations; /* enum annotations: those of other interfaces that are taken */
    uint32_t max_objects; /* objects of waits that are told apart in a generation; 0: none has a frame */
    uint16_t stack_depth;
    uint8_t unwind_mode;  /* enum unwind_mode */
    uint8_t errors;       /* enum shown_errors */
    bool call_objects;    /* stacks of system calls, too, have in front what the call is on */
    bool self_contained;  /* each generation is to be understood without those before it: they may be forgotten */
    uint64_t long_wait;   /* ticks, half of what roughly makes a wait remarkable; 0: none is */
    uint64_t min_call;    /* ticks: system calls shorter than this are only counted */
    uint64_t period_ns;   /* of a generation; 0: always time for the next one */
};

extern const struct config config;

/*
 * The same, to be filled in: only by the constructor, before anything is hooked. Whoever fills it in does not read
 * `config` in the same function: the compiler may read a constant at any time.
 */
extern struct config config_to_set;

/* What is hooked while nothing is recorded, and while something is. */
static inline uint32_t tracked_classes(void) { return RECORDING_ON | (config.classes & CLASS_TRACKED); }
static inline uint32_t recorded_classes(void) { return RECORDING_ON | config.classes; }

#endif
