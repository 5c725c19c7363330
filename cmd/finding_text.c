/* What is said of a finding. */
#include "cmd/finding_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/export/memory_file.h"
#include "cmd/table.h"

struct page {
    const struct stat *s;
    FILE *out;
};

/* ---- parts of sentences ----------------------------------------------------------------------------------------- */

static const char *text(const struct page *p, uint32_t n) { return stat_text_of(&p->s->spans.texts, n); }

static const char *object(const struct page *p, uint32_t number)
{
    return number ? text(p, p->s->blame.objects.v[number - 1].is.text) : "";
}

static unsigned percent(uint64_t part, uint64_t all)
{
    unsigned n = all ? (unsigned)(100.0 * (double)part / (double)all + 0.5) : 0;
    return n > 100 ? 100 : n;
}

static unsigned of_wall(const struct page *p, uint64_t ns)
{
    return percent(ns, (uint64_t)p->s->spans.end - (uint64_t)p->s->spans.begin);
}

static const char *name(const struct page *p, uint32_t n) { return n && *text(p, n) ? text(p, n) : "a thread"; }

/* "worker", "worker ×4" */
static void put_name(const struct page *p, uint32_t n, uint64_t times)
{
    fputs(name(p, n), p->out);
    if (times > 1)
        fprintf(p->out, " ×%" PRIu64, times);
}

static void put_place(const struct page *p, const char *before, uint32_t place)
{
    const char *where = text(p, place);
    if (place && *where)
        fprintf(p->out, "%s%.*s", before, (int)strcspn(where, "\n"), where);
}

/* "executes, mostly compress (zip.c:140)", "is in fdatasync (journal.c:88 flush)" */
static void put_doing(const struct page *p, const struct finding *it)
{
    put_place(p, it->executes ? "executes, mostly " : "is in ", it->doing);
}

static void put_waits(const struct page *p, const struct finding *it)
{
    char time[TABLE_TIME_SIZE];
    fprintf(p->out, ". %" PRIu64 " waits, %s; somebody waits %u %% of the wall time", it->waits,
            table_format_time(time, it->time), of_wall(p, it->cost));
}

static void put_release(const struct page *p, const struct finding *it)
{
    put_place(p, ", and releases it in ", it->site);
}

/* ---- sentences -------------------------------------------------------------------------------------------------- */

static void say_reader(const struct page *p, const struct finding *it)
{
    put_name(p, it->owner, it->nowners);
    fprintf(p->out, " reads under %s", object(p, it->object));
    put_release(p, it);
    fputs(", while ", p->out);
    put_name(p, it->waiter, 1);
    fputs(" waits to write", p->out);
    put_place(p, " in ", it->place);
    fprintf(p->out, "; in %u %% of that time the reader ", percent(it->part, it->time));
    put_doing(p, it);
    put_waits(p, it);
}

static void say_nested(const struct page *p, const struct finding *it)
{
    put_name(p, it->waiter, 1);
    fprintf(p->out, " holds %s", object(p, it->object));
    fprintf(p->out, " and waits for %s, which ", object(p, it->inner));
    put_name(p, it->owner, 1);
    fputs(" holds", p->out);
    put_place(p, " and releases in ", it->site);
    if (it->doing && *text(p, it->doing)) {
        fprintf(p->out, "; in %" PRIu64 " %% of that time it ", it->n);
        put_doing(p, it);
    }
    fprintf(p->out, ". That is %u %% of the time that others wait for the outer lock", percent(it->part, it->time));
    put_waits(p, it);
}

static void say_hold(const struct page *p, const struct finding *it)
{
    put_name(p, it->owner, it->nowners);
    fprintf(p->out, " %s %s", it->nowners > 1 ? "hold" : "holds", object(p, it->object));
    put_place(p, it->nowners > 1 ? ", and release it in " : ", and releases it in ", it->site);
    fputs(", while ", p->out);
    put_name(p, it->waiter, it->nwaiters);
    fputs(it->nwaiters > 1 ? " wait" : " waits", p->out);
    put_place(p, " in ", it->place);
    fprintf(p->out, "; in %u %% of that time the owner ", percent(it->part, it->time));
    put_doing(p, it);
    put_waits(p, it);
}

static void say_order(const struct page *p, const struct finding *it)
{
    put_name(p, it->waiter, 1);
    fprintf(p->out, " waits for %s", object(p, it->object));
    put_place(p, " in ", it->place);
    fprintf(p->out, " until %.1f turns of others are over, on average of %" PRIu64 " times: ",
            (double)it->m / (double)it->n, it->n);
    put_name(p, it->owner, it->nowners);
    fputs(", who came before", p->out);
    put_place(p, " and release it in ", it->site);
    fprintf(p->out, "; in %u %% of the time the owner ", percent(it->part, it->time));
    put_doing(p, it);
    put_waits(p, it);
}

static void say_shared(const struct page *p, const struct finding *it)
{
    fprintf(p->out, "%s serves %" PRIu64 " kinds of threads, which take it in functions of their own and have nothing"
                    " else to do with each other; %u %% of the time they wait for one of another kind. Most: ",
            object(p, it->object), it->n, percent(it->m, it->time));
    put_name(p, it->waiter, 1);
    put_place(p, " waits in ", it->place);
    fputs(", ", p->out);
    put_name(p, it->owner, 1);
    put_place(p, " releases it in ", it->site);
    fprintf(p->out, "; in %u %% of the time the owner ", percent(it->part, it->time));
    put_doing(p, it);
    put_waits(p, it);
}

static void say_mutex_held(const struct page *p, const struct finding *it)
{
    char time[TABLE_TIME_SIZE];
    put_name(p, it->owner, 1);
    fprintf(p->out, " signals %s", object(p, it->object));
    put_place(p, " in ", it->site);
    fputs(" and keeps the mutex while it ", p->out);
    put_doing(p, it);
    fprintf(p->out, ": in %" PRIu64 " of %" PRIu64 " wakeups ", it->m, it->n);
    put_name(p, it->waiter, 1);
    fprintf(p->out, " could go on only after that, %s in all, %u %% of the wall time",
            table_format_time(time, it->part), of_wall(p, it->cost));
}

static void say_herd(const struct page *p, const struct finding *it)
{
    char time[TABLE_TIME_SIZE];
    put_name(p, it->owner, 1);
    fprintf(p->out, " wakes all that wait for %s", object(p, it->object));
    put_place(p, " in ", it->place);
    put_place(p, ", by a broadcast in ", it->site);
    fprintf(p->out, ": %" PRIu64 " times, %.1f threads each, of whom %s%.1f waited again at once; %s from these wakeups to"
                    " the next waits",
            it->n, (double)it->m / (double)it->n, it->kind == FINDING_HERD ? "all but one, " : "",
            (double)it->time / (double)it->n, table_format_time(time, it->part));
}

static void say_late(const struct page *p, const struct finding *it)
{
    put_name(p, it->owner, 1);
    fprintf(p->out, " signals %s", object(p, it->object));
    put_place(p, " in ", it->site);
    fprintf(p->out, " only after %s, which is %u %% of the time that ", text(p, it->doing),
            percent(it->part, it->time));
    put_name(p, it->waiter, it->nwaiters);
    fputs(it->nwaiters > 1 ? " wait" : " waits", p->out);
    put_place(p, " in ", it->place);
    put_waits(p, it);
}

static void say_slow_reader(const struct page *p, const struct finding *it)
{
    put_name(p, it->waiter, it->nwaiters);
    put_place(p, " waits in ", it->place);
    fprintf(p->out, " because %s is full; ", object(p, it->object));
    put_name(p, it->owner, 1);
    put_place(p, ", who reads it in ", it->site);
    fprintf(p->out, ", in %u %% of that time ", percent(it->part, it->time));
    put_doing(p, it);
    put_waits(p, it);
}

static void say_straggler(const struct page *p, const struct finding *it)
{
    double others = it->nwaiters ? (double)it->m / (double)it->nwaiters : 0;
    put_name(p, it->owner, 1);
    fprintf(p->out, " (thread %" PRIu64 ") comes late to %s", it->who, object(p, it->object));
    put_place(p, " in ", it->site);
    fprintf(p->out, ", where %" PRIu64 " others wait for it: it has %" PRIu64 " CPU samples, they have %.1f each;"
                    " in %u %% of the time it ",
            it->nwaiters, it->n, others, percent(it->part, it->time));
    put_doing(p, it);
    put_waits(p, it);
}

static void say_slowest(const struct page *p, const struct finding *it)
{
    char alone[TABLE_TIME_SIZE], all[TABLE_TIME_SIZE];
    put_name(p, it->waiter, 1);
    put_place(p, " waits in ", it->place);
    fprintf(p->out, " for %s: of the %s of %" PRIu64 " threads \"%s\" it was alone for %s, %u %% of the wall time;"
                    " in %u %% of the wait it ",
            object(p, it->object), table_format_time(all, it->m), it->n, name(p, it->owner),
            table_format_time(alone, it->cost), of_wall(p, it->cost), percent(it->part, it->time));
    put_doing(p, it);
}

static void say_everybody(const struct page *p, const struct finding *it)
{
    fprintf(p->out, "%" PRIu64 " threads, most of them ", it->nwaiters);
    put_name(p, it->waiter, 1);
    put_place(p, " in ", it->place);
    fprintf(p->out, ", wait for %s ", object(p, it->object));
    fputs("until ", p->out);
    put_name(p, it->owner, 1);
    put_place(p, " comes to ", it->site);
    fprintf(p->out, "; in %u %% of the time it ", percent(it->part, it->time));
    put_doing(p, it);
    fprintf(p->out, ". It is busy for %u %% of the wall time, and they wait for it for %u %%", of_wall(p, it->n),
            of_wall(p, it->cost));
}

static void say_polling(const struct page *p, const struct finding *it)
{
    char time[TABLE_TIME_SIZE];
    put_name(p, it->owner, 1);
    put_place(p, " looks again and again, by ", it->doing);
    fprintf(p->out, ": %" PRIu64 " sleeps with nothing to do after them, until in %" PRIu64 " cases there was something;"
                    " %s, %u %% of the wall time",
            it->n, it->m, table_format_time(time, it->part), of_wall(p, it->cost));
}

/* What the kernel says of who runs. */
static void put_queue(const struct page *p)
{
    char median[TABLE_TIME_SIZE], most[TABLE_TIME_SIZE];
    const struct stat *s = p->s;
    const struct stat_group *all = &s->run_queue.all;
    uint64_t ran = stat_threads_time(&s->threads, GOTRACE_STATE_RUNNING);
    if (!s->migrations.by_kernel || !all->count)
        return;
    fprintf(p->out, ". Threads that could run had no processor for %u %% of that time, half of the times for more than"
                    " %s, at most %s",
            percent(all->total, all->total + ran), table_format_time(median, stat_group_percentile(all, 50)),
            table_format_time(most, all->max));
}

static void say_crowd(const struct page *p, const struct finding *it)
{
    fprintf(p->out, "for %u %% of the wall time %" PRIu64 " threads on average want to execute, and there %s %" PRIu64
                    " processor%s. Most of the CPU time is of ",
            of_wall(p, it->cost), it->n, it->m == 1 ? "is" : "are", it->m, it->m == 1 ? "" : "s");
    put_name(p, it->owner, it->nowners);
    put_place(p, ", made in ", it->site);
    fputs(", which ", p->out);
    put_doing(p, it);
    put_queue(p);
}

static void say_denied(const struct page *p, const struct finding *it)
{
    char time[TABLE_TIME_SIZE], longest[TABLE_TIME_SIZE];
    put_name(p, it->owner, it->nowners);
    fprintf(p->out, " could run and had no processor, %" PRIu64 " times for a millisecond or longer, %s in sum and at most"
                    " %s, while fewer threads of the program ran than it has processors (%" PRIu64 "): others have them,"
                    " or a limit or a mask of CPUs keeps threads away. It is so for %u %% of the wall time",
            it->waits, table_format_time(time, it->time), table_format_time(longest, it->part), it->m,
            of_wall(p, it->cost));
}

static const struct {
    const char *word, *title;
    void (*say)(const struct page *p, const struct finding *it);
} kinds[] = {
    [FINDING_READER_BLOCKS_WRITER] = {"reader-blocks-writer", "Reader blocks writer", say_reader},
    [FINDING_NESTED_LOCK] = {"nested-lock", "Nested locks, the inner one slow", say_nested},
    [FINDING_LOCK_OVER_CALL] = {"lock-over-blocking-call", "Lock held across a blocking call", say_hold},
    [FINDING_SERVED_IN_ORDER] = {"served-in-order", "Served in the order of arrival", say_order},
    [FINDING_SHARED_LOCK] = {"shared-lock", "One lock for several jobs", say_shared},
    [FINDING_CONVOY] = {"lock-convoy", "Lock convoy", say_hold},
    [FINDING_LONG_HOLD] = {"lock-held-long", "Lock held long", say_hold},
    [FINDING_MUTEX_HELD] = {"signal-with-mutex-held", "Condition signalled with the mutex held", say_mutex_held},
    [FINDING_HERD] = {"thundering-herd", "Thundering herd", say_herd},
    [FINDING_FUTILE] = {"futile-wakeups", "Futile wakeups", say_herd},
    [FINDING_LATE_SIGNAL] = {"late-signal", "Condition signalled late", say_late},
    [FINDING_SLOW_READER] = {"slow-reader", "Slow consumer behind a pipe", say_slow_reader},
    [FINDING_STRAGGLER] = {"straggler", "Straggler", say_straggler},
    [FINDING_SLOWEST_JOIN] = {"join-of-the-slowest", "Join of the slowest", say_slowest},
    [FINDING_STARVED] = {"starved-pool", "Starved pool", say_everybody},
    [FINDING_EVERYBODY] = {"everybody-waits-for-one", "Everybody waits for one thread", say_everybody},
    [FINDING_POLLING] = {"polling-by-sleep", "Polling by sleep", say_polling},
    [FINDING_CROWD] = {"more-threads-than-processors", "More threads than processors", say_crowd},
    [FINDING_DENIED] = {"processors-taken", "Processors taken by others", say_denied},
};

/* Behind the parenthesis that closes, or where the name was cut. */
static const char *end_of_arguments(const char *from)
{
    static const char cut[] = "…";
    for (int depth = 0; *from; from++) {
        depth += *from == '(';
        depth -= *from == ')';
        if (!depth)
            return from + 1;
        if (!strncmp(from, cut, sizeof cut - 1))
            return from + sizeof cut - 1;
    }
    return from;
}

/*
 * Without what makes the names of C++ long and says little: the arguments of functions, unnamed namespaces, the clones
 * that compilers make.
 */
static void shorten(char *words)
{
    static const char unnamed[] = "(anonymous namespace)::", clone[] = " [clone ";
    char *to = words;
    for (const char *from = words; *from;) {
        bool arguments = *from == '(' && from > words && from[-1] != ' ' && from[1] != ')';
        if (!strncmp(from, unnamed, sizeof unnamed - 1)) {
            from += sizeof unnamed - 1;
        } else if (!strncmp(from, clone, sizeof clone - 1) && strchr(from, ']')) {
            from = strchr(from, ']') + 1;
        } else if (arguments || (!strncmp(from, "()", 2) && !(to - words >= 8 && !strncmp(to - 8, "operator", 8)))) {
            from = end_of_arguments(from);
        } else {
            *to++ = *from++;
        }
    }
    *to = 0;
}

char *finding_sentence(const struct stat *s, const struct finding *it)
{
    char *words = NULL;
    size_t size;
    struct page p = {.s = s, .out = memory_file(&words, &size)};
    if (!p.out)
        return NULL;
    fprintf(p.out, "%s: ", kinds[it->kind].title);
    kinds[it->kind].say(&p, it);
    putc('.', p.out);
    if (fclose(p.out)) {
        free(words);
        return NULL;
    }
    shorten(words);
    return words;
}

const char *finding_word(enum finding_kind kind) { return kinds[kind].word; }
