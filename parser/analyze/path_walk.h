/*
 * The critical path to a moment of a thread, from there back in time: along the thread's stretches, from a wait that
 * another thread ended to what that one did until then, and from the begin of a thread to what its maker did.
 */
#ifndef THRACE_PARSER_ANALYZE_PATH_WALK_H
#define THRACE_PARSER_ANALYZE_PATH_WALK_H

#include "parser/analyze/path_find.h"

/* A stretch of the path. */
struct path_piece {
    int64_t begin, end;
    uint32_t thread;       /* PATH_NOBODY: none */
    uint16_t reason, what; /* texts */
    uint16_t object;       /* that it waits for, and no thread ends that: text, or 0 */
    uint8_t state;         /* UNDETERMINED: nobody knows */
    bool sampled;
    bool made;             /* at its end it made a thread, */
    uint16_t wakes;        /* or woke one that had waited for this: text; */
    uint32_t other;        /* the path goes on there. PATH_NOBODY: neither */
};

/* From the last to the first, each as long as it can be; they leave no time out. */
struct path_watcher {
    void (*piece)(void *arg, const struct path_piece *piece);
    /* The same time, by what somebody on the path waited for meanwhile: a text, or 0. */
    void (*waited)(void *arg, uint32_t object, uint64_t ns);
};

/* False: memory is short, or c->log.error is set. */
bool path_walk(struct path_collect *c, const struct path_end *end, const struct path_watcher *watcher, void *arg);

#endif
