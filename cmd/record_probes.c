#include "config.h"

#include "cmd/record_probes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/complain.h"
#include "lib/options/probes.h"

enum { PROBES_MAX = 64 << 10 }; /* bytes: they travel in the environment */

/* Whole. False: that is said. */
static bool read_file(const char *path, char text[PROBES_MAX])
{
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(text, 1, PROBES_MAX - 1, f) : 0;
    bool failed = !f || ferror(f), whole = !failed && getc(f) == EOF;
    text[n] = 0;
    if (failed)
        complain("record", "--probe @%s: %s", path, strerror(errno));
    else if (!whole || strlen(text) != n)
        complain("record", "--probe @%s: it is too long, or no text", path);
    if (f)
        fclose(f);
    return whole && strlen(text) == n;
}

static bool check(const struct option_kind *kind, const char *path, const char *text)
{
    struct piece bad;
    unsigned line = 1;
    if (probe_mappings_ok(piece_of(text), &bad))
        return true;
    for (const char *p = text; p < bad.text; p++)
        line += *p == '\n';
    if (!bad.len)
        complain("record", "--probe %s%s: there is no mapping in it; it takes %s", path ? "@" : "", path ? path : text,
                 kind->takes);
    else if (path)
        complain("record", "%s:%u: %.*s makes no sense; --probe takes %s", path, line, (int)bad.len, bad.text,
                 kind->takes);
    else
        complain("record", "--probe %.*s makes no sense; it takes %s", (int)bad.len, bad.text, kind->takes);
    return false;
}

static bool set(const struct option_kind *kind, const char *text, bool add)
{
    static char all[PROBES_MAX];
    const char *before = add ? getenv(kind->variable) : NULL;
    int n = snprintf(all, sizeof all, "%s%s%s", before ? before : "", before ? "\n" : "", text);
    struct piece bad;
    if (n < 0 || (size_t)n >= sizeof all || !probe_mappings_ok(piece_of(all), &bad)) {
        complain("record", "--probe: there are too many");
        return false;
    }
    return !setenv(kind->variable, all, 1);
}

bool record_probes_give(const struct option_kind *kind, const char *value, bool add)
{
    static char text[PROBES_MAX];
    const char *path = *value == '@' ? value + 1 : NULL;
    if (path && !read_file(path, text))
        return false;
    return check(kind, path, path ? text : value) && set(kind, path ? text : value, add);
}
