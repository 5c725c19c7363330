#include "cmd/export/meta.h"

#include <string.h>
#include <time.h>

#include "parser/utf8.h"

enum { LONGEST = 200 };

const char *const export_meta_names[EXPORT_META] = {[EXPORT_HOST] = "host",
                                                    [EXPORT_PROGRAM] = "program",
                                                    [EXPORT_BUILD_ID] = "build_id",
                                                    [EXPORT_START] = "start"};

/* Fit for a line, a table and, in part, for the name of a folder. */
static bool is_plain(const char *value)
{
    const uint8_t *p = (const uint8_t *)value, *end = p + strlen(value);
    uint32_t rune;
    if (p == end || end - p > LONGEST)
        return false;
    for (size_t n; p < end; p += n)
        if (!(n = utf8_get(p, end, &rune)) || rune < 0x20 || (rune >= 0x7f && rune < 0xa0) || (rune & 0xfffe) == 0xfffe)
            return false;
    return true;
}

static bool is_time(const char *value)
{
    struct tm tm = {0};
    const char *end =
        strlen(value) == strlen("2026-01-02T03:04:05Z") ? strptime(value, "%Y-%m-%dT%H:%M:%SZ", &tm) : NULL;
    return end && !*end;
}

const char *export_meta_take(struct export_job *job, const char *argument)
{
    const char *equals = strchr(argument, '=');
    size_t len = equals ? (size_t)(equals - argument) : 0;
    for (int i = 0; i < EXPORT_META; i++) {
        if (strlen(export_meta_names[i]) != len || memcmp(export_meta_names[i], argument, len) != 0)
            continue;
        if (!is_plain(equals + 1))
            return "a value is 1 to 200 bytes of UTF-8 without control characters";
        if (i == EXPORT_START && !is_time(equals + 1))
            return "a start is in UTC, as 2026-01-02T03:04:05Z";
        job->meta[i] = equals + 1;
        return NULL;
    }
    return "it takes host=, program=, build_id= or start=";
}

void export_meta_fill(struct export_meta *m, const struct export_job *job, const struct rows *r)
{
    const char *slash = strrchr(job->in, '/'), *name = slash ? slash + 1 : job->in;
    struct tm tm;
    time_t second = r->clock.sec;
    m->trace[stack_text_clean((struct gotrace_str){name, strlen(name)}, m->trace)] = 0;
    m->start[0] = 0;
    for (int i = 0; i < EXPORT_META; i++)
        m->values[i] = job->meta[i] ? job->meta[i] : "";
    if (r->has_clock && gmtime_r(&second, &tm) && tm.tm_year >= 70 && tm.tm_year < 8000)
        strftime(m->start, sizeof m->start, "%Y-%m-%dT%H:%M:%SZ", &tm);
    if (!job->meta[EXPORT_START])
        m->values[EXPORT_START] = m->start;
}
