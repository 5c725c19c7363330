/* Traces of waits.h that are summed up again and again, with filters. */
#ifndef THRACE_TESTS_PARSER_FILTERED_H
#define THRACE_TESTS_PARSER_FILTERED_H

#include "tests/parser/waits.h"

#include "parser/analyze/span_learn.h"

static inline struct gotrace_reader *reader_of(struct made *m)
{
    size_t size;
    const void *bytes = gotrace_builder_bytes(m->b, &size);
    return gotrace_reader_open_memory(bytes, size);
}

/* With a filter it is freed. */
static inline void sum_up(struct made *m, struct span_filter *f, struct stat *s)
{
    if (f && span_filter_must_learn(f)) {
        struct gotrace_reader *r = reader_of(m);
        assert_true(span_filter_learn(f, r));
        gotrace_reader_free(r);
    }
    struct gotrace_reader *r = reader_of(m);
    stat_init(s, 100);
    s->spans.filter = f;
    assert_true(consume_events(r, &stat_consumer, s));
    assert_null(gotrace_reader_error(r));
    assert_adds_up(&s->blame, true);
    gotrace_reader_free(r);
    span_filter_free(f);
}

static inline struct span_filter *only(enum span_expression which, const char *expression)
{
    char why[64];
    struct span_filter *f = span_filter_new();
    assert_true(span_filter_expression(f, which, expression, why, sizeof why));
    return f;
}

#endif
