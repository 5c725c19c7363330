/* A probe, and what would move to make room for a jump. */
#ifndef THRACE_PRELOAD_EXAMINER_SITE_H
#define THRACE_PRELOAD_EXAMINER_SITE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SITE_JUMP = 5,
    SITE_INSTRUCTIONS = 8,
    SITE_REACH = 32, /* bytes before the nop, and from it on, that are looked at */
};

/* How an instruction is made elsewhere. */
enum moved {
    MOVED_PLAIN,    /* it is copied */
    MOVED_RELATIVE, /* its displacement leads to target from there, too */
    MOVED_JUMP,     /* jmp target, with 32 bits */
    MOVED_BRANCH,   /* the same with a condition, whose number opcode is */
};

struct moved_instruction {
    uint8_t bytes[15], len;
    uint8_t how; /* enum moved */
    uint8_t displacement; /* where in bytes */
    uint8_t opcode;
    uintptr_t target;
    uintptr_t from; /* where it stood */
};

struct site {
    uintptr_t pc;        /* of the nop: given, and the sites are sorted by it */
    bool wanted;         /* given: else it is only in the way of others */
    const char *refused; /* why nothing may be done here; NULL: it may */
    uintptr_t from, to;  /* what the jump replaces: from it the trampoline is entered, to it goes on */
    uint8_t n, before;   /* instructions that move, and how many of them come before the probe */
    struct moved_instruction instruction[SITE_INSTRUCTIONS];
    uint64_t targeted;   /* bit i: something may go to pc - SITE_REACH + i */
};

#endif
