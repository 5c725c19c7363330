#include "cmd/v1_losses.h"

#include "cmd/complain.h"
#include "parser/batch.h"

static unsigned long long count(uint64_t n) { return n; }

void report_v1_losses(const char *verb, const struct as_v1_losses *l)
{
    for (unsigned id = 0; id < 256; id++)
        if (l->events[id])
            complain(verb, "dropped %llu %s", count(l->events[id]), event_name(id));
    if (l->reasons)
        complain(verb, "dropped the reasons of %llu events", count(l->reasons));
    if (l->status_stacks)
        complain(verb, "dropped the stacks of %llu GoStatusStack", count(l->status_stacks));
    if (l->frames)
        complain(verb, "dropped the names of %llu frames", count(l->frames));
}
