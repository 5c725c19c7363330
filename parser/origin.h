/*
 * Where a trace is from: of which process, of which boot of a machine, and what its clocks showed when. Each generation
 * of a recording says so in two strings that no event refers to.
 */
#ifndef THRACE_PARSER_ORIGIN_H
#define THRACE_PARSER_ORIGIN_H

#include "gotrace/reader.h"

enum { ORIGIN_BOOT = 36, ORIGIN_NAME = 64 };

struct origin {
    bool has_clock;
    int64_t trace; /* ns, when the clocks showed: */
    uint64_t mono; /* ns */
    int64_t wall;  /* ns since 1970 */
    char boot[ORIGIN_BOOT + 1]; /* of the machine; "": not known */
    uint64_t pid;
    char name[ORIGIN_NAME + 1]; /* of the program; "": not known */
    uint64_t cpu_hz;            /* 0: not said */
    bool has_sums;              /* a heap profile, how locks were used, or how often threads changed CPUs */
};

/* Adds what a generation says, as it begins. */
void origin_learn(struct origin *o, const struct gotrace_event *sync);

/* The two strings: their lengths. */
enum { ORIGIN_NOTE = 256 };
size_t origin_clock_note(const struct origin *o, char note[ORIGIN_NOTE]);
size_t origin_process_note(const struct origin *o, char note[ORIGIN_NOTE]);

/* Likewise how often the CPU was sampled, which the first generation says if it is not the usual number. */
size_t origin_rate_note(const struct origin *o, char note[ORIGIN_NOTE]);

/* What is called so, in characters that a thread's name can have in front of a slash. */
void origin_set_name(struct origin *o, const char *name);

#endif
