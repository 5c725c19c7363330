/* perf-PID.map: what a JIT compiler says about the code it made. */
#ifndef THRACE_LIB_SYMBOLIZE_PERFMAP_H
#define THRACE_LIB_SYMBOLIZE_PERFMAP_H

#include "lib/symbolize/answer.h"

/* Adds a frame for every PC that the map at path knows. The PCs are ascending and distinct. */
void perfmap_resolve(const char *path, uid_t user, const uint64_t *pcs, size_t npcs, struct answer *);

#endif
