/*
 * Each golden test once more, with events that change nothing. The traces are so short that without some of them behind
 * each batch of a thread, no event is far enough from the end of its batch for the short way (reader_next.c, follow in
 * validate.c), which has to come to the same result. Others come where a batch says that a goroutine runs on a proc:
 * for the short way it is not enough that the thread has both, it must also have been looked up what they are.
 */
#include "config.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gotrace/gotrace.h"
#include "lib/wire/batch_header.h"
#include "lib/wire/cursor.h"
#include "parser/batch.h"
#include "parser/golden.h"

enum { PADDING = 16 }; /* events of 5 bytes: more than the longest event has */

static void die(const char *what, const char *why)
{
    fprintf(stderr, "test-golden-padded: %s: %s\n", what, why);
    exit(99);
}

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

/* False: a batch is none, or one does not end with an event. */
static bool pad(const struct raw_buffer *trace, struct raw_buffer *padded)
{
    struct source s = {.p = trace->at, .end = trace->at + trace->size, .offset = trace->size};
    struct failure f = {0};
    struct batch b;
    enum batch_result result;
    if (!read_header(&s, &f))
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

/* The first violation, but for those of the padding, which is of 1.23. */
static void keep_first(void *arg, const struct gotrace_error *violation)
{
    char **message = arg;
    if (!*message && !strstr(violation->message, "the event is of go 1.23"))
        *message = strdup(violation->message);
}

static char *judge(const struct raw_buffer *trace)
{
    struct gotrace_reader *r = gotrace_reader_open_memory(trace->at, trace->size);
    struct gotrace_summary sum;
    char *message = NULL;
    if (!r || !gotrace_validate(r, keep_first, &message, &sum))
        die("validate", "out of memory");
    const struct gotrace_error *e = gotrace_reader_error(r);
    if (e) {
        free(message);
        message = strdup(e->message);
    }
    gotrace_reader_free(r);
    return message;
}

static void read_file(const char *path, struct raw_buffer *content)
{
    FILE *file = fopen(path, "r");
    if (!file)
        die(path, "cannot open");
    for (size_t n = 1; n; content->size += n) {
        uint8_t *room = raw_buffer_reserve(content, 4096);
        n = room ? fread(room, 1, 4096, file) : 0;
    }
    fclose(file);
}

/* 1: as expected, 0: not, -1: cannot be padded. */
static int run(const char *path, struct golden *g)
{
    struct raw_buffer content = {0}, padded = {0};
    int result = -1;
    read_file(path, &content);
    if (!golden_parse(g, content.at, content.size))
        die(path, g->error);
    if (pad(&g->bytes, &padded)) {
        char *message = judge(&padded);
        result = golden_check(g, message);
        free(message);
    }
    raw_buffer_free(&content);
    raw_buffer_free(&padded);
    return result;
}

int main(void)
{
    const char *top = getenv("top_srcdir");
    char folder[4096], path[4400];
    struct dirent **entries;
    int tests = 0, unpadded = 0;
    snprintf(folder, sizeof folder, "%s/tests/golden", top ? top : ".");
    int n = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name, *end = strrchr(name, '.');
        if (name[0] == 'v' && end && !strcmp(end, ".test")) {
            struct golden g;
            snprintf(path, sizeof path, "%s/%s", folder, name);
            int result = run(path, &g);
            unpadded += result < 0;
            if (result >= 0)
                printf("%sok %d - %s, padded\n", result ? "" : "not ", ++tests, name);
            if (!result)
                printf("# %s\n", g.error);
            golden_free(&g);
        }
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    /* Those whose very structure is broken. */
    printf("%sok %d - most golden tests can be padded: all but %d\n", tests > 10 * unpadded ? "" : "not ", tests + 1,
           unpadded);
    printf("1..%d\n", tests + 1);
    return 0;
}
