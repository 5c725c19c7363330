#include "preload/switches/schedstat.h"

#include <string.h>

#include "lib/meta.h"
#include "preload/recorder.h"
#include "preload/service.h"
#include "preload/tasks.h"

enum {
    BATCH = 64,
    RECORD_MAX = 1 + (3 + 2 * BATCH) * VARINT_MAX,
    SLOTS = 4096, /* a power of two */
    MOST = SLOTS / 2,
};

static struct {
    uint32_t ran[SLOTS]; /* threads, each in the first free place from its own on */
    uint32_t n;
    bool all; /* as if all had run */
} schedstat;

struct batch {
    bool begins;
    size_t n;
    uint64_t numbers[2 * BATCH];
};

static void write_batch(struct batch *b)
{
    uint8_t record[RECORD_MAX];
    struct meta_record r;
    meta_begin(&r, record, sizeof record, META_DELAYS);
    meta_int(&r, now());
    meta_int(&r, b->begins);
    meta_int(&r, b->n);
    for (size_t i = 0; i < b->n; i++)
        meta_int(&r, b->numbers[i]);
    if (b->n && !r.overflow)
        service_record(record, (size_t)(r.p - record));
    b->n = 0;
}

static const char *number(const char *p, uint64_t *n)
{
    while (*p == ' ')
        p++;
    for (*n = 0; *p >= '0' && *p <= '9'; p++)
        *n = *n * 10 + (uint64_t)(*p - '0');
    return p;
}

/* "RAN DELAYED TIMES", in ns: a kernel that does not count says three zeros. Nothing is said of who has ended. */
static bool look(void *arg, uint32_t tid)
{
    struct batch *b = arg;
    char text[64];
    uint64_t ran, delayed, times;
    if (!task_file(tid, "schedstat", text, sizeof text))
        return true;
    number(number(number(text, &ran), &delayed), &times);
    if (!times)
        return true;
    b->numbers[b->n++] = tid;
    b->numbers[b->n++] = delayed;
    if (b->n == 2 * BATCH)
        write_batch(b);
    return true;
}

static void clear(void)
{
    memset(schedstat.ran, 0, sizeof schedstat.ran);
    schedstat.n = 0;
    schedstat.all = false;
}

void schedstat_forget(void) { clear(); }

void schedstat_begin(void)
{
    struct batch b = {.begins = true};
    clear();
    tasks_each(look, &b);
    write_batch(&b);
}

void schedstat_ran(uint32_t tid)
{
    uint32_t at = tid * UINT32_C(2654435761) % SLOTS;
    schedstat.all |= !tid || schedstat.n >= MOST;
    if (schedstat.all)
        return;
    while (schedstat.ran[at] && schedstat.ran[at] != tid)
        at = (at + 1) % SLOTS;
    schedstat.n += !schedstat.ran[at];
    schedstat.ran[at] = tid;
}

void schedstat_write(void)
{
    struct batch b = {0};
    if (schedstat.all)
        tasks_each(look, &b);
    for (uint32_t i = 0; i < SLOTS && schedstat.n && !schedstat.all; i++)
        if (schedstat.ran[i])
            look(&b, schedstat.ran[i]);
    write_batch(&b);
    clear();
}

void schedstat_write_own(void)
{
    struct batch b = {0};
    look(&b, (uint32_t)sys_gettid());
    write_batch(&b);
}
