/* Who sleeps for mutexes and conditions, in which order the kernel wakes them, and what a trace becomes by that. */
#include "tests/parser/switched.h"

#include "parser/rewrite/switches_queues.h"

enum { M = 1, C = 2, OTHER = 3 };

/* ---- the order -------------------------------------------------------------------------------------------------- */

static struct queues of(int threads)
{
    struct queues q = {0};
    for (int i = 0; i < threads; i++)
        assert_true(queues_add_thread(&q));
    return q;
}

static int64_t now;

static void wait_mutex(struct queues *q, uint32_t thread, uint32_t mutex)
{
    assert_true(queues_await_mutex(q, thread, mutex, now += 10));
}

static enum sleeps_for falls_asleep(struct queues *q, uint32_t thread) { return queues_sleep(q, thread, now += 10); }
static uint32_t runs(struct queues *q, uint32_t thread) { return queues_run(q, thread, now += 10); }

static void wait_cond(struct queues *q, uint32_t thread)
{
    wait_mutex(q, thread, M);
    assert_true(queues_await_cond(q, thread, C));
}

static void test_nobody(void **state)
{
    (void)state;
    struct queues q = of(2);
    assert_int_equal(queues_unlock(&q, M), 0);
    assert_int_equal(queues_signal(&q, C), 0);
    assert_int_equal(falls_asleep(&q, 1), SLEEPS_FOR_OTHER);
    wait_mutex(&q, 1, OTHER);
    assert_int_equal(queues_unlock(&q, OTHER), 0); /* it is awake */
    assert_int_equal(falls_asleep(&q, 1), SLEEPS_FOR_MUTEX);
    assert_int_equal(queues_unlock(&q, M), 0);
    queues_end(&q, 1);
    assert_int_equal(queues_unlock(&q, OTHER), 0);
    assert_int_equal(falls_asleep(&q, 1), SLEEPS_FOR_OTHER);
    queues_free(&q);
}

static void test_who_slept_first(void **state)
{
    (void)state;
    struct queues q = of(4);
    for (uint32_t t = 1; t <= 4; t++)
        wait_mutex(&q, t, M);
    static const uint32_t asleep[] = {3, 1, 4, 2};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(falls_asleep(&q, asleep[i]), SLEEPS_FOR_MUTEX);
    assert_int_equal(queues_unlock(&q, M), 3);
    falls_asleep(&q, 3); /* in vain: now it is the last one */
    assert_int_equal(runs(&q, 4), 0); /* from the middle: of itself */
    assert_int_equal(queues_unlock(&q, M), 1);
    assert_int_equal(queues_unlock(&q, M), 2);
    runs(&q, 1);
    runs(&q, 2);
    falls_asleep(&q, 1);
    assert_int_equal(runs(&q, 1), 0); /* from the end */
    falls_asleep(&q, 2);
    assert_int_equal(queues_unlock(&q, M), 3);
    assert_int_equal(queues_unlock(&q, M), 2);
    assert_int_equal(queues_unlock(&q, M), 0);
    falls_asleep(&q, 4);
    queues_forget(&q);
    assert_int_equal(queues_unlock(&q, M), 0);
    queues_free(&q);
}

/* Two set out before either slept: who is back first was woken. */
static void test_woken_instead(void **state)
{
    (void)state;
    struct queues q = of(3);
    wait_mutex(&q, 1, M);
    wait_mutex(&q, 2, M);
    falls_asleep(&q, 1);
    falls_asleep(&q, 2);
    wait_mutex(&q, 3, M);
    falls_asleep(&q, 3);
    assert_int_equal(queues_unlock(&q, M), 1);
    assert_int_equal(runs(&q, 3), 0); /* it set out later: of itself */
    assert_int_equal(runs(&q, 2), 1);
    assert_int_equal(queues_unlock(&q, M), 1);
    assert_int_equal(runs(&q, 1), 0);
    wait_mutex(&q, 1, M);
    wait_mutex(&q, 2, M);
    falls_asleep(&q, 1);
    assert_int_equal(queues_unlock(&q, M), 1);
    assert_int_equal(runs(&q, 1), 0);
    falls_asleep(&q, 2);
    assert_int_equal(runs(&q, 2), 0); /* the other one is back as well */
    wait_cond(&q, 2);
    wait_cond(&q, 3);
    falls_asleep(&q, 2);
    falls_asleep(&q, 3);
    assert_int_equal(queues_signal(&q, C), 2);
    assert_int_equal(runs(&q, 3), 2);
    assert_int_equal(queues_signal(&q, C), 2);
    assert_int_equal(falls_asleep(&q, 3), SLEEPS_FOR_MUTEX);
    assert_int_equal(runs(&q, 3), 0); /* who was woken from the condition was not woken for that */
    queues_free(&q);
}

/* Notes that contradict each other: a thread is in one queue at most, and in that once. */
static void test_another_condition(void **state)
{
    (void)state;
    struct queues q = of(4);
    for (uint32_t t = 1; t <= 4; t++)
        wait_cond(&q, t);
    falls_asleep(&q, 1);
    assert_int_equal(queues_signal(&q, C), 1);
    assert_true(queues_await_cond(&q, 1, OTHER));
    falls_asleep(&q, 2);
    falls_asleep(&q, 1);
    for (uint32_t t = 3; t <= 4; t++)
        falls_asleep(&q, t);
    assert_int_equal(runs(&q, 2), 0); /* what was signalled waits for another one */
    assert_int_equal(runs(&q, 3), 0);
    assert_int_equal(queues_signal(&q, OTHER), 1);
    assert_int_equal(queues_signal(&q, C), 4);
    assert_int_equal(queues_signal(&q, OTHER), 0);
    queues_free(&q);
}

/* Those who are through a condition are behind who slept for the mutex before. */
static void test_through_a_condition(void **state)
{
    (void)state;
    struct queues q = of(3);
    wait_cond(&q, 1);
    wait_cond(&q, 2);
    assert_int_equal(falls_asleep(&q, 2), SLEEPS_FOR_COND);
    assert_int_equal(falls_asleep(&q, 1), SLEEPS_FOR_COND);
    assert_int_equal(queues_unlock(&q, M), 0);
    wait_mutex(&q, 3, M);
    falls_asleep(&q, 3);
    assert_int_equal(queues_signal(&q, C), 2);
    assert_int_equal(runs(&q, 2), 0);
    assert_int_equal(falls_asleep(&q, 2), SLEEPS_FOR_MUTEX);
    queues_pass(&q, 1); /* by a broadcast */
    assert_int_equal(falls_asleep(&q, 1), SLEEPS_FOR_MUTEX);
    assert_int_equal(queues_signal(&q, C), 0);
    assert_int_equal(queues_unlock(&q, M), 3);
    assert_int_equal(queues_unlock(&q, M), 2);
    assert_int_equal(queues_unlock(&q, M), 1);
    queues_free(&q);
}

/* Who waits for a condition when some have been signalled and others not, comes after these. */
static void test_rounds(void **state)
{
    (void)state;
    struct queues q = of(4);
    for (uint32_t t = 1; t <= 3; t++)
        wait_cond(&q, t);
    falls_asleep(&q, 1);
    assert_int_equal(queues_signal(&q, C), 1);
    wait_cond(&q, 4);
    falls_asleep(&q, 4);
    assert_int_equal(runs(&q, 1), 0);
    falls_asleep(&q, 1); /* it has taken its signal, and sleeps for the mutex */
    falls_asleep(&q, 3);
    assert_int_equal(queues_signal(&q, C), 3);
    assert_int_equal(queues_signal(&q, C), 0); /* it is for 2, which does not sleep */
    assert_int_equal(queues_signal(&q, C), 4);
    assert_int_equal(runs(&q, 4), 0);
    assert_int_equal(falls_asleep(&q, 4), SLEEPS_FOR_MUTEX);
    assert_int_equal(runs(&q, 2), 0);
    assert_int_equal(falls_asleep(&q, 2), SLEEPS_FOR_MUTEX); /* whoever has taken what was signalled since */
    assert_int_equal(queues_signal(&q, C), 0);
    queues_free(&q);
}

/* Who asks first, has it; who was woken for it sleeps again. */
static void test_taken_by_another(void **state)
{
    (void)state;
    struct queues q = of(3);
    for (uint32_t t = 1; t <= 3; t++)
        wait_cond(&q, t);
    falls_asleep(&q, 1);
    assert_int_equal(queues_signal(&q, C), 1);
    assert_int_equal(runs(&q, 2), 0);
    assert_int_equal(falls_asleep(&q, 2), SLEEPS_FOR_MUTEX);
    assert_int_equal(runs(&q, 1), 0);
    assert_int_equal(falls_asleep(&q, 1), SLEEPS_FOR_COND);
    assert_int_equal(queues_signal(&q, C), 1);
    queues_end(&q, 1); /* it took it, as it has ended the wait */
    assert_int_equal(falls_asleep(&q, 3), SLEEPS_FOR_COND);
    queues_end(&q, 3); /* it was over before somebody signalled */
    assert_int_equal(queues_signal(&q, C), 0);
    wait_cond(&q, 1);
    falls_asleep(&q, 1);
    queues_end(&q, 1); /* so was this, of those that came since */
    wait_cond(&q, 2);
    falls_asleep(&q, 2);
    assert_int_equal(queues_signal(&q, C), 2);
    wait_cond(&q, 3);
    falls_asleep(&q, 3);
    assert_int_equal(queues_signal(&q, C), 3); /* all before it have been signalled */
    queues_end(&q, 2);
    queues_end(&q, 3);
    wait_cond(&q, 1);
    wait_cond(&q, 2);
    falls_asleep(&q, 1);
    falls_asleep(&q, 2);
    assert_int_equal(queues_signal(&q, C), 1);
    queues_end(&q, 1);
    queues_end(&q, 2); /* nobody of its round is left */
    wait_cond(&q, 3);
    falls_asleep(&q, 3);
    assert_int_equal(queues_signal(&q, C), 3);
    queues_free(&q);
}

/* ---- the trace -------------------------------------------------------------------------------------------------- */

/* Each of these waits from 1000 + 10 times its number on. */
static struct made waits_of(uint32_t n, uint32_t all)
{
    struct made m = begin(all);
    for (uint32_t t = 1; t <= n; t++) {
        block(&m, t, 1000 + 10 * t, "sync", 0);
        EVENT(&m, t, 1001 + 10 * t, ProcStop);
    }
    return m;
}

static void back(struct made *m, uint32_t t, uint64_t at)
{
    EVENT(m, t, at - 1, ProcStart, t, 1);
    start(m, t, at);
}

/* By 2, as the trace has it. */
static struct made one_waits(void)
{
    struct made m = waits_of(1, 3);
    wake(&m, 2, 1, 1900, 0);
    back(&m, 1, 3000);
    return m;
}

static void two_are_back(struct made *m)
{
    back(m, 1, 3000);
    back(m, 2, 3100);
}

static void test_woken_in_vain(void **state)
{
    (void)state;
    struct made m = one_waits();
    BECOMES(&m, 3,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, 3.2000 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart, "
            "1.2502 ProcsChange",
            NOTES(MUTEX_IS_AWAITED, 1, M, 1009), BLOCKS(1, 1100), NOTES(MUTEX_IS_UNLOCKED, 2, M, 1899), IN(1, 1910),
            BLOCKS(1, 1950), NOTES(MUTEX_IS_UNLOCKED, 3, M, 2000), IN(1, 2500));
    /* the same thread again: the later one ended the wait */
    m = one_waits();
    BECOMES(&m, 3,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, 2.2000 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart, "
            "1.2502 ProcsChange",
            NOTES(MUTEX_IS_AWAITED, 1, M, 1009), BLOCKS(1, 1100), NOTES(MUTEX_IS_UNLOCKED, 2, M, 1899), IN(1, 1910),
            BLOCKS(1, 1950), NOTES(MUTEX_IS_UNLOCKED, 2, M, 2000), IN(1, 2500));
    /* what the trace says of the only sleep stays as it is */
    m = one_waits();
    BECOMES(&m, 3,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, 2.1900 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart, "
            "1.2502 ProcsChange",
            NOTES(MUTEX_IS_AWAITED, 1, M, 1009), BLOCKS(1, 1100), NOTES(MUTEX_IS_UNLOCKED, 2, M, 1899), IN(1, 2500));
    /* the note of another mutex */
    m = one_waits();
    BECOMES(&m, 3,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, 2.1900 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart, "
            "1.2502 ProcsChange",
            NOTES(MUTEX_IS_AWAITED, 1, M, 1009), BLOCKS(1, 1100), NOTES(MUTEX_IS_UNLOCKED, 3, OTHER, 2000), IN(1, 2500));
}

/* 2 slept first, whatever the trace has. */
static void test_order_of_a_mutex(void **state)
{
    (void)state;
    for (int lost = 0; lost < 2; lost++) {
        struct made m = waits_of(2, 4);
        wake(&m, 3, 1, 1900, 0);
        wake(&m, 4, 2, 2000, 0);
        two_are_back(&m);
        BECOMES(&m, 4,
                lost ? "2.1100 GoBlock(sync), 2.1101 ProcStop, 1.1200 GoBlock(sync), 1.1201 ProcStop, 3.1900 GoUnblock, "
                       "4.2000 GoUnblock, 1.3000 ProcStart, 1.3001 GoStart, 1.3002 ProcsChange, 2.3100 ProcStart, "
                       "2.3101 GoStart"
                     : "2.1100 GoBlock(sync), 2.1101 ProcStop, 1.1200 GoBlock(sync), 1.1201 ProcStop, 3.1899 GoUnblock, "
                       "4.1999 GoUnblock, 2.2500 ProcStart, 2.2501 GoStart, 2.2502 ProcsChange, 1.2600 ProcStart, "
                       "1.2601 GoStart",
                NOTES(MUTEX_IS_AWAITED, 1, M, 1009), NOTES(MUTEX_IS_AWAITED, 2, M, 1019), BLOCKS(2, 1100),
                BLOCKS(1, 1200), NOTED(lost ? SWITCHES_LOST : SWITCH_IN, 0, 0, 1300),
                NOTES(MUTEX_IS_UNLOCKED, 3, M, 1899), NOTES(MUTEX_IS_UNLOCKED, 4, M, 1999), IN(2, 2500), IN(1, 2600));
    }
}

/* The stack of the call that unlocks, not that of the thread's next one. */
static void test_from_where(void **state)
{
    (void)state;
    struct made m = waits_of(2, 5);
    block(&m, 5, 1050, "sync", 0);
    EVENT(&m, 5, 1051, ProcStop);
    wake(&m, 3, 1, 1900, stack(&m, NULL, "unlock", "unlocker", 7, "unlocks"));
    wake(&m, 4, 5, 2000, stack(&m, NULL, "post", "poster", 8, "posts"));
    back(&m, 1, 3000);
    EVENT(&m, 2, 3098, GoUnblock, 2, ++m.seq[2], 0);
    back(&m, 2, 3100);
    back(&m, 5, 3200);
    BECOMES(&m, 5,
            "5.1050 GoBlock(sync), 5.1051 ProcStop, 2.1100 GoBlock(sync), 2.1101 ProcStop, 1.1200 GoBlock(sync), "
            "1.1201 ProcStop, 3.1899 GoUnblock(by unlock), 4.1999 GoUnblock, 4.2000 GoUnblock(by post), "
            "2.2500 ProcStart, 2.2501 GoStart, 2.2502 ProcsChange, 1.2600 ProcStart, 1.2601 GoStart, 5.3200 ProcStart, "
            "5.3201 GoStart",
            NOTES(MUTEX_IS_AWAITED, 1, M, 1009), NOTES(MUTEX_IS_AWAITED, 2, M, 1019), BLOCKS(2, 1100), BLOCKS(1, 1200),
            NOTES(MUTEX_IS_UNLOCKED, 3, M, 1899), NOTES(MUTEX_IS_UNLOCKED, 4, M, 1999), IN(2, 2500), IN(1, 2600));
}

#define AWAITS(thread, at) NOTES(MUTEX_IS_AWAITED, thread, M, at), NOTES(COND_IS_AWAITED, thread, C, at)
#define TWO_SLEEP                                                                                                      \
    "2.1100 GoBlock(sync), 2.1101 ProcStop, 1.1200 GoBlock(sync), 1.1201 ProcStop, "
#define TWO_ARE_BACK                                                                                                   \
    "2.2500 ProcStart, 2.2501 GoStart, 2.2502 ProcsChange, 1.2600 ProcStart, 1.2601 GoStart"

/* Likewise; and also where the trace has the second signal wake nobody. From where it was signalled stays known. */
static void test_order_of_a_condition(void **state)
{
    (void)state;
    for (int second = 0; second < 2; second++) {
        uint32_t by = second ? 3 : 4;
        struct made m = waits_of(2, 4);
        wake(&m, 3, 1, 1900, stack(&m, NULL, "signal", "signaller", 7, "signals"));
        if (second == 0)
            wake(&m, 4, 2, 2000, 0);
        back(&m, 1, 3000);
        if (second)
            EVENT(&m, 2, 3098, GoUnblock, 2, ++m.seq[2], 0);
        back(&m, 2, 3100);
        BECOMES(&m, 4,
                second ? TWO_SLEEP "3.1899 GoUnblock(by signal), 3.1999 GoUnblock, " TWO_ARE_BACK
                       : TWO_SLEEP "3.1899 GoUnblock(by signal), 4.1999 GoUnblock, " TWO_ARE_BACK,
                AWAITS(1, 1009), AWAITS(2, 1019), BLOCKS(2, 1100), BLOCKS(1, 1200), NOTES(COND_IS_SIGNALLED, 3, C, 1899),
                NOTES(COND_IS_SIGNALLED, by, C, 1999), IN(2, 2500), IN(1, 2600));
    }
}

/* By a broadcast, or by a thread whose last note was another one, as the trace says. */
static void test_all_of_a_condition(void **state)
{
    (void)state;
    for (int noted = 0; noted < 2; noted++) {
        struct made m = waits_of(2, 3);
        wake(&m, 3, 1, 1900, 0);
        wake(&m, 3, 2, 2000, 0);
        two_are_back(&m);
        BECOMES(&m, 3, TWO_SLEEP "3.1900 GoUnblock, 3.2000 GoUnblock, " TWO_ARE_BACK, AWAITS(1, 1009), AWAITS(2, 1019),
                BLOCKS(2, 1100), BLOCKS(1, 1200), NOTES(COND_IS_SIGNALLED, 3, OTHER, 1850),
                NOTES(noted ? MUTEX_IS_UNLOCKED : COND_IS_SIGNALLED, 3, OTHER, 1899), IN(2, 2500), IN(1, 2600));
    }
}

/* Thread 1 is through its condition, by a signal or a broadcast, and sleeps for the mutex before 2 does. */
static void test_behind_who_waited_for_a_condition(void **state)
{
    (void)state;
    for (int all = 0; all < 2; all++) {
        struct made m = waits_of(2, 5);
        wake(&m, 3, 1, 1150, 0);
        wake(&m, 3, 2, 1900, 0);
        two_are_back(&m);
        BECOMES(&m, 5,
                "1.1100 GoBlock(sync), 1.1101 ProcStop, 3.1150 GoUnblock, 2.1300 GoBlock(sync), 2.1301 ProcStop, "
                "5.1999 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart, 1.2502 ProcsChange, 2.2600 ProcStart, 2.2601 GoStart",
                AWAITS(1, 1009), NOTES(MUTEX_IS_AWAITED, 2, M, 1019), BLOCKS(1, 1100),
                NOTES(COND_IS_SIGNALLED, 3, all ? OTHER : C, 1149), IN(1, 1160), BLOCKS(1, 1200), BLOCKS(2, 1300),
                NOTES(MUTEX_IS_UNLOCKED, 4, M, 1899), NOTES(MUTEX_IS_UNLOCKED, 5, M, 1999), IN(1, 2500), IN(2, 2600));
    }
}

/* It had no processor then, and did not sleep: only the mutex's unlock woke it, and its wait begins later. */
static void test_signalled_awake(void **state)
{
    (void)state;
    struct made m = waits_of(1, 4);
    wake(&m, 2, 1, 1050, 0);
    back(&m, 1, 3000);
    BECOMES(&m, 4,
            "1.1020 GoStop(preempted), 1.1021 ProcStop, 1.1060 ProcStart, 1.1061 GoStart, 1.1062 ProcsChange, "
            "1.1100 GoBlock(sync), 1.1101 ProcStop, 3.1899 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart",
            AWAITS(1, 1009), PREEMPTED(1, 1020), NOTES(COND_IS_SIGNALLED, 2, C, 1049), IN(1, 1060), BLOCKS(1, 1100),
            NOTES(MUTEX_IS_UNLOCKED, 3, M, 1899), IN(1, 2500));
}

/* It sleeps for the condition for a moment, though it is woken, and is not first of those who do for the mutex. */
static void test_signalled_as_it_falls_asleep(void **state)
{
    (void)state;
    struct made m = waits_of(2, 4);
    wake(&m, 3, 1, 1050, 0);
    wake(&m, 3, 2, 1900, 0);
    two_are_back(&m);
    BECOMES(&m, 4,
            "1.1010 GoBlock(sync), 1.1011 ProcStop, 3.1050 GoUnblock, 2.1200 GoBlock(sync), 2.1201 ProcStop, "
            "4.1999 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart, 1.2502 ProcsChange, 2.2600 ProcStart, 2.2601 GoStart",
            AWAITS(1, 1009), NOTES(MUTEX_IS_AWAITED, 2, M, 1019), NOTES(COND_IS_SIGNALLED, 3, C, 1049), BLOCKS(1, 1100),
            BLOCKS(2, 1200), NOTES(MUTEX_IS_UNLOCKED, 4, M, 1999), IN(1, 2500), IN(2, 2600));
}

/* 1 is switched away first, but 2 was in the kernel's queue before: it is back when nothing else can have woken it. */
static void test_back_before_who_slept_first(void **state)
{
    (void)state;
    struct made m = waits_of(2, 4);
    wake(&m, 3, 1, 1900, stack(&m, NULL, "unlock", "unlocker", 7, "unlocks"));
    EVENT(&m, 2, 1957, GoUnblock, 2, ++m.seq[2], 0);
    back(&m, 2, 1960);
    back(&m, 1, 3000);
    BECOMES(&m, 4,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, 2.1200 GoBlock(sync), 2.1201 ProcStop, "
            "3.1899 GoUnblock(by unlock), 2.1950 ProcStart, 2.1951 GoStart, 2.1952 ProcsChange, 4.1999 GoUnblock, "
            "1.2500 ProcStart, 1.2501 GoStart",
            NOTES(MUTEX_IS_AWAITED, 1, M, 1009), NOTES(MUTEX_IS_AWAITED, 2, M, 1019), BLOCKS(1, 1100), BLOCKS(2, 1200),
            NOTES(MUTEX_IS_UNLOCKED, 3, M, 1899), IN(2, 1950), NOTES(MUTEX_IS_UNLOCKED, 4, M, 1999), IN(1, 2500));
}

/* 1 sleeps on after that. What wakes it later is not what the trace has, even if the same thread does. */
static void test_woken_later_by_the_same(void **state)
{
    (void)state;
    struct made m = waits_of(2, 4);
    wake(&m, 3, 1, 1900, 0);
    EVENT(&m, 2, 1957, GoUnblock, 2, ++m.seq[2], 0);
    back(&m, 2, 1960);
    back(&m, 1, 3000);
    BECOMES(&m, 4,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, 2.1200 GoBlock(sync), 2.1201 ProcStop, 3.1899 GoUnblock, "
            "2.1950 ProcStart, 2.1951 GoStart, 2.1952 ProcsChange, 3.2399 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart",
            NOTES(MUTEX_IS_AWAITED, 1, M, 1009), NOTES(MUTEX_IS_AWAITED, 2, M, 1019), BLOCKS(1, 1100), BLOCKS(2, 1200),
            NOTES(MUTEX_IS_UNLOCKED, 3, M, 1899), IN(2, 1950), NOTES(MUTEX_IS_UNLOCKED, 3, M, 2399), IN(1, 2500));
}

/* The release was before 2 was switched away: then it is not what ended its sleep by the trace. */
static void test_back_after_an_early_release(void **state)
{
    (void)state;
    struct made m = waits_of(2, 4);
    wake(&m, 4, 2, 1940, 0);
    EVENT(&m, 1, 2998, GoUnblock, 1, ++m.seq[1], 0);
    two_are_back(&m);
    BECOMES(&m, 4,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, 2.1200 GoBlock(sync), 2.1201 ProcStop, 4.1940 GoUnblock, "
            "2.1950 ProcStart, 2.1951 GoStart, 2.1952 ProcsChange, 1.2500 GoUnblock, 1.2501 ProcStart, 1.2502 GoStart",
            NOTES(MUTEX_IS_AWAITED, 1, M, 1009), NOTES(MUTEX_IS_AWAITED, 2, M, 1019), BLOCKS(1, 1100),
            NOTES(MUTEX_IS_UNLOCKED, 3, M, 1149), BLOCKS(2, 1200), IN(2, 1950), IN(1, 2500));
}

/* A signal had reached 1 before, and it sleeps for the mutex: a second one of the trace changes nothing. */
static void test_signalled_twice(void **state)
{
    (void)state;
    struct made m = waits_of(3, 6);
    wake(&m, 6, 1, 1170, 0);
    wake(&m, 4, 3, 1900, 0);
    back(&m, 1, 3000);
    back(&m, 3, 3100);
    EVENT(&m, 2, 3198, GoUnblock, 2, ++m.seq[2], 0);
    back(&m, 2, 3200);
    BECOMES(&m, 6,
            "2.1020 GoBlock(sync), 2.1021 ProcStop, 1.1100 GoBlock(sync), 1.1101 ProcStop, 6.1149 GoUnblock, "
            "3.1300 GoBlock(sync), 3.1301 ProcStop, 5.1999 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart, "
            "1.2502 ProcsChange, 3.2600 ProcStart, 3.2601 GoStart, 2.3198 GoUnblock, 2.3200 ProcStart, 2.3201 GoStart",
            AWAITS(1, 1009), NOTES(MUTEX_IS_AWAITED, 3, M, 1029), BLOCKS(1, 1100),
            NOTES(COND_IS_SIGNALLED, 6, C, 1149), IN(1, 1160), NOTES(COND_IS_SIGNALLED, 6, C, 1169), BLOCKS(1, 1200),
            BLOCKS(3, 1300), NOTES(MUTEX_IS_UNLOCKED, 4, M, 1899), NOTES(MUTEX_IS_UNLOCKED, 5, M, 1999), IN(1, 2500),
            IN(3, 2600));
}

/* 2 takes the signal that the trace has for 1, which sleeps for the condition until the next one. */
static void test_signal_of_another(void **state)
{
    (void)state;
    struct made m = waits_of(2, 4);
    wake(&m, 3, 1, 1050, 0);
    back(&m, 1, 3000);
    EVENT(&m, 2, 3098, GoUnblock, 2, ++m.seq[2], 0);
    back(&m, 2, 3100);
    BECOMES(&m, 4,
            "1.1015 GoStop(preempted), 1.1016 ProcStop, 2.1030 GoStop(preempted), 2.1031 ProcStop, 2.1060 ProcStart, "
            "2.1061 GoStart, 2.1062 ProcsChange, 2.1100 GoBlock(sync), 2.1101 ProcStop, 1.1150 ProcStart, "
            "1.1151 GoStart, 1.1200 GoBlock(sync), 1.1201 ProcStop, 3.1899 GoUnblock, 4.1999 GoUnblock, "
            "2.2500 ProcStart, 2.2501 GoStart, 1.2600 ProcStart, 1.2601 GoStart",
            AWAITS(1, 1009), PREEMPTED(1, 1015), AWAITS(2, 1019), PREEMPTED(2, 1030), NOTES(COND_IS_SIGNALLED, 3, C, 1049),
            IN(2, 1060), BLOCKS(2, 1100), IN(1, 1150), BLOCKS(1, 1200),
            NOTES(MUTEX_IS_UNLOCKED, 3, M, 1899), NOTES(COND_IS_SIGNALLED, 4, C, 1999), IN(2, 2500), IN(1, 2600));
}

/* The same, of one that is awake as it has lost its processor: its wait begins when it sleeps. */
static void test_signal_of_another_that_sleeps(void **state)
{
    (void)state;
    struct made m = waits_of(2, 4);
    wake(&m, 3, 1, 1050, 0);
    back(&m, 1, 3000);
    EVENT(&m, 2, 3098, GoUnblock, 2, ++m.seq[2], 0);
    back(&m, 2, 3100);
    BECOMES(&m, 4,
            "1.1015 GoStop(preempted), 1.1016 ProcStop, 2.1030 GoBlock(sync), 2.1031 ProcStop, 3.1049 GoUnblock, "
            "1.1060 ProcStart, 1.1061 GoStart, 1.1062 ProcsChange, 1.1100 GoBlock(sync), 1.1101 ProcStop, "
            "4.1999 GoUnblock, 2.2500 ProcStart, 2.2501 GoStart, 1.2600 ProcStart, 1.2601 GoStart",
            AWAITS(1, 1009), PREEMPTED(1, 1015), AWAITS(2, 1019), BLOCKS(2, 1030), NOTES(COND_IS_SIGNALLED, 3, C, 1049),
            IN(2, 1052), BLOCKS(2, 1055), IN(1, 1060), BLOCKS(1, 1100), NOTES(COND_IS_SIGNALLED, 4, C, 1999),
            IN(2, 2500), IN(1, 2600));
}

/* Back without having been woken, as after a timeout; or nobody knows for what it sleeps since something was lost. */
static void test_who_is_in_no_queue(void **state)
{
    (void)state;
    struct made m = waits_of(2, 4);
    wake(&m, 4, 2, 2000, 0);
    EVENT(&m, 1, 2998, GoUnblock, 1, ++m.seq[1], 0);
    two_are_back(&m);
    BECOMES(&m, 4,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, 1.1150 GoUnblock, 1.1151 ProcStart, 1.1152 GoStart, 1.1153 ProcsChange, "
            "2.1200 GoBlock(sync), 2.1201 ProcStop, 3.1899 GoUnblock, 2.2500 ProcStart, 2.2501 GoStart",
            NOTES(MUTEX_IS_AWAITED, 1, M, 1009), NOTES(MUTEX_IS_AWAITED, 2, M, 1019), BLOCKS(1, 1100), IN(1, 1150),
            BLOCKS(2, 1200), NOTES(MUTEX_IS_UNLOCKED, 3, M, 1899), IN(2, 2500));
    m = one_waits();
    BECOMES(&m, 3,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, 2.1900 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart, "
            "1.2502 ProcsChange",
            NOTES(MUTEX_IS_AWAITED, 1, M, 1009), BLOCKS(1, 1100), LOST(1200), IN(1, 1300), BLOCKS(1, 1400),
            NOTES(MUTEX_IS_UNLOCKED, 3, M, 1850), IN(1, 2500));
}

/* Thread 1 is woken on its way to sleep. */
static void test_woken_as_it_falls_asleep(void **state)
{
    (void)state;
    struct made m = waits_of(2, 4);
    wake(&m, 3, 1, 1150, 0);
    wake(&m, 3, 2, 1900, 0);
    two_are_back(&m);
    BECOMES(&m, 4,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, 3.1150 GoUnblock, 2.1200 GoBlock(sync), 2.1201 ProcStop, "
            "4.1999 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart, 1.2502 ProcsChange, 2.2600 ProcStart, 2.2601 GoStart",
            NOTES(MUTEX_IS_AWAITED, 1, M, 1009), NOTES(MUTEX_IS_AWAITED, 2, M, 1019),
            NOTES(MUTEX_IS_UNLOCKED, 3, M, 1099), BLOCKS(1, 1100), BLOCKS(2, 1200), NOTES(MUTEX_IS_UNLOCKED, 4, M, 1999),
            IN(1, 2500), IN(2, 2600));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nobody),
        cmocka_unit_test(test_who_slept_first),
        cmocka_unit_test(test_woken_instead),
        cmocka_unit_test(test_another_condition),
        cmocka_unit_test(test_through_a_condition),
        cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_taken_by_another),
        cmocka_unit_test(test_woken_in_vain),
        cmocka_unit_test(test_order_of_a_mutex),
        cmocka_unit_test(test_from_where),
        cmocka_unit_test(test_order_of_a_condition),
        cmocka_unit_test(test_all_of_a_condition),
        cmocka_unit_test(test_behind_who_waited_for_a_condition),
        cmocka_unit_test(test_signalled_awake),
        cmocka_unit_test(test_signalled_as_it_falls_asleep),
        cmocka_unit_test(test_back_before_who_slept_first),
        cmocka_unit_test(test_woken_later_by_the_same),
        cmocka_unit_test(test_back_after_an_early_release),
        cmocka_unit_test(test_signalled_twice),
        cmocka_unit_test(test_signal_of_another),
        cmocka_unit_test(test_signal_of_another_that_sleeps),
        cmocka_unit_test(test_who_is_in_no_queue),
        cmocka_unit_test(test_woken_as_it_falls_asleep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
