#include "cmd/export/formats.h"

#include <string.h>

static const struct export_format formats[] = {
#define THRACE_EXPORT(name, suffix, kind, summary) {#name, suffix, EXPORT_##kind, export_##name},
#include "cmd/export/formats.def"
#undef THRACE_EXPORT
};

enum { NFORMATS = sizeof formats / sizeof formats[0] };

const struct export_format *export_format_named(const char *name)
{
    for (int i = 0; i < NFORMATS; i++)
        if (!strcmp(name, formats[i].name))
            return &formats[i];
    return NULL;
}

/* One of several. */
static bool has_suffix(const char *path, const char *suffixes)
{
    size_t len = strlen(path);
    for (size_t n; *suffixes; suffixes += n + strspn(suffixes + n, ", ")) {
        n = strcspn(suffixes, ",");
        if (len >= n && !memcmp(path + len - n, suffixes, n))
            return true;
    }
    return false;
}

const struct export_format *export_format_for(const char *path)
{
    for (int i = 0; i < NFORMATS; i++)
        if (has_suffix(path, formats[i].suffix))
            return &formats[i];
    return NULL;
}
