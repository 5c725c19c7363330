/*
 * The buffers are those of the tracer: one a proc, one for threads without a proc; each begins with a Batch and is
 * handed over when it is full. Stacks, the frequency and the timer goroutine come at the end. Nothing has a number.
 */
#include "tests/v1/first.h"

#include "lib/wire/varint.h"
#include "lib/wire/version.h"
#include "parser/v1/events.h"

enum { PROCS = 4, GOS = 24, BUFFER = 400, STACKS = 5, TIMER_G = 3, TICKS_PER_SECOND = 50000000, TEXT = 0x400000 };

enum state { NONE, RUNNABLE, RUNS, WAITS, IN_SYSCALL };

struct buffer {
    struct raw_buffer b;
    uint64_t last;
};

struct first {
    struct raw_buffer *trace, *told;
    uint32_t random;
    uint64_t ticks;
    struct buffer buffers[PROCS + 1]; /* the last one is of threads without a proc */
    bool started[PROCS], sweeps[PROCS], collects;
    unsigned runs[PROCS]; /* 0: none */
    uint8_t state[GOS + 1];
    unsigned ngos;
};

static unsigned draw(struct first *f, unsigned n)
{
    f->random = f->random * 1664525 + 1013904223;
    return (f->random >> 8) % n;
}

static void integer(struct raw_buffer *b, uint64_t v)
{
    uint8_t *p = raw_buffer_reserve(b, VARINT_MAX);
    if (p)
        b->size = (size_t)(varint_put(p, v) - b->at);
}

static void byte(struct raw_buffer *b, unsigned v) { raw_buffer_add(b, &(uint8_t){(uint8_t)v}, 1); }

static void flush(struct first *f, struct buffer *b)
{
    raw_buffer_add(f->trace, b->b.at, b->b.size);
    b->b.size = 0;
}

/* An event with up to three arguments, g is what it is of. */
static void event(struct first *f, unsigned p, unsigned id, uint64_t g, unsigned n, const uint64_t *args)
{
    struct buffer *b = &f->buffers[p];
    struct raw_buffer body = {0};
    if (b->b.size > BUFFER)
        flush(f, b);
    if (!b->b.size) {
        byte(&b->b, V1_Batch | 1 << 6);
        integer(&b->b, p < PROCS ? p : UINT64_MAX);
        integer(&b->b, f->ticks);
        b->last = f->ticks;
    }
    integer(&body, f->ticks - b->last);
    for (unsigned i = 0; i < n; i++)
        integer(&body, args[i]);
    b->last = f->ticks;
    byte(&b->b, id | (n < 3 ? n : 3) << 6);
    if (n >= 3)
        byte(&b->b, (unsigned)body.size);
    raw_buffer_add(&b->b, body.at, body.size);
    raw_buffer_free(&body);
    raw_buffer_printf(f->told, "%s %u\n", v1_events[id].name, (unsigned)g);
    f->ticks += 1 + draw(f, 200);
}
#define EVENT(f, p, name, g, ...)                                                                                      \
    event(f, p, V1_##name, g, sizeof((uint64_t[]){0, ##__VA_ARGS__}) / sizeof(uint64_t) - 1,                           \
          (const uint64_t[]){0, ##__VA_ARGS__} + 1)

static unsigned any(struct first *f, enum state state)
{
    unsigned from = draw(f, GOS);
    for (unsigned i = 0; i < GOS; i++) {
        unsigned g = 1 + (from + i) % GOS;
        if (f->state[g] == state)
            return g;
    }
    return 0;
}

static void create(struct first *f, unsigned p)
{
    if (f->ngos == GOS)
        return;
    unsigned g = ++f->ngos;
    f->state[g] = RUNNABLE;
    EVENT(f, p, GoCreate, f->runs[p], g, TEXT + 0x100 * g, 1 + draw(f, STACKS));
}

static void leave(struct first *f, unsigned p, enum state state)
{
    f->state[f->runs[p]] = (uint8_t)state;
    f->runs[p] = 0;
}

static void stop(struct first *f, unsigned p, unsigned id, enum state state)
{
    event(f, p, id, f->runs[p], 1, &(uint64_t){1 + draw(f, STACKS)});
    leave(f, p, state);
}

static void wait(struct first *f, unsigned p)
{
    static const uint8_t kinds[] = {V1_GoBlock,       V1_GoBlockSend, V1_GoBlockRecv, V1_GoBlockSelect,
                                    V1_GoBlockSync,   V1_GoBlockCond, V1_GoBlockNet,  V1_GoSleep};
    stop(f, p, kinds[draw(f, sizeof kinds)], WAITS);
}

static void call(struct first *f, unsigned p)
{
    unsigned g = f->runs[p];
    EVENT(f, p, GoSysCall, g, 1 + draw(f, STACKS));
    if (draw(f, 2))
        return;
    EVENT(f, p, GoSysBlock, g, 1 + draw(f, STACKS));
    leave(f, p, IN_SYSCALL);
}

static void collect(struct first *f, unsigned p)
{
    if (f->collects)
        EVENT(f, p, GCDone, 0);
    else
        EVENT(f, p, GCStart, 0, 1 + draw(f, STACKS));
    f->collects = !f->collects;
}

static void sweep(struct first *f, unsigned p)
{
    if (f->sweeps[p])
        EVENT(f, p, GCSweepDone, f->runs[p]);
    else
        EVENT(f, p, GCSweepStart, f->runs[p], 1 + draw(f, STACKS));
    f->sweeps[p] = !f->sweeps[p];
}

static void run(struct first *f, unsigned p)
{
    unsigned g;
    switch (draw(f, 9)) {
    case 0: create(f, p); break;
    case 1: wait(f, p); break;
    case 2: stop(f, p, draw(f, 2) ? V1_GoSched : V1_GoPreempt, RUNNABLE); break;
    case 3: call(f, p); break;
    case 4: collect(f, p); break;
    case 5: sweep(f, p); break;
    case 6: EVENT(f, p, HeapAlloc, f->runs[p], draw(f, 1000000)); break;
    default:
        if ((g = any(f, WAITS))) {
            f->state[g] = RUNNABLE;
            EVENT(f, p, GoUnblock, f->runs[p], g, 1 + draw(f, STACKS));
        }
    }
}

static void step(struct first *f)
{
    unsigned p = draw(f, PROCS), g;
    if (!draw(f, 4) && (g = any(f, IN_SYSCALL))) {
        f->state[g] = RUNNABLE;
        EVENT(f, PROCS, GoSysExit, g, g);
    } else if (!f->started[p]) {
        EVENT(f, p, ProcStart, 0);
        f->started[p] = true;
    } else if (f->runs[p]) {
        run(f, p);
    } else if ((g = any(f, RUNNABLE))) {
        f->runs[p] = g;
        f->state[g] = RUNS;
        EVENT(f, p, GoStart, g, g);
    } else {
        EVENT(f, p, ProcStop, 0);
        f->started[p] = false;
    }
}

/* What the world holds when tracing starts it again. */
static void begin(struct first *f)
{
    for (unsigned g = 1; g <= 6; g++) {
        create(f, 0);
        if (g == 2 || g == TIMER_G) {
            EVENT(f, 0, GoWaiting, g, g);
            f->state[g] = WAITS;
        } else if (g == 4) {
            EVENT(f, 0, GoInSyscall, g, g);
            f->state[g] = IN_SYSCALL;
        }
    }
    EVENT(f, 0, ProcStart, 0);
    f->started[0] = true;
    EVENT(f, 0, GoStart, 1, 1);
    f->runs[0] = 1;
    f->state[1] = RUNS;
    EVENT(f, 0, Gomaxprocs, 1, PROCS, 1);
}

static void end(struct first *f)
{
    struct raw_buffer *t = f->trace;
    for (unsigned p = 0; p <= PROCS; p++) {
        flush(f, &f->buffers[p]);
        raw_buffer_free(&f->buffers[p].b);
    }
    for (unsigned s = 1; s <= STACKS; s++) {
        struct raw_buffer body = {0};
        integer(&body, s);
        integer(&body, 2);
        integer(&body, TEXT + 16 * s);
        integer(&body, TEXT + 0x1000);
        byte(t, V1_Stack | 3 << 6);
        integer(t, body.size);
        raw_buffer_add(t, body.at, body.size);
        raw_buffer_free(&body);
    }
    byte(t, V1_Frequency);
    integer(t, TICKS_PER_SECOND);
    byte(t, V1_TimerGoroutine);
    integer(t, TIMER_G);
}

void first_trace(struct raw_buffer *trace, struct raw_buffer *told, uint32_t seed, unsigned steps)
{
    struct first f = {.trace = trace, .told = told, .random = seed, .ticks = 1000000};
    raw_buffer_add(trace, WIRE_FIRST_HEADER, WIRE_FIRST_HEADER_SIZE);
    begin(&f);
    for (unsigned i = 0; i < steps; i++)
        step(&f);
    end(&f);
}
