#include "preload/switches/asleep.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/meta.h"
#include "preload/recorder.h"
#include "preload/service.h"
#include "preload/tasks.h"

enum { BATCH = 128, RECORD_MAX = 1 + (2 + BATCH) * VARINT_MAX };

struct batch {
    size_t n;
    uint64_t threads[BATCH];
};

/* One without threads says when it was looked, too. */
static void write_batch(struct batch *b)
{
    uint8_t record[RECORD_MAX];
    struct meta_record r;
    meta_begin(&r, record, sizeof record, META_ASLEEP);
    meta_int(&r, now());
    meta_ints(&r, b->threads, b->n);
    if (!r.overflow)
        service_record(record, (size_t)(r.p - record));
    b->n = 0;
}

/* "TID (NAME) STATE …", where the name may be anything. */
static bool look(void *arg, uint32_t tid)
{
    struct batch *b = arg;
    char text[64];
    const char *end = task_file(tid, "stat", text, sizeof text) ? strrchr(text, ')') : NULL;
    if (!end || end[1] != ' ' || (end[2] != 'S' && end[2] != 'D'))
        return true;
    b->threads[b->n++] = tid;
    if (b->n == BATCH)
        write_batch(b);
    return true;
}

void asleep_write(void)
{
    struct batch b = {0};
    tasks_each(look, &b);
    write_batch(&b);
}
