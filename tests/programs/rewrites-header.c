/*
 * rewrites-header PATH [UID]: becomes that user, and writes PATH into the header of its own recording as the place of
 * the trace, and a time to come as its start.
 */
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/spool.h"

static struct spool_header *find_spool(void)
{
    FILE *f = fopen("/proc/self/maps", "r");
    char line[5000];
    while (f && fgets(line, sizeof line, f)) {
        struct spool_header *h = (struct spool_header *)strtoul(line, NULL, 16);
        if (strstr(line, ".spool") && !memcmp(h->magic, SPOOL_MAGIC, sizeof h->magic)) {
            fclose(f);
            return h;
        }
    }
    if (f)
        fclose(f);
    return NULL;
}

int main(int argc, char **argv)
{
    uid_t user = argc > 2 ? (uid_t)atoi(argv[2]) : 0;
    struct spool_header *h = find_spool(); /* as root: later /proc/self/maps may be closed to us */
    if (user && (setgroups(0, NULL) || setgid(user) || setuid(user)))
        return 2;
    if (!h)
        return 3;
    snprintf(h->out, sizeof h->out, "%s", argv[1]);
    h->start_realtime_ns = UINT64_C(4102444800000000000);
    puts("rewritten");
    return 0;
}
