#include "parser/analyze/consumer.h"

bool consume_events(struct gotrace_reader *r, const struct event_consumer *c, void *state)
{
    const struct gotrace_event *ev;
    bool ok = !c->begin || c->begin(state, r);
    while (ok && (ev = gotrace_reader_next(r)))
        ok = !c->event || c->event(state, ev);
    return ok && (!c->end || c->end(state));
}
