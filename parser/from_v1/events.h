/* The events of v1, by what they are of. Each function says one in v2, or drops it. */
#ifndef THRACE_PARSER_FROM_V1_EVENTS_H
#define THRACE_PARSER_FROM_V1_EVENTS_H

#include "parser/from_v1/world.h"

#define NO_NUMBER SIZE_MAX

static inline struct v2_go *go_at(struct world *w, uint32_t at) { return &w->gos.v[at]; }

static inline void drop(struct world *w, uint8_t type) { w->done->dropped[type] += w->writes; }

/* The proc of the event; 0: none. */
static inline uint32_t proc_of(struct world *w, const struct gotrace_event *ev)
{
    return ev->proc < V1_TIMER_P ? world_proc(w, ev->proc) : 0;
}

/* Its goroutine, if it was met before; 0: none. */
static inline uint32_t go_of(const struct world *w, const struct gotrace_event *ev)
{
    return ev->goroutine == ID_NONE ? 0 : idmap_get(&w->go_of, ev->goroutine);
}

static inline bool runs(struct world *w, uint32_t go)
{
    return go && go_at(w, go)->state == GOTRACE_STATE_RUNNING;
}

static inline uint32_t plan(const struct world *w, uint64_t go) { return idmap_get(&w->plan_of, go); }

void add_plan(struct world *w, uint64_t go, uint32_t what);

/* ---- ranges.c -------------------------------------------------------------------------------------------------- */

/* A thread where the event's goroutine runs, or another one does; 0: none. */
uint32_t runner(struct world *w, const struct gotrace_event *ev);

void begin_gc(struct world *w, const struct gotrace_event *ev, uint64_t *args);
void end_gc(struct world *w, const struct gotrace_event *ev, uint64_t *args);
void begin_stop(struct world *w, const struct gotrace_event *ev, const uint64_t *args);
void end_stop(struct world *w, const struct gotrace_event *ev);
void begin_assist(struct world *w, const struct gotrace_event *ev, const uint64_t *args);
void end_assist(struct world *w, const struct gotrace_event *ev);

/* Nothing that goes on may be of a goroutine that is no more. */
void end_all(struct world *w, const struct v2_go *g);

/* ---- gos.c ----------------------------------------------------------------------------------------------------- */

void status(struct world *w, const struct gotrace_event *ev);
void create(struct world *w, const struct gotrace_event *ev, const uint64_t *args);
void start_go(struct world *w, const struct gotrace_event *ev);

/* It runs no longer. */
void stop_go(struct world *w, const struct gotrace_event *ev, const uint64_t *args, uint8_t state);
void unblock(struct world *w, const struct gotrace_event *ev, uint64_t *args);
void begin_call(struct world *w, const struct gotrace_event *ev, uint64_t *args);
void end_call(struct world *w, const struct gotrace_event *ev);
void end_blocked_call(struct world *w, const struct gotrace_event *ev);

#endif
