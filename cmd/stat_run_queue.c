#include "cmd/stat_run_queue.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { BAR = 40, LABEL = 8, TIME_SIZE = 32 };

/* "300 µs", which are a digit and zeros; the columns that it takes. */
static int time_text(char text[TIME_SIZE], uint64_t ns)
{
    static const char *const units[] = {"ns", "µs", "ms", "s"};
    unsigned unit = 0;
    if (ns == UINT64_MAX)
        return snprintf(text, TIME_SIZE, "more");
    for (; ns >= 1000 && unit < 3; unit++)
        ns /= 1000;
    return snprintf(text, TIME_SIZE, "%" PRIu64 " %s", ns, units[unit]) - (unit == 1);
}

/* The most stand for all of the bar, and who was there at all has some. */
static void put_length(struct table *t, uint64_t at_most, uint64_t count, uint64_t most)
{
    static const char bar[BAR + 1] = "########################################";
    char text[TIME_SIZE];
    int n = (int)((double)BAR * (double)count / (double)most), used = time_text(text, at_most);
    if (count)
        table_cell(t, "%s%*s%.*s", text, LABEL - used, "", n ? n : 1, bar);
    else
        table_text(t, text);
}

static bool lengths(const struct stat *s, const char *title, struct report *r)
{
    static const struct table_column columns[] = {
        {"count", "times"}, {"share", "share"}, {"total_ns", "total"}, {"at_most_ns", NULL}, {NULL, "<up to"},
        {NULL, NULL}};
    const struct run_queue *q = &s->run_queue;
    unsigned first = 0, last = RUN_QUEUE_LENGTHS;
    uint64_t most = 1;
    struct table t;
    for (unsigned i = 0; i < RUN_QUEUE_LENGTHS; i++)
        most = q->lengths[i].count > most ? q->lengths[i].count : most;
    while (first < last && !q->lengths[first].count)
        first++;
    while (first < last && !q->lengths[last - 1].count)
        last--;
    table_init(&t, "run_queue", columns);
    for (unsigned i = first; i < last; i++) {
        uint64_t at_most = run_queue_at_most(i);
        table_count(&t, q->lengths[i].count);
        table_share(&t, q->lengths[i].count, q->all.count);
        table_time(&t, q->lengths[i].total);
        if (at_most == UINT64_MAX)
            table_none(&t, "");
        else
            table_time(&t, at_most);
        put_length(&t, at_most, q->lengths[i].count, most);
    }
    bool sorted = r->sorted;
    const char *sort = r->sort;
    r->sort = NULL; /* lengths have an order */
    bool ok = report_table(r, &t, title);
    r->sort = sort;
    r->sorted = sorted;
    return ok;
}

static bool reasons(const struct stat *s, struct report *r)
{
    static const struct table_column columns[] = {
        {"count", "times"}, {"total_ns", "total"}, {"p50_ns", "p50"}, {"p99_ns", "p99"}, {"max_ns", "max"},
        {"reason", "<why"}, {NULL, NULL}};
    struct table t;
    struct ranking ranking;
    if (!stat_rank(&ranking, &s->run_queue.reasons, 0, 0, report_rows(r, RUN_QUEUE_LENGTHS)))
        return false;
    table_init(&t, "run_queue_reasons", columns);
    for (size_t i = 0; i < ranking.shown; i++) {
        const struct stat_group *g = &ranking.groups[i];
        table_count(&t, g->count);
        table_time(&t, g->total);
        table_time(&t, stat_group_percentile(g, 50));
        table_time(&t, stat_group_percentile(g, 99));
        table_time(&t, g->max);
        table_text(&t, stat_text_of(&s->spans.texts, (uint32_t)g->key));
    }
    free(ranking.groups);
    return report_table(r, &t, "Why they could run");
}

bool stat_run_queue(const struct stat *s, struct report *r)
{
    const struct run_queue *q = &s->run_queue;
    bool known = s->migrations.by_kernel || s->is_gos, first = r->brief && !report_is_data(r);
    uint64_t ran = stat_threads_time(&s->threads, GOTRACE_STATE_RUNNING);
    if (first && (!known || q->all.total <= (q->all.total + ran) / STAT_NOTEWORTHY))
        return true;
    return lengths(s, known ? "Runnable and not running: without a processor" : "Runnable and not running", r) &&
           (first || reasons(s, r));
}

bool stat_run_queue_only(const struct stat *s, struct report *r)
{
    if (!s->migrations.by_kernel && !s->is_gos)
        report_note(r, "\nThe recording does not say when threads had no processor (thrace record --switches)\n");
    return stat_run_queue(s, r);
}
