#include "config.h"

#include "cmd/finish/lock_stats_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/finish/recording_frames.h"
#include "lib/symbolize/symbolize.h"

/* Readers take strings of up to 1 KiB: the parts of one are cut to so many bytes. */
enum { TEXT_MAX = 1024, NUMBERS_MAX = 230, OBJECT_MAX = 330, FUNCTION_MAX = 220, PLACE_MAX = 150, THREAD_MAX = 64 };
#define CUT "…" /* of a stack whose outer frames have no room */
_Static_assert(NUMBERS_MAX + OBJECT_MAX + FUNCTION_MAX + PLACE_MAX + THREAD_MAX + 4 + 1 + sizeof CUT < TEXT_MAX,
               "all of it but the stack fits");

/* How many bytes of the text, at most max, end with a character. */
static size_t whole_characters(const char *s, size_t max)
{
    size_t len = strlen(s);
    if (len > max)
        for (len = max; len && ((unsigned char)s[len] & 0xc0) == 0x80;)
            len--;
    return len;
}

/* Leaves nothing in the text that separates it from others. */
static void put_text(char *text, size_t *n, const char *s, size_t max)
{
    size_t len = whole_characters(s, max);
    text[(*n)++] = '\t';
    for (size_t i = 0; i < len; i++)
        text[(*n)++] = (unsigned char)s[i] < ' ' ? '?' : s[i];
}

/* Of a damaged spool it may be any number. */
static uint64_t ns(const struct recording *r, uint64_t counts)
{
    double ns = (double)counts * r->locks.ns;
    return ns < 1e18 ? (uint64_t)ns : 0;
}

static const char *name_of_file(const struct symbolize_frame *at)
{
    const char *slash = strrchr(at->file, '/');
    return slash && slash[1] ? slash + 1 : at->file;
}

static void put_place(const struct recording *r, const struct rec_lock *l, char *text, size_t *n)
{
    struct symbolize_frame at;
    char place[PLACE_MAX] = "";
    bool has_line, known = recording_program_frame(r, l->where, l->nwhere, false, &at, &has_line);
    if (known && has_line)
        snprintf(place, sizeof place, "%s:%" PRIu32, name_of_file(&at), at.line);
    put_text(text, n, known ? at.function : "", FUNCTION_MAX);
    put_text(text, n, place, PLACE_MAX);
}

struct stack_text {
    char *text;
    size_t n;
};

/* False: there is no room for more. */
static bool put_frame(void *arg, const struct symbolize_frame *at, bool has_line)
{
    struct stack_text *s = arg;
    char frame[FUNCTION_MAX + PLACE_MAX + 8], line[16] = "";
    if (has_line)
        snprintf(line, sizeof line, ":%" PRIu32, at->line);
    const char *file = name_of_file(at);
    int len = snprintf(frame, sizeof frame, "%.*s (%.*s%s)", (int)whole_characters(at->function, FUNCTION_MAX),
                       at->function, (int)whole_characters(file, PLACE_MAX - 16), file, line);
    if (s->n + 1 + (size_t)len + sizeof CUT > TEXT_MAX) {
        put_text(s->text, &s->n, CUT, sizeof CUT);
        return false;
    }
    put_text(s->text, &s->n, frame, sizeof frame);
    return true;
}

static void put_thread(const struct recording *r, const struct rec_lock *l, char *text, size_t *n)
{
    struct symbolize_frame start;
    const char *given = l->nwhere ? recording_thread_start(r, l->longest_g, &start) : "";
    put_text(text, n, given ? given : start.function, THREAD_MAX);
}

/* The number makes strings that would be the same two. */
static int write_lock(const struct recording *r, struct gotrace_builder *b, size_t number)
{
    const struct rec_lock *l = &r->locks.v[number];
    char text[TEXT_MAX];
    char object[OBJECT_MAX + 1];
    snprintf(object, sizeof object, "%s%s", r->objects.names[l->object].function, l->read ? " (read)" : "");
    size_t n = (size_t)snprintf(text, sizeof text,
                                "thrace lock %zu taken %" PRIu64 " contended %" PRIu64 " held %" PRIu64 " p50 %" PRIu64
                                " p99 %" PRIu64 " longest %" PRIu64 " by %" PRIu64,
                                number, l->taken, l->contended, ns(r, l->held), ns(r, rec_lock_percentile(l, 50)),
                                ns(r, rec_lock_percentile(l, 99)), ns(r, l->longest), l->longest_g);
    put_text(text, &n, object, OBJECT_MAX);
    put_place(r, l, text, &n);
    put_thread(r, l, text, &n);
    struct stack_text stack = {text, n};
    recording_frames_outwards(r, l->where, l->nwhere, put_frame, &stack);
    n = stack.n;
    return gotrace_builder_string(b, text, n) ? 0 : -1;
}

int lock_stats_write(const struct recording *r, struct gotrace_builder *b)
{
    char text[TEXT_MAX];
    int err = 0;
    if (!r->locks.counted)
        return 0;
    int n = snprintf(text, sizeof text, "thrace locks others %" PRIu64 " missed %" PRIu64, r->locks.others,
                     r->locks.missed);
    if (!gotrace_builder_string(b, text, (size_t)n))
        return -1;
    for (size_t i = 0; i < r->locks.n && !err; i++)
        if (r->locks.v[i].taken)
            err = write_lock(r, b, i);
    return err;
}
