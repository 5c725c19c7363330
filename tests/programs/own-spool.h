/* For programs that look into their own recording. */
#ifndef THRACE_TESTS_OWN_SPOOL_H
#define THRACE_TESTS_OWN_SPOOL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/spool.h"

/* The header of the spool that is being recorded to; NULL: there is none. */
static inline struct spool_header *find_spool(void)
{
    FILE *f = fopen("/proc/self/maps", "r");
    char line[5000];
    struct spool_header *found = NULL;
    while (f && !found && fgets(line, sizeof line, f)) {
        struct spool_header *h = (struct spool_header *)strtoul(line, NULL, 16);
        if (strstr(line, ".spool") && !memcmp(h->magic, SPOOL_MAGIC, sizeof h->magic))
            found = h;
    }
    if (f)
        fclose(f);
    return found;
}

#endif
