/*
 * The events that may happen next, at most one a proc: the one with the earliest time comes first. Go sorts them in ways
 * that are not stable, and which of two events with the same time is shown first follows from how. Both ways are here,
 * step by step as far as that can be seen, and in less time where it cannot.
 */
#ifndef THRACE_PARSER_V1_FRONT_H
#define THRACE_PARSER_V1_FRONT_H

#include <stdbool.h>

#include "parser/gosort.h"
#include "parser/v1/trace.h"

struct v1_front {
    enum v1_view view;
    /*
     * As Go 1.21 has it, the latest event comes first, and `ties` of them have the time of the one before them; what was
     * added since one was taken is in added. Since Go 1.22 it is a heap.
     */
    struct keyed *v, *added, *scratch;
    size_t n, nadded, ties;
};

/* Room for `procs` events. False: out of memory. */
bool v1_front_init(struct v1_front *f, enum v1_view view, size_t procs);
void v1_front_free(struct v1_front *f);

void v1_front_add(struct v1_front *f, int64_t time, size_t proc);

/*
 * Whether an event of that time, if it were added, would be taken next and leave the front as it was, also where others
 * have the same time. Where more are in front than these, adding and taking may put some in another order.
 */
static inline bool v1_front_passes(const struct v1_front *f, int64_t time)
{
    size_t few = f->view == V1_AS_GO_1_21 ? 1 : 2;
    return !f->nadded && (!f->n || (f->n <= few && time < f->v[0].key));
}

/* Takes the earliest event out, if there is one. */
bool v1_front_take(struct v1_front *f, size_t *proc);

#endif
