/* What tests of the reader do with a builder and a reader; needs gotrace.h, lib/wire/events.h and unit.h before it. */
#ifndef THRACE_TESTS_PARSER_MADE_H
#define THRACE_TESTS_PARSER_MADE_H

/* Adds an event to the builder b, a nanosecond after the one before, which was at now. */
#define ADD(id, ...)                                                                                                   \
    assert_int_equal(gotrace_builder_event(b, ++now, EV_##id, (const uint64_t[]){__VA_ARGS__},                         \
                                           sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)),                \
                     0)
#define ADD_BARE(id) assert_int_equal(gotrace_builder_event(b, ++now, EV_##id, NULL, 0), 0)

static inline const void *finish(struct gotrace_builder *b, size_t *size)
{
    assert_int_equal(gotrace_builder_finish(b), 0);
    return gotrace_builder_bytes(b, size);
}

static inline struct gotrace_reader *finish_and_open(struct gotrace_builder *b)
{
    size_t size;
    const void *bytes = finish(b, &size);
    return gotrace_reader_open_memory(bytes, size);
}

/* The next event of that name; NULL: there is none. */
static inline const struct gotrace_event *next(struct gotrace_reader *r, const char *name)
{
    const struct gotrace_event *ev;
    do
        ev = gotrace_reader_next(r);
    while (ev && strcmp(gotrace_event_name(ev), name));
    return ev;
}

#endif
