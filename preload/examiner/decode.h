/* What has to be known of an instruction to move it, and of a branch to see where it goes. */
#ifndef THRACE_PRELOAD_EXAMINER_DECODE_H
#define THRACE_PRELOAD_EXAMINER_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/examiner/site.h"

/* Decoded in part, which is quick. */
struct sketch {
    uint8_t len;
    bool branches; /* to target, by a jump, a branch or a call */
    bool takes_address; /* of target, by lea */
    uintptr_t target;
    uintptr_t constant, displacement; /* 0: it has none */
};

/* False: these are not n bytes that begin with an instruction. */
bool decode_sketch(uintptr_t at, size_t n, struct sketch *);

enum flow {
    FLOW_ON,       /* to the next one */
    FLOW_JUMP,     /* to target, always */
    FLOW_BRANCH,   /* or to target */
    FLOW_INDIRECT, /* to where a register or memory says */
    FLOW_OTHER,    /* calls, returns, traps */
};

/* What an instruction does to a register that says where to jump. */
enum makes {
    MAKES_UNKNOWN,
    MAKES_LOADED, /* a word of memory */
    MAKES_OFFSET, /* a signed half of a word of memory, at a register and four times another one */
    MAKES_SUM,    /* of itself and another register */
};

struct decoded {
    uint8_t len;
    enum flow flow;
    uintptr_t target;
    bool through_register; /* of FLOW_INDIRECT: number; else memory has the address */
    int number;
    bool movable;
    bool ends, pads; /* nothing comes behind it by itself; it does nothing */
    struct moved_instruction moved; /* if it is */
    int writes[4];                  /* general registers, by number; -1: no more */
    enum makes makes;               /* of writes[0] */
    int other;                      /* register of MAKES_SUM */
};

bool decode(uintptr_t at, size_t n, struct decoded *);

/* Once before all others. False: the decoder cannot be used. */
bool decode_begin(void);

#endif
