/* The places where modules keep the addresses of other modules' functions: the slots of their global offset tables. */
#ifndef THRACE_PRELOAD_REFERENCES_H
#define THRACE_PRELOAD_REFERENCES_H

#include <stdbool.h>
#include <stdint.h>

struct reference {
    const char *name;
    const char *version;    /* that the module asks for; NULL: none */
    const void *value;      /* what the slot has, and … */
    bool unbound;           /* … that is in the module itself: the loader looks the function up at the first call */
    bool own;               /* the module has such a function itself, as libc has malloc */
};

/*
 * Asks of each reference to a function, in all modules but this library and the loader's, what the slot is to have
 * instead; NULL: it stays. Slots that are kept read-only are made writable for that moment. Returns how many could not
 * be written to.
 *
 * Takes the loader's lock, so that no module is half loaded: in a thread that may call dlsym.
 */
unsigned references_change(const void *(*ask)(const struct reference *r));

#endif
