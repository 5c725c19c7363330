/* What the weak references of thrace/annotate.h lead to in a program that did not have us from its beginning. */
#include <string.h>

#include "preload/annotate/annotate.h"
#include "preload/symbols.h"

extern const uint32_t *thrace_annotate_heard;

const void *annotate_entry(const char *name)
{
    static const char prefix[] = "thrace_annotate_";
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return NULL;
    /* The only one that is no function. */
    return strcmp(name, "thrace_annotate_heard") ? symbol_ours(name, NULL).address : &thrace_annotate_heard;
}
