/* For tests of what is found in small traces. */
#ifndef THRACE_TESTS_PARSER_FINDINGS_H
#define THRACE_TESTS_PARSER_FINDINGS_H

#include "tests/parser/waits.h"

#include <stdlib.h>

#include "parser/analyze/findings_judge.h"

enum { US = 1000, MS = 1000 * US };

/* How many of that kind are found, and the first of them. It ends at that time. */
static inline size_t found(struct made *m, uint64_t end, enum finding_kind kind, struct finding *it)
{
    struct stat s;
    struct finding_list *list = calloc(1, sizeof *list);
    size_t n = 0;
    EVENT(m, 1, end, GoSyscallBegin, ++m->calls[1], stack(m, NULL, "exit_group", "main", 1, "main"));
    read_all(&s, m, true);
    assert_non_null(list);
    findings_judge(&s.findings, list);
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].kind == kind && !n++)
            *it = list->v[i];
    stat_free(&s);
    free(list);
    return n;
}

#define LOCKED(m, line) stack(m, "mutex m", "pthread_mutex_lock", "take", line, "worker")
#define RELEASED(m) stack(m, NULL, "pthread_mutex_unlock", "done", 9, "worker")

static inline void sample(struct made *m, uint64_t at, uint64_t g, const char *function)
{
    assert_int_equal(gotrace_builder_cpu_sample(m->b, at, g, g, g, stack(m, NULL, NULL, function, 30, "worker")), 0);
}

static inline void gomaxprocs(struct made *m, uint64_t n) { EVENT(m, 1, 20, ProcsChange, n, 0); }

/* A stack of two functions of the program's besides the thread's. */
static inline uint64_t deep(struct made *m, const char *function, const char *inner, uint64_t line, const char *outer)
{
    struct gotrace_builder_frame f[] = {{pc_of(function, 1), function, "libc", 1},
                                        {pc_of(inner, line), inner, "/src/a.c", line},
                                        {pc_of(outer, line + 1), outer, "/src/a.c", line + 1},
                                        {pc_of("loader", 2), "loader", "/src/a.c", 2}};
    return gotrace_builder_stack(m->b, f, sizeof f / sizeof *f);
}

#endif
