/*
 * Domains and string handles of ITT. Each name has its own of both, so that nothing is looked for. Those that the
 * program's static part made before it had loaded a collector are not among them.
 */
#ifndef THRACE_PRELOAD_ANNOTATE_ITT_OBJECTS_H
#define THRACE_PRELOAD_ANNOTATE_ITT_OBJECTS_H

#include <stdbool.h>

#include "preload/annotate/itt_abi.h"
#include "preload/annotate/names.h"

/* That of the name; NULL is the empty name. */
struct itt_domain *itt_domain_of(struct name *name);
struct itt_string *itt_string_of(struct name *name);

/* False: it was made by somebody else. Otherwise *name is its name. */
bool itt_domain_is_ours(const struct itt_domain *d, struct name **name);
bool itt_string_is_ours(const struct itt_string *s, struct name **name);

#endif
