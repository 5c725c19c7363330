/* What blocks refer to by numbers: threads, texts, stacks. */
#ifndef THRACE_CMD_VIEW_TABLES_H
#define THRACE_CMD_VIEW_TABLES_H

#include "cmd/view/lanes.h"

/* Puts them into a block, when all has been read. False: memory is short. */
bool tables_put(struct lanes *l, const char *file, bool complete);

/* A block of JSON text that is there already. */
void tables_put_text(struct pack *to, char kind, const char *text, size_t size);

#endif
