/* A trace with an event of every kind. */
#ifndef THRACE_TESTS_PARSER_EVERY_KIND_H
#define THRACE_TESTS_PARSER_EVERY_KIND_H

#include "tests/unit/unit.h"

#include "gotrace/gotrace.h"
#include "lib/wire/events.h"

#define ARGS(...) ((const uint64_t[]){__VA_ARGS__}), sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)
#define ADD(id, ...) add(m, EV_##id, ARGS(__VA_ARGS__))
#define ADD_BARE(id) add(m, EV_##id, NULL, 0)

struct made {
    struct gotrace_builder *b;
    uint64_t now;
};

static inline void add(struct made *m, unsigned id, const uint64_t *args, size_t n)
{
    assert_int_equal(gotrace_builder_event(m->b, ++m->now, id, args, n), 0);
}

static inline uint64_t stack(struct made *m)
{
    const struct gotrace_builder_frame frames[] = {{16, "leaf", "leaf.c", 1}, {32, "root", "root.c", 2}};
    return gotrace_builder_stack(m->b, frames, ARRAY_SIZE(frames));
}

static inline uint64_t string(struct made *m, const char *s)
{
    return gotrace_builder_string(m->b, s, strlen(s));
}

/* A trace of 1.26 with an event of every kind. */
static inline void make(struct made *m)
{
    m->b = gotrace_builder_new_memory(26);
    m->now = 100;
    gotrace_builder_generation(m->b, 1);
    gotrace_builder_sync(m->b, 1000000000, 100, 77, 88, 99);
    gotrace_builder_experimental(m->b, 1, 5, 100, "data", 4);
    gotrace_builder_experimental(m->b, 9, ID_NONE, 100, "", 0);
    string(m, "of no event");
    gotrace_builder_batch(m->b, 5, 100);
    ADD(ProcStatus, 0, PROC_RUNNING);
    ADD(GoStatus, 1, 5, GO_RUNNING);
    ADD(ProcsChange, 8, stack(m));
    ADD(HeapAlloc, 4096);
    ADD(HeapGoal, 8192);
    ADD(GoLabel, string(m, "label"));
    ADD(STWBegin, string(m, "why"), 0);
    ADD_BARE(STWEnd);
    ADD(GCBegin, 1, 0);
    ADD(GCEnd, 2);
    ADD(GCSweepBegin, 0);
    ADD(GCSweepEnd, 10, 20);
    ADD(GCMarkAssistBegin, 0);
    ADD_BARE(GCMarkAssistEnd);
    ADD(UserTaskBegin, 3, 0, string(m, "task"), 0);
    ADD(UserRegionBegin, 3, string(m, "region"), 0);
    ADD(UserLog, 3, string(m, "key"), string(m, "value"), 0);
    ADD(UserRegionEnd, 3, string(m, "region"), 0);
    ADD(UserTaskEnd, 3, 0);
    ADD(Span, 1, 2, 3);
    ADD(GoCreate, 2, stack(m), 0);
    ADD(GoBlock, string(m, "reason"), stack(m));
    gotrace_builder_cpu_sample(m->b, 102, 5, ID_NONE, 0, stack(m));
    assert_int_equal(gotrace_builder_finish(m->b), 0);
}

#undef ADD
#undef ADD_BARE
#undef ARGS

static inline struct gotrace_reader *open_made(struct made *m)
{
    size_t size;
    make(m);
    const void *bytes = gotrace_builder_bytes(m->b, &size);
    return gotrace_reader_open_memory(bytes, size);
}

#endif
