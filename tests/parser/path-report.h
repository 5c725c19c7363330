/* What thrace critical prints of traces that are made event by event. */
#ifndef THRACE_TESTS_PARSER_PATH_REPORT_H
#define THRACE_TESTS_PARSER_PATH_REPORT_H

#include "tests/parser/paths.h"
#include "tests/parser/waits.h"

#include <stdio.h>
#include <stdlib.h>

#include "cmd/critical_report.h"

static inline bool is_named(void *arg, uint64_t id, const char *name)
{
    (void)id;
    return !strcmp(name, arg);
}

/* Times are in ns; the first goroutine's status is at 10, and the trace begins there. */
struct asked {
    int64_t from, to; /* 0: the begin, the end */
    const char *name; /* of a thread, or NULL */
    size_t memory;    /* how many records are kept there; 0: as always */
};

static inline void collect(struct path_collect *c, struct made *m, size_t memory)
{
    size_t size;
    assert_int_equal(gotrace_builder_finish(m->b), 0);
    const void *bytes = gotrace_builder_bytes(m->b, &size);
    struct gotrace_reader *r = gotrace_reader_open_memory(bytes, size);
    path_collect_init(c);
    if (memory)
        path_log_init(&c->log, memory);
    assert_true(consume_events(r, &path_collector, c));
    const struct gotrace_error *e = gotrace_reader_error(r);
    if (e)
        fail_msg("%s", e->message);
    gotrace_reader_free(r);
    gotrace_builder_free(m->b);
}

/* What is printed is that, from its first line on. */
static inline void expect_of(struct made *m, struct asked asked, const char *wanted)
{
    struct path_collect c;
    struct path_end end;
    char *got = NULL;
    size_t size;
    collect(&c, m, asked.memory);
    struct path_query q = {.from = asked.from ? asked.from : c.spans.begin,
                           .to = asked.to ? asked.to : c.spans.end,
                           .thread = PATH_NOBODY,
                           .matches = asked.name ? is_named : NULL,
                           .arg = (void *)asked.name};
    assert_true(path_find(&c, &q, &end));
    if (asked.name)
        end.to = end.end;
    assert_path(&c, &end);
    FILE *out = open_memstream(&got, &size);
    struct report report;
    report_init(&report, REPORT_TEXT, out, 10);
    assert_true(critical_report(&c, &end, NULL, &(struct stat_input){.path = "x"}, &report));
    assert_int_equal(fclose(out), 0);
    char *first = strndup(wanted, strcspn(wanted, "\n")), *below = first ? strstr(got, first) : NULL;
    assert_string_equal(below ? below : got, wanted);
    free(first);
    free(got);
    free(end.lasts);
    path_collect_free(&c);
}

static inline void expect(struct made *m, const char *wanted) { expect_of(m, (struct asked){0}, wanted); }

#endif
