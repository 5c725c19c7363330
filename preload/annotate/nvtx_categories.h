/* The names of NVTX's categories, which are numbers within a domain. */
#ifndef THRACE_PRELOAD_ANNOTATE_NVTX_CATEGORIES_H
#define THRACE_PRELOAD_ANNOTATE_NVTX_CATEGORIES_H

#include <stdint.h>

#include "preload/annotate/names.h"

enum { NVTX_CATEGORIES_MAX = 256 };

/* Beyond so many nothing is kept. The last name counts. Lock-free. */
void nvtx_name_category(const struct name *domain, uint32_t category, struct name *name);

/* NULL: it has no name. */
struct name *nvtx_category(const struct name *domain, uint32_t category);

#endif
