#include "config.h"

#include "tests/parser/padded.h"

#include <stdio.h>

#include "lib/wire/batch_header.h"
#include "lib/wire/cursor.h"
#include "parser/batch.h"

enum { PADDING = 16 }; /* events of 5 bytes: more than the longest event has */

static bool timed(const struct batch *b)
{
    return !b->experiment && b->size && timed_args[b->data[0]] && b->thread != ID_NONE;
}

/* Whether the last event ends where the batch does: else what is put behind would become part of it. */
static bool decodes(const struct batch *b)
{
    struct wire_cursor c = {.p = b->data, .end = b->data + b->size};
    struct wire_event ignored;
    enum wire_result result;
    while ((result = wire_next(&c, &ignored)) == WIRE_EVENT)
        ;
    return result == WIRE_END;
}

/* Where the statuses end that a batch of the first generation begins with: of a proc and a goroutine that run; or 0. */
static size_t statuses(const struct batch *b, uint64_t first_generation)
{
    enum { SIZE = 9 };
    const uint8_t *p = b->data;
    bool both = timed(b) && b->generation == first_generation && b->size >= SIZE && p[0] == EV_ProcStatus &&
                p[3] == PROC_RUNNING && p[4] == EV_GoStatus && p[8] == GO_RUNNING;
    return both ? SIZE : 0;
}

static void put_batch(struct raw_buffer *o, const struct batch *b, uint64_t first_generation)
{
    static const uint8_t span[5] = {EV_Span};
    static const uint8_t lookups[] = {EV_UserRegionEnd, 0, 0, 0, 0, EV_GCSweepBegin, 0, 0, EV_GCSweepEnd, 0, 0, 0};
    uint64_t padding = timed(b) ? PADDING : 0;
    size_t begin = statuses(b, first_generation);
    if (b->end_of_generation && !b->size) {
        raw_buffer_add(o, &(uint8_t){EV_EndOfGeneration}, 1);
        return;
    }
    uint8_t header[BATCH_HEADER_MAX];
    const struct batch_header h = {b->experiment ? EV_ExperimentalBatch : EV_EventBatch, b->experiment, b->generation,
                                   b->thread, b->time, b->size + padding * sizeof span + (begin ? sizeof lookups : 0)};
    raw_buffer_add(o, header, (size_t)(batch_header_put(header, &h) - header));
    raw_buffer_add(o, b->data, begin);
    if (begin)
        raw_buffer_add(o, lookups, sizeof lookups);
    raw_buffer_add(o, b->data + begin, b->size - begin);
    while (padding--)
        raw_buffer_add(o, span, sizeof span);
}

bool pad(const struct raw_buffer *trace, struct raw_buffer *padded)
{
    struct source s = {.p = trace->at, .end = trace->at + trace->size, .offset = trace->size};
    struct failure f = {0};
    struct batch b;
    enum batch_result result;
    if (!read_any_header(&s, &f))
        return false;
    raw_buffer_add(padded, trace->at, TRACE_HEADER_SIZE);
    uint64_t first = 0;
    while ((result = read_batch(&s, 0, &b, &f)) == BATCH_OK) {
        first = first ? first : b.generation;
        if (timed(&b) && !decodes(&b))
            return false;
        put_batch(padded, &b, first);
    }
    return result == BATCH_NONE;
}

bool read_file(const char *path, struct raw_buffer *content)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    for (size_t n = 1; n; content->size += n) {
        uint8_t *room = raw_buffer_reserve(content, 4096);
        n = room ? fread(room, 1, 4096, file) : 0;
    }
    fclose(file);
    return !content->failed;
}
