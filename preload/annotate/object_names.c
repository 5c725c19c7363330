/* thrace_object_name: what the program calls the locks that its threads wait for. */
#include <stddef.h>

#include "preload/attributes.h"
#include "preload/object_origins.h"
#include "preload/recorder.h"

EXPORT void thrace_annotate_object(const void *object, const char *name);

/* Kept while nothing is recorded, too: locks are named when they are made, and a recording may begin later. */
void thrace_annotate_object(const void *object, const char *name)
{
    if (hooked() && object)
        object_named(object, name ? name : "");
}
