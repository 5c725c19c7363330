/*
 * What is to become of USDT probes: mappings, one in a line or between semicolons,
 *
 *     PROVIDER:NAME=ACTION[(ARGUMENT[,ARGUMENT…])]        # up to the end of the line is a comment
 *
 * as `thrace record --probe` takes them. The pieces of a mapping point into the text.
 */
#ifndef THRACE_LIB_OPTIONS_PROBES_H
#define THRACE_LIB_OPTIONS_PROBES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/options/values.h"

enum probe_action {
#define THRACE_PROBE_ACTION(name, text, least, most, strings) PROBE_##name,
#include "lib/options/probe_actions.def"
#undef THRACE_PROBE_ACTION
};

enum { PROBE_ARGUMENTS_MAX = 12, PROBE_MAPPINGS_MAX = 256 };

struct probe_mapping {
    struct piece provider, name; /* patterns: *, ?, and - for the two underscores of the source */
    enum probe_action action;
    unsigned n;
    struct {
        uint8_t number; /* of the probe's argument, from 1 on */
        bool string;    /* it points to one */
    } argument[PROBE_ARGUMENTS_MAX];
    struct piece text; /* a name given to the region or task, or empty */
};

/* Takes the next mapping off. False: there is none, when rest is empty, or it makes no sense and begins rest. */
bool probe_mapping_take(struct piece *rest, struct probe_mapping *m);

/* There are only mappings in it, and not too many. Else *bad is the first that makes no sense. */
bool probe_mappings_ok(struct piece text, struct piece *bad);

bool probe_mapping_matches(const struct probe_mapping *m, const char *provider, const char *name);

#endif
