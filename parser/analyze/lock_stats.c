#include "parser/analyze/lock_stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "parser/utf8.h"

enum { TEXT_MAX = 1024 };

/* Cuts the text at the next tab; returns what is behind it, "" if there is none. */
static char *cut(char *text)
{
    char *tab = strchr(text, '\t');
    if (!tab)
        return text + strlen(text);
    *tab = 0;
    return tab + 1;
}

/* A trace may have anything in its strings, also what would command a terminal. Tabs are between parts. */
static void clean(char *text)
{
    uint8_t *p = (uint8_t *)text, *end = p + strlen(text);
    while (p < end) {
        uint32_t rune;
        size_t n = utf8_get(p, end, &rune);
        bool control = n && rune_is_control(rune) && rune != '\t';
        if (!n || control)
            memset(p, '?', n ? n : 1);
        p += n ? n : 1;
    }
}

/* Tabs between the frames become ends of lines; frames without a name are none. */
static void make_lines(char *stack)
{
    char *to = stack;
    for (const char *p = stack; *p; p++)
        if (*p != '\t')
            *to++ = *p;
        else if (to > stack && to[-1] != '\n')
            *to++ = '\n';
    *to = 0;
}

static void add(struct lock_stats *s, const char *text)
{
    struct lock_stat l;
    int names = 0;
    int n = sscanf(text,
                   "thrace lock %*u taken %" SCNu64 " contended %" SCNu64 " held %" SCNu64 " p50 %" SCNu64
                   " p99 %" SCNu64 " longest %" SCNu64 " by %" SCNu64 "%n",
                   &l.taken, &l.contended, &l.held, &l.p50, &l.p99, &l.longest, &l.by, &names);
    if (n != 7 || text[names] != '\t')
        return;
    if (s->list.n >= LOCK_STATS_MAX) {
        s->others += l.taken;
        return;
    }
    l.object = strdup(text + names + 1);
    if (!l.object || !VEC_ROOM(&s->list)) {
        free(l.object);
        s->failed = true;
        return;
    }
    clean(l.object);
    char *function = cut(l.object), *place = cut(function), *thread = cut(place), *stack = cut(thread);
    make_lines(stack);
    l.stack = stack;
    l.function = function;
    l.place = place;
    l.thread = thread;
    s->list.v[s->list.n++] = l;
}

static void take(struct lock_stats *s, const struct gotrace_str *string)
{
    char text[TEXT_MAX + 1];
    uint64_t others, missed;
    size_t len = string->len < TEXT_MAX ? string->len : TEXT_MAX;
    memcpy(text, string->data, len);
    text[len] = 0;
    if (sscanf(text, "thrace locks others %" SCNu64 " missed %" SCNu64, &others, &missed) == 2) {
        s->counted = true;
        s->others += others;
        s->missed += missed;
    } else {
        add(s, text);
    }
}

void lock_stats_event(struct lock_stats *s, const struct gotrace_event *ev)
{
    static const char mark[] = "thrace lock";
    struct gotrace_str string;
    if (gotrace_event_kind(ev) != GOTRACE_KIND_SYNC)
        return;
    for (size_t i = 0; gotrace_event_sync_string(ev, i, &string); i++)
        if (string.len >= sizeof mark - 1 && !memcmp(string.data, mark, sizeof mark - 1))
            take(s, &string);
}

static int by_time_held(const void *a, const void *b)
{
    const struct lock_stat *x = a, *y = b;
    if (x->held != y->held)
        return x->held < y->held ? 1 : -1;
    if (x->taken != y->taken)
        return x->taken < y->taken ? 1 : -1;
    return strcmp(x->object, y->object);
}

void lock_stats_sort(struct lock_stats *s)
{
    if (s->list.n)
        qsort(s->list.v, s->list.n, sizeof *s->list.v, by_time_held);
}

void lock_stats_free(struct lock_stats *s)
{
    for (size_t i = 0; i < s->list.n; i++)
        free(s->list.v[i].object);
    VEC_FREE(&s->list);
}
