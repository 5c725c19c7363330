/* What a program that `thrace record` ran left behind. */
#ifndef THRACE_CMD_LEFT_SPOOLS_H
#define THRACE_CMD_LEFT_SPOOLS_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

struct left_spool {
    char path[PATH_MAX];
    uint64_t start_ns;
};

struct left_spools {
    struct left_spool *v; /* in the order in which they began */
    size_t n, cap;
};

/*
 * Finds the spools in the folder of out that were recorded for the process that was launched, which is the one with the
 * pid `launched`, not before since_ns (CLOCK_REALTIME). Those that somebody still records to are left out.
 */
void left_spools_find(struct left_spools *left, const char *out, uint32_t launched, uint64_t since_ns);
void left_spools_free(struct left_spools *left);

#endif
