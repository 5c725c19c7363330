/* The versions of the format: what versions.def says of each. */
#ifndef THRACE_LIB_WIRE_VERSION_H
#define THRACE_LIB_WIRE_VERSION_H

#include <stdbool.h>
#include <stdint.h>

struct wire_version {
    uint8_t nn; /* of 1.NN */
    bool old;   /* a version of v1; nothing else is known of it */
    bool coroutines, experiments, clocks, ends;
};

/* Version 1.NN of v2, or of any format; NULL: there is none. */
const struct wire_version *wire_version(uint64_t nn);
const struct wire_version *wire_version_of_any_format(uint64_t nn);

/* Of any format by its name, "1.26". */
const struct wire_version *wire_version_named(const char *name);

/*
 * The form of v1 that the first tracer wrote, in 2014, before any release had one: no 1.NN, but as a number that of the
 * release then. Its header is of its own.
 */
enum { WIRE_FIRST_TRACER = 4, WIRE_FIRST_HEADER_SIZE = 8 };
#define WIRE_FIRST_HEADER "gotrace"
const struct wire_version *wire_version_of_first_tracer(void);

/* Whether 1.NN is a version of v1. */
bool wire_version_is_old(uint64_t nn);

/* The first one of v2, which every reader takes, and the first with experiments. */
const struct wire_version *wire_version_first(void);
const struct wire_version *wire_version_of_experiments(void);

/* The names of all, "1.5, 1.7 …": the address is a constant. */
#define WIRE_VERSION_NAMES (wire_version_list + 2)
extern const char wire_version_list[];

#endif
