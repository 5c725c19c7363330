#include "preload/delays.h"

#include <string.h>

#include "lib/text.h"
#include "preload/say.h"

static const char *const delay_of[DELAYS] = {"room for events", "a generation or a session"};

/* The longest one and whose it was, in one word: µs, and in the low bits the thread's ID, which is below 2^22. */
enum { TID_BITS = 24 };

static struct {
    uint64_t times, ns, longest;
} delays[DELAYS];

void delay_add(enum delay what, const struct thread *t, uint64_t since_ns)
{
    uint64_t ns = clock_mono_ns() - since_ns;
    uint64_t this = ns / 1000 << TID_BITS | t->sched.m;
    uint64_t longest = __atomic_load_n(&delays[what].longest, __ATOMIC_RELAXED);
    __atomic_fetch_add(&delays[what].times, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&delays[what].ns, ns, __ATOMIC_RELAXED);
    while (this > longest && !__atomic_compare_exchange_n(&delays[what].longest, &longest, this, true,
                                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

void delays_forget(void) { memset(delays, 0, sizeof delays); }

static uint32_t shown(uint64_t n) { return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX; }

static void put(struct text *line, const char *text) { text_put_string(line, text, UINT32_MAX); }

static void say_of(enum delay what)
{
    char text[256];
    struct text line = {text, text + sizeof text - 1};
    uint64_t longest = delays[what].longest;
    put(&line, delay_of[what]);
    put(&line, ", ");
    text_put_number(&line, shown(delays[what].times));
    put(&line, delays[what].times == 1 ? " time, " : " times, ");
    text_put_number(&line, shown(delays[what].ns / 1000));
    put(&line, " us in all, ");
    text_put_number(&line, shown(longest >> TID_BITS));
    put(&line, " us at most, by thread ");
    text_put_number(&line, (uint32_t)longest & ((1 << TID_BITS) - 1));
    *line.p = 0;
    say("threads waited for ", text);
}

void delays_say(void)
{
    for (int i = 0; i < DELAYS; i++)
        if (delays[i].times)
            say_of((enum delay)i);
}
