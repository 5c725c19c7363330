/* What was mapped, and when: finds the code of an address. */
#ifndef THRACE_CMD_FINISH_RECORDING_MODULES_H
#define THRACE_CMD_FINISH_RECORDING_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/finish/process_root.h"

struct symbolizer;
struct symbolize_message;

struct rec_module {
    uint64_t generation, time, start, end, bias;
    char *path;
    const uint8_t *build_id;
    size_t build_id_len;
    size_t mapping;    /* of mappings: the same file at the same place may be recorded many times */
    bool ours; /* the shim: its frames are not the program's */
    bool libc;
    bool runtime; /* of C++: a thread that starts in it runs a function of somebody else's */
};

enum { OVERLAYS = 32 };

/* One file at one place, and when it was recorded there: records[first …], in order. */
struct rec_mapping {
    uint64_t start, end;
    size_t first, n;
    int symbol_module;
    unsigned overlay; /* how many others were at the place before, modulo OVERLAYS */
};

struct rec_modules {
    struct rec_module *v;
    size_t n, cap;
    struct rec_mapping *mappings; /* by start */
    size_t nmappings;
    size_t *records; /* numbers of modules, by mapping */
    uint64_t longest_mapping;
    struct {
        uint64_t *v;
        size_t n, cap;
    } refreshes; /* the distinct times of modules, in order: each time, all that were mapped are there */
};

/* Adds a module and takes over its malloc'ed path. False: out of memory. */
bool rec_modules_add(struct rec_modules *ms, const struct rec_module *m);

/* Ends the adding: from now on there are epochs. */
void rec_modules_end(struct rec_modules *ms);

/* The epoch of a stack of that time. */
size_t rec_modules_epoch(const struct rec_modules *ms, uint64_t time);

/* Gives the symbolizer what was mapped in the process. False: out of memory. */
bool rec_modules_map(struct rec_modules *ms, struct symbolizer *symbolizer, const struct process_root *root,
                     unsigned pid);

/*
 * The module that had the address in that epoch: one that was mapped when it began, or else one that came in it. Of
 * epoch 0, or when there is none, that of the generation: the last one recorded until then, else the first one after.
 * Once they are mapped.
 */
const struct rec_module *rec_modules_find(const struct rec_modules *ms, uint64_t pc, uint64_t generation,
                                          size_t epoch);

/* Whether the user of the program at the path exe should see the message. */
bool rec_modules_worth_reporting(const struct rec_modules *ms, const char *exe, const struct symbolize_message *said);

void rec_modules_free(struct rec_modules *ms);

#endif
