/* Which thread a critical path is about, and from when to when. */
#ifndef THRACE_PARSER_ANALYZE_PATH_FIND_H
#define THRACE_PARSER_ANALYZE_PATH_FIND_H

#include "parser/analyze/path_collect.h"

struct path_query {
    int64_t from, to;
    uint32_t thread; /* that one, or PATH_NOBODY */
    /* The last of those to do something; NULL: the main thread, unless it waits, and then the last of all. */
    bool (*matches)(void *arg, uint64_t id, const char *name);
    void *arg;
};

struct path_end {
    uint32_t thread; /* PATH_NOBODY: there is none */
    int64_t from, to;
    int64_t end;     /* of the thread, if that is before `to` */
    uint64_t last;   /* number of its last record up to `to` */
    uint64_t next;   /* number of the record that is about `to`; 0: the thread or the trace ends there */
    uint64_t *lasts; /* of each thread, its last record up to `to`, 0: none. Whoever asked frees it */
};

/* False: memory is short, or c->log.error is set. */
bool path_find(struct path_collect *c, const struct path_query *q, struct path_end *end);

#endif
