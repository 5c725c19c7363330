/*
 * The options of a recording. They are environment variables, which the library reads; `thrace record` has long options
 * for some, and reads them all before it starts a program, so that both understand and refuse the same.
 */
#ifndef THRACE_LIB_OPTIONS_OPTIONS_H
#define THRACE_LIB_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/options/values.h"

enum { SAMPLE_HZ_MAX = 10000, SAMPLE_HZ_DEFAULT = 99, OBJECTS_MAX = 1 << 16 };

enum start_when { START_NOW, START_OFF, START_DELAYED };

struct start_option {
    enum start_when when;
    uint64_t delay_ns;
    int signal; /* 0: none */
};

struct stop_option {
    uint64_t after_ns; /* of each, 0: never for that reason */
    uint64_t size;
    int signal;
};

/* Of the calls that fail. Most: EAGAIN only says that nothing is there yet. */
enum shown_errors { ERRORS_NONE, ERRORS_MOST, ERRORS_ALL };

/* What a flight recorder keeps; both 0: there is none. */
struct flight_option {
    uint64_t window_ns; /* 0: any time */
    uint64_t bytes;
    uint64_t generations;
};

/* When a flight recorder writes what it keeps, besides on command. */
struct snapshot_option {
    int signal;
    uint64_t wait_ns; /* after a wait that was longer; 0: after none */
    struct piece function; /* only a wait in this function, or "any" wait; length 0: one that another thread ended */
    bool exit;
};

struct options {
    struct flight_option flight;
    struct snapshot_option snapshot;
    uint64_t cooldown_ns;
    const char *out; /* a pattern (lib/options/out_path.h); NULL: do not record */
    struct start_option start;
    struct stop_option stop;
    uint64_t memory;  /* bytes of the pool */
    uint64_t control; /* listen to `thrace start` and its like */
    uint64_t follow;  /* children, too */
    uint64_t period_ns;
    uint64_t trace_version; /* 1.NN */
    uint64_t verbose;
    uint64_t launcher;
    uint64_t min_call_ns;
    uint64_t heap_sample; /* bytes */
    uint64_t heap_events;
    uint64_t lock_stats;
    uint64_t switches;
    uint64_t cpus; /* switches, and the CPUs of threads */
    uint64_t wakers; /* switches, and who wakes threads */
    uint64_t symbol_cache; /* for the command, which makes the trace */
    uint64_t classes; /* enum call_class */
    uint64_t cpu_hz;
    uint64_t unwind;      /* enum unwind_mode */
    uint64_t stack_depth; /* frames */
    uint64_t stack_kinds; /* enum stack_kind, a bit each */
    uint64_t annotations; /* enum annotations, a bit each */
    uint64_t max_objects; /* of a generation, whose waits are told apart */
    uint64_t errors;      /* enum shown_errors */
    uint64_t call_objects;
    const char *probes;   /* what becomes of USDT probes (lib/options/probes.h); NULL: nothing */
};

/* The kinds of events that can have a stack. An option says which of them get one. */
enum stack_kind {
#define THRACE_STACK_KIND(name, text, meaning) STACK_OF_##name##_NUMBER,
#include "lib/options/stack_kinds.def"
#undef THRACE_STACK_KIND
    STACK_KINDS,
#define THRACE_STACK_KIND(name, text, meaning) STACK_OF_##name = 1 << STACK_OF_##name##_NUMBER,
#include "lib/options/stack_kinds.def"
#undef THRACE_STACK_KIND
    STACK_OF_ANY = (1 << STACK_KINDS) - 1,
};

/* Interfaces for tracers whose calls are taken as annotations. */
enum annotations {
#define THRACE_ANNOTATIONS(name, text, variable) ANNOTATIONS_##name##_NUMBER,
#include "lib/options/annotations.def"
#undef THRACE_ANNOTATIONS
    ANNOTATIONS_KINDS,
#define THRACE_ANNOTATIONS(name, text, variable) ANNOTATIONS_##name = 1 << ANNOTATIONS_##name##_NUMBER,
#include "lib/options/annotations.def"
#undef THRACE_ANNOTATIONS
    ANNOTATIONS_ALL = (1 << ANNOTATIONS_KINDS) - 1,
};

/* What an option is called, and what it takes. */
struct option_kind {
    const char *variable;
    const char *flag; /* of `thrace record`, without the dashes; NULL: it has none */
    const char *takes;
};

/* The options in the order of options.def; NULL behind the last one. */
const struct option_kind *option_kind(unsigned i);

/* An option that is 0 or 1: its long option has no argument. */
bool option_is_switch(const struct option_kind *kind);

/* A value that makes no sense. */
struct option_fault {
    const struct option_kind *kind; /* NULL: there is none */
    const char *value;
};

/* Reads the options from the environment. False: *fault is the first bad value; that option must not be used. */
bool options_read(struct options *o, char **envp, struct option_fault *fault);

/*
 * The variable that was probably meant by an unknown one, as in THRACE_OUTPUT=x; name is what was written. NULL: the
 * entry of the environment is not ours, or is right.
 */
const char *option_meant(const char *entry, struct piece *name);

#endif
