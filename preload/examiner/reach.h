/*
 * Where anything in a module may go, near its probes: branches, jumps and calls, tables of places to jump to, addresses
 * that are taken or stored. It finds rather too much than too little.
 */
#ifndef THRACE_PRELOAD_EXAMINER_REACH_H
#define THRACE_PRELOAD_EXAMINER_REACH_H

#include "preload/examiner/site.h"
#include "preload/examiner/image.h"

/* Fills in `targeted` of the sites. False: there was no memory for that. */
bool reach_find(const struct image *, struct site *sites, unsigned n);

/* Something may go to this address near the site. What is too far away to be known counts, too. */
static inline bool reach_hits(const struct site *s, uintptr_t at)
{
    uintptr_t bit = at - (s->pc - SITE_REACH);
    return bit >= 2 * SITE_REACH || s->targeted >> bit & 1;
}

#endif
