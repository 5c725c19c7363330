/*
 * many-generations FILE: writes a trace of 200,000 goroutines in 16,000 generations. Each but the first goroutine is
 * made by it, runs once and ends, so that hardly any is alive at any time.
 */
#include <stdio.h>
#include <stdlib.h>

#include "gotrace/gotrace.h"

enum { GOROUTINES = 200000, GENERATIONS = 16000, THREAD = 7, RUNNING = 1, GO_RUNNING = 2 };

struct story {
    struct gotrace_builder *b;
    uint64_t now, made; /* made: goroutines */
};

static void add(struct story *s, unsigned id, size_t nargs, const uint64_t *args)
{
    gotrace_builder_event(s->b, ++s->now, id, args, nargs);
}

#define ADD(s, id, ...)                                                                                                \
    add(s, GOTRACE_EV_##id, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), (uint64_t[]){__VA_ARGS__})

static void generation(struct story *s, uint64_t number)
{
    const struct gotrace_builder_frame frame = {0x1000, "main.main", "main.go", 10};
    uint64_t seq = 0;
    gotrace_builder_generation(s->b, number);
    s->now += 10;
    gotrace_builder_sync(s->b, 1000000000, s->now, s->now, 1700000000, s->now);
    gotrace_builder_batch(s->b, THREAD, s->now);
    uint64_t stack = gotrace_builder_stack(s->b, &frame, 1), why = gotrace_builder_string(s->b, "preempted", 9);
    ADD(s, ProcStatus, 0, RUNNING);
    ADD(s, GoStatus, 1, THREAD, GO_RUNNING);
    for (; s->made < GOROUTINES * number / GENERATIONS; s->made++) {
        uint64_t g = s->made + 2;
        ADD(s, GoCreate, g, stack, stack);
        ADD(s, GoStop, why, stack);
        ADD(s, GoStart, g, 1);
        add(s, GOTRACE_EV_GoDestroy, 0, NULL);
        ADD(s, GoStart, 1, ++seq);
    }
}

int main(int argc, char **argv)
{
    FILE *out = argc == 2 ? fopen(argv[1], "w") : NULL;
    if (!out) {
        fputs("usage: many-generations FILE\n", stderr);
        return 2;
    }
    struct story s = {.b = gotrace_builder_new_file(26, out), .now = 1000};
    for (uint64_t number = 1; number <= GENERATIONS; number++)
        generation(&s, number);
    int failed = gotrace_builder_finish(s.b);
    gotrace_builder_free(s.b);
    return fclose(out) || failed;
}
