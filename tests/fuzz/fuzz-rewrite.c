/*
 * Any bytes as a trace: without its names it is as readable and as valid as before, and parts of a valid one are valid.
 */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gotrace/gotrace.h"
#include "parser/batch.h"
#include "parser/rewrite/anonymise.h"
#include "parser/rewrite/trim.h"
#include "tests/fuzz/fuzz.h"

const char *const fuzz_corpora[] = {"binary", NULL};

struct bytes {
    char *at;
    size_t size, next;
    bool refused; /* none were made, for a reason that is no fault */
};

/* ---- judgement -------------------------------------------------------------------------------------------------- */

struct verdict {
    bool readable, valid; /* to its end, and all that is there */
    uint64_t events, length;
    char message[200];
};

static void note(void *arg, const struct gotrace_error *e)
{
    struct verdict *v = arg;
    v->valid = false;
    snprintf(v->message, sizeof v->message, "byte %llu: %s: %s", (unsigned long long)e->offset,
             e->event ? e->event : "", e->message);
}

static struct verdict judge(const void *data, size_t size)
{
    struct verdict v = {.valid = true};
    struct gotrace_summary sum;
    struct gotrace_reader *r = gotrace_reader_open_memory(data, size);
    const struct gotrace_event *ev;
    int64_t first = 0, last = 0;
    for (bool any = false; (ev = gotrace_reader_next(r)); any = true) {
        last = gotrace_event_time(ev);
        first = any ? first : last;
        v.events++;
    }
    v.readable = !gotrace_reader_error(r) && gotrace_reader_version(r) >= 22;
    v.length = (uint64_t)last - (uint64_t)first;
    gotrace_reader_free(r);
    r = gotrace_reader_open_memory(data, size);
    if (!gotrace_reader_validate(r, note, &v, &sum))
        v.valid = false;
    gotrace_reader_free(r);
    return v;
}

static bool is_good(const struct verdict *v) { return v->readable && v->valid; }

static struct verdict expect_good(const char *what, const struct verdict *of, const struct bytes *made)
{
    struct verdict v = judge(made->at, made->size);
    if (is_good(of) && !is_good(&v))
        fuzz_fail("%s: not %s: %s", what, v.readable ? "valid" : "readable", v.message);
    return v;
}

/* ---- without names ---------------------------------------------------------------------------------------------- */

static ssize_t give(void *arg, void *buf, size_t size)
{
    struct bytes *b = arg;
    size_t n = b->size - b->next < size ? b->size - b->next : size;
    memcpy(buf, b->at + b->next, n);
    b->next += n;
    return (ssize_t)n;
}

/* False: it is no trace of v2, or broken. */
static bool anonymise(const void *data, size_t size, struct bytes *made)
{
    struct bytes in = {.at = (char *)data, .size = size}; /* which is only read */
    struct source s = {.read = give, .arg = &in};
    struct failure f = {0};
    struct anonymised done;
    FILE *to = open_memstream(&made->at, &made->size);
    const struct wire_version *version = read_any_header(&s, &f);
    bool ok = version && !version->old && anonymise_trace(&s, version, to, &done, &f);
    if (!ok && !f.error.status && !(version && version->old))
        fuzz_fail("anonymise: an error without a reason");
    source_free(&s);
    fclose(to);
    return ok;
}

static void check_anonymous(const void *data, size_t size, const struct verdict *of)
{
    struct bytes made = {.at = NULL}, again = {.at = NULL};
    bool ok = anonymise(data, size, &made);
    if (of->readable && !ok)
        fuzz_fail("anonymise: a trace that can be read is refused");
    if (of->readable) {
        struct verdict v = expect_good("anonymise", of, &made);
        if (!v.readable)
            fuzz_fail("anonymise: not readable: %s", v.message);
        if (is_good(of) && v.length != of->length && v.events == of->events)
            fuzz_fail("anonymise: times have changed");
        if (!anonymise(made.at, made.size, &again))
            fuzz_fail("anonymise: not a second time");
        expect_good("anonymise again", &v, &again);
    }
    free(made.at);
    free(again.at);
}

/* ---- parts ------------------------------------------------------------------------------------------------------ */

static bool keeps_some(void *arg, uint64_t nth) { return *(const uint8_t *)arg >> nth % 8 & 1; }

/* What Go's reader takes and no part can say. */
static bool may_refuse(const struct failure *f)
{
    return f->error.message &&
           (strstr(f->error.message, "on two threads") || strstr(f->error.message, "trace has no experiments"));
}

static bool trim(const void *data, size_t size, struct trim t, struct bytes *made)
{
    struct failure f = {0};
    struct gotrace_reader *r = gotrace_reader_open_memory(data, size);
    FILE *to = open_memstream(&made->at, &made->size);
    bool ok = gotrace_reader_version(r) >= 22 && trim_trace(r, &t, to, &f);
    /* Of some threads there may be nothing in that time. */
    made->refused = ok ? t.empty && t.keeps : may_refuse(&f);
    gotrace_reader_free(r);
    fclose(to);
    return ok && !t.empty;
}

static void check_part(const void *data, size_t size, const struct verdict *of, struct trim t)
{
    struct bytes made = {.at = NULL}, again = {.at = NULL};
    bool ok = trim(data, size, t, &made);
    if (is_good(of) && !ok && !made.refused && t.from <= of->length)
        fuzz_fail("trim: a valid trace is refused");
    if (ok) {
        struct verdict v = expect_good("trim", of, &made);
        struct trim half = {.from = v.length / 4, .to = v.length / 4 * 3 + 1};
        /* Of a trace that breaks rules, a part may keep them by what it leaves out, but not a part of that. */
        if (is_good(of) && trim(made.at, made.size, half, &again))
            expect_good("trim again", &v, &again);
    }
    free(made.at);
    free(again.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct verdict v = judge(data, size);
    uint8_t threads = size ? data[size / 2] : 0;
    uint64_t third = v.length / 3, from = v.length ? size * UINT64_C(2654435761) % v.length : 0;
    check_anonymous(data, size, &v);
    check_part(data, size, &v, (struct trim){.to = UINT64_MAX, .whole = true});
    check_part(data, size, &v, (struct trim){.from = third, .to = third * 2 + 1});
    check_part(data, size, &v, (struct trim){.from = from, .to = UINT64_MAX, .keeps = keeps_some, .arg = &threads});
    check_part(data, size, &v, (struct trim){.to = from + 1, .keeps = keeps_some, .arg = &threads});
    return 0;
}
