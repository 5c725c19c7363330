#include "cmd/export/formats.h"

#include <string.h>

static const struct export_format formats[] = {
#define THRACE_EXPORT(name, suffix, summary) {#name, suffix, export_##name},
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

const struct export_format *export_format_for(const char *path)
{
    size_t len = strlen(path);
    for (int i = 0; i < NFORMATS; i++) {
        size_t n = strlen(formats[i].suffix);
        if (len > n && !strcmp(path + len - n, formats[i].suffix))
            return &formats[i];
    }
    return &formats[0];
}
