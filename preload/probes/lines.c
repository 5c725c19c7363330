#include "preload/probes/lines.h"

#include <string.h>

#include "preload/say.h"

enum { LINES_MAX = 8 };

struct line {
    char text[1024];
    size_t n;
};

/* What a file says may be long, or no text. */
static void put(struct line *l, const char *s, size_t max)
{
    size_t n = strnlen(s, max);
    for (size_t i = 0; i < n && l->n + 1 < sizeof l->text; i++)
        l->text[l->n++] = (unsigned char)s[i] < ' ' || s[i] == 0x7f ? '?' : s[i];
    l->text[l->n] = 0;
}

static void put_number(struct line *l, uint64_t v, unsigned base)
{
    char digits[24], *p = digits + sizeof digits - 1;
    *p = 0;
    do
        *--p = "0123456789abcdef"[v % base];
    while (v /= base);
    put(l, p, sizeof digits);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void line_refused(struct lines *lines, const struct probe_note *note, const char *path,
                  const struct dl_phdr_info *info, const char *why)
{
    struct line l = {.n = 0};
    if (lines->refused++ >= LINES_MAX && !lines->verbose)
        return;
    put(&l, note->provider, 128);
    put(&l, ":", 1);
    put(&l, note->name, 128);
    put(&l, " at ", 4);
    put(&l, base_name(path), 128);
    put(&l, "+0x", 3);
    put_number(&l, note->pc - info->dlpi_addr, 16);
    put(&l, " is not recorded, because ", 64);
    put(&l, why, 256);
    put(&l, "; perf and bpftrace can", 64);
    say("probe ", l.text);
}

void line_arguments(struct lines *lines, const struct probe_note *note)
{
    struct line l = {.n = 0};
    if (lines->arguments++ >= LINES_MAX && !lines->verbose)
        return;
    put(&l, note->provider, 128);
    put(&l, ":", 1);
    put(&l, note->name, 128);
    put(&l, " has arguments of a kind that is not read, and shown as ?: ", 64);
    put(&l, note->arguments, 256);
    say("probe ", l.text);
}

void line_failed(struct lines *lines, const char *path, const char *why)
{
    struct line l = {.n = 0};
    put(&l, base_name(path), 128);
    put(&l, " are not recorded, because ", 64);
    put(&l, why, 256);
    say("probes of ", l.text);
}

void line_unused(const struct probe_mapping *m)
{
    struct line l = {.n = 0};
    put(&l, m->provider.text, m->provider.len < 128 ? m->provider.len : 128);
    put(&l, ":", 1);
    put(&l, m->name.text, m->name.len < 128 ? m->name.len : 128);
    put(&l, " is in none of the modules that the program begins with; readelf -n FILE lists probes", 128);
    say("probe ", l.text);
}

void lines_end(const struct lines *lines)
{
    struct line l = {.n = 0};
    if (lines->refused <= LINES_MAX || lines->verbose)
        return;
    put_number(&l, lines->refused - LINES_MAX, 10);
    put(&l, " more probes are not recorded; THRACE_VERBOSE=1 names them", 128);
    say("", l.text);
}
