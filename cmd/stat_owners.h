/* Who is to blame for waits, for programs: each owner, and all that it did. */
#ifndef THRACE_CMD_STAT_OWNERS_H
#define THRACE_CMD_STAT_OWNERS_H

#include "cmd/table.h"
#include "parser/analyze/stat_collect.h"

/* What an owner is to those who wait: "held by". */
const char *stat_owner_role(const struct blame_object *o);

/* The owners of the object with this number in a cell of t. False: memory is short. */
bool stat_owners(const struct stat *s, uint32_t object, struct table *t);

#endif
