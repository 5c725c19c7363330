#include "preload/switches/online_cpus.h"

#include <string.h>

#include "lib/rawsys.h"
#include "preload/text_file.h"

static const char *take_number(const char *p, uint32_t *n)
{
    if (*p < '0' || *p > '9')
        return NULL;
    for (*n = 0; *p >= '0' && *p <= '9' && *n < MAX_CPUS; p++)
        *n = *n * 10 + (uint32_t)(*p - '0');
    return p;
}

/* "0-3,8": false where it is something else. */
static bool parse_list(const char *p, uint64_t mask[CPU_WORDS])
{
    for (;; p++) {
        uint32_t from, to;
        if (!(p = take_number(p, &from)))
            return false;
        to = from;
        if (*p == '-' && !(p = take_number(p + 1, &to)))
            return false;
        for (; from <= to && from < MAX_CPUS; from++)
            mask[from / 64] |= UINT64_C(1) << from % 64;
        if (*p != ',')
            return *p == '\n' || !*p;
    }
}

/* All that are online, as threads may be moved to any. Where the list is not to be had, those that this one may use. */
void online_cpus(uint64_t mask[CPU_WORDS])
{
    char list[4096];
    memset(mask, 0, CPU_WORDS * sizeof *mask);
    text_file_read("/sys/devices/system/cpu/online", list, sizeof list);
    if (!parse_list(list, mask))
        raw_syscall(SYS_sched_getaffinity, 0, MAX_CPUS / 8, (long)mask, 0, 0, 0);
}
