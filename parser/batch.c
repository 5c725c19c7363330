#include "parser/batch.h"

#include <errno.h>
#include <string.h>

#include "lib/wire/events.h"
#include "lib/wire/varint.h"
#include "parser/utf8.h"

enum { BATCH_HEADER_MAX = 2 + 4 * VARINT_MAX };

_Static_assert(BATCH_HEADER_MAX + BATCH_MAX_SIZE <= SOURCE_MAX, "a batch is contiguous");

const char *event_name(unsigned id)
{
    return id < 256 && event_table[id].name ? event_table[id].name : "invalid event";
}

static void fail_short(const struct source *s, struct failure *f, struct place at, const char *what)
{
    if (s->error)
        fail(f, s->error == ENOMEM ? GOTRACE_ENOMEM : GOTRACE_EREAD, at, "cannot read: %s", strerror(s->error));
    else
        fail(f, GOTRACE_EBROKEN, at, "the trace is cut off: %s", what);
}

/* What Go's scanner takes for a space; a newline is none here. */
static bool blank(uint32_t rune)
{
    switch (rune) {
    case '\t':
    case '\v':
    case '\f':
    case '\r':
    case ' ':
    case 0x85:
    case 0xa0:
    case 0x1680:
    case 0x2028:
    case 0x2029:
    case 0x202f:
    case 0x205f:
    case 0x3000:
        return true;
    default:
        return rune >= 0x2000 && rune <= 0x200a;
    }
}

/* Steps over blanks from *at; false: there is none. */
static bool skip_blanks(struct source *s, size_t *at)
{
    size_t begin = *at, n;
    uint32_t rune;
    while (*at < SOURCE_MAX - UTF8_MAX && source_need(s, *at + 1) > *at) {
        if (s->p[*at] >= 0x80)
            source_need(s, *at + UTF8_MAX);
        if (!(n = utf8_get(s->p + *at, s->end, &rune)) || !blank(rune))
            break;
        *at += n;
    }
    return *at > begin;
}

static bool skip_text(struct source *s, size_t *at, const char *text, size_t size)
{
    if (*at >= SOURCE_MAX - size || source_need(s, *at + size) < *at + size || memcmp(s->p + *at, text, size))
        return false;
    *at += size;
    return true;
}

static bool get_number(struct source *s, size_t *at, uint32_t *number)
{
    size_t begin = *at;
    uint64_t n = 0;
    for (; *at < SOURCE_MAX && source_need(s, *at + 1) > *at && s->p[*at] >= '0' && s->p[*at] <= '9'; ++*at)
        if ((n = 10 * n + s->p[*at] - '0') > UINT32_MAX)
            return false;
    *number = (uint32_t)n;
    return *at > begin;
}

/*
 * "go 1.NN trace" and three NUL bytes, with as many blanks for each and as many zeros before the number as Go's reader
 * lets pass. It asks for no byte that does not belong to the header, because a pipe may not have it yet.
 */
static bool take_header(struct source *s, uint32_t *version)
{
    static const char go[] = "go", major[] = "1.", trace[] = "trace\0\0";
    size_t at = 0;
    if (!skip_text(s, &at, go, sizeof go - 1) || !skip_blanks(s, &at) || !skip_text(s, &at, major, sizeof major - 1))
        return false;
    skip_blanks(s, &at);
    if (!get_number(s, &at, version) || !skip_blanks(s, &at) || !skip_text(s, &at, trace, sizeof trace))
        return false;
    s->p += at;
    return true;
}

int read_header(struct source *s, struct failure *f)
{
    struct place at = {.thread = GOTRACE_NONE};
    uint32_t version;
    bool taken = take_header(s, &version);
    if (s->error) {
        fail_short(s, f, at, "");
        return 0;
    }
    if (!taken) {
        fail(f, GOTRACE_EFORMAT, at, "not a Go execution trace: it does not begin with \"go 1.NN trace\"");
        return 0;
    }
    switch (version) {
    case 22:
    case 23:
    case 25:
    case 26:
        return (int)version;
    case 5:
    case 7:
    case 8:
    case 9:
    case 10:
    case 11:
    case 19:
    case 21:
        fail(f, GOTRACE_EVERSION, at, "a trace of the old format (go 1.%u), which this reader does not read", version);
        break;
    default:
        fail(f, GOTRACE_EVERSION, at, "unknown trace version go 1.%u", version);
    }
    return 0;
}

static bool take_data(struct source *s, struct batch *b)
{
    if (s->is_file && b->size && !b->experiment) {
        if (!source_need(s, 1))
            return false;
        if (event_table[*s->p].cls == EVENT_TIMED)
            return source_skip(s, b->size);
    }
    if (source_need(s, b->size) < b->size)
        return false;
    b->data = s->p;
    s->p += b->size;
    return true;
}

enum batch_result read_batch(struct source *s, uint64_t generation, struct batch *b, struct failure *f)
{
    static const char *const fields[] = {"generation", "thread", "timestamp", "size"};
    struct place at = {.generation = generation, .thread = GOTRACE_NONE, .offset = source_offset(s)};
    size_t have = source_need(s, BATCH_HEADER_MAX);
    *b = (struct batch){.thread = GOTRACE_NONE, .offset = at.offset};
    if (!have) {
        if (!s->error)
            return BATCH_NONE;
        fail_short(s, f, at, "");
        return BATCH_BROKEN;
    }
    const uint8_t *p = s->p, *end = p + (have < BATCH_HEADER_MAX ? have : BATCH_HEADER_MAX);
    uint8_t id = *p++;
    at.event = event_name(id);
    if (id == EV_EndOfGeneration) {
        s->p = p;
        b->end_of_generation = true;
        return BATCH_OK;
    }
    if (id != EV_EventBatch && id != EV_ExperimentalBatch) {
        fail(f, GOTRACE_EBROKEN, at, "expected a batch, got event %u", id);
        return BATCH_BROKEN;
    }
    if (id == EV_ExperimentalBatch) {
        if (p == end) {
            fail_short(s, f, at, "in the experiment of a batch's header");
            return BATCH_BROKEN;
        }
        b->experiment = *p++;
    }
    uint64_t size = 0, *const values[] = {&b->generation, &b->thread, &b->time, &size};
    for (int i = 0; i < 4; i++) {
        const uint8_t *next = varint_get(p, end, values[i]);
        if (!next) {
            if (end - p >= VARINT_MAX)
                fail(f, GOTRACE_EBROKEN, at, "the %s in a batch's header does not fit 64 bits", fields[i]);
            else
                fail_short(s, f, at, "in a batch's header");
            return BATCH_BROKEN;
        }
        p = next;
    }
    at.thread = b->thread;
    if (size > BATCH_MAX_SIZE) {
        fail(f, GOTRACE_EBROKEN, at, "invalid batch size %llu, the maximum is %d", (unsigned long long)size,
             BATCH_MAX_SIZE);
        return BATCH_BROKEN;
    }
    b->size = (uint32_t)size;
    s->p = p;
    if (!take_data(s, b)) {
        fail_short(s, f, at, "in the middle of a batch");
        return BATCH_BROKEN;
    }
    b->end_of_generation = size && !b->experiment && b->data && *b->data == EV_EndOfGeneration;
    return BATCH_OK;
}
