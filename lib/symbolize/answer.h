/* What is known about the PCs of one file, and how it travels from the worker process that found it out. */
#ifndef THRACE_LIB_SYMBOLIZE_ANSWER_H
#define THRACE_LIB_SYMBOLIZE_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/symbolize/strings.h"
#include "lib/symbolize/types.h"

/* The bit of an address that is the one of an object. No file has addresses that high. */
#define OBJECT_BIT (UINT64_C(1) << 63)

/* The bit of a local variable: the address of code in its function, and how far it is below the CFA, or above the sp. */
#define LOCAL_BIT (UINT64_C(1) << 62)
#define LOCAL_FROM_SP (UINT64_C(1) << 61)
enum { LOCAL_SHIFT = 22, LOCAL_UNIT = 4 };

/* Strings by number; function 0, file 0 and line 0 are not known (yet). */
struct answer_frame {
    uint32_t function, file, line;
};

/* frames[first, first + n), innermost first; n is 0 when nothing is known (yet), and for an object or a local that no variable is */
struct answer_pc {
    uint32_t first, n;
};

struct answer {
    struct strings strings;
    struct answer_frame *frames;
    size_t nframes, frames_cap;
    struct answer_pc *pcs; /* in the order of the job's */
    size_t npcs;
    uint32_t message; /* 0: none */
    enum symbolize_advice advice;
    bool failed; /* out of memory */
};

bool answer_init(struct answer *, size_t npcs);
void answer_free(struct answer *);

/* The first of the job's PCs, which ascend, that is not below addr; npcs: none. */
size_t answer_first_pc(const uint64_t *pcs, size_t npcs, uint64_t addr);

/* The frames of a PC must be added one after the other. */
void answer_add(struct answer *, size_t pc, struct answer_frame);

/* Keeps the first message only. */
__attribute__((format(printf, 3, 4))) void answer_say(struct answer *, enum symbolize_advice, const char *fmt, ...);

bool answer_write(const struct answer *, int fd);

/* Trusts nothing of what was written; npcs is what it must be about. Initialises the answer; false leaves nothing. */
bool answer_parse(struct answer *, size_t npcs, const uint8_t *data, size_t len);

#endif
