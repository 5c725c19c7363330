/*
 * How often threads went from one CPU to another, and how long they waited for one by the kernel's own account, as far
 * as a trace says so, in strings that no event refers to.
 */
#ifndef THRACE_PARSER_ANALYZE_MIGRATIONS_H
#define THRACE_PARSER_ANALYZE_MIGRATIONS_H

#include "gotrace/reader.h"
#include "parser/idmap.h"
#include "parser/vec.h"

struct migrations_of {
    uint64_t migrations;
    uint32_t cpus; /* on how many it was */
};

/* What is said of a goroutine. */
struct migrations_thread {
    struct migrations_of moves;
    uint64_t delay; /* ns */
    bool delay_is_known;
};

struct migrations {
    bool by_kernel;     /* who runs when is the kernel's word */
    bool counted;       /* and who went from CPU to CPU: of a whole trace */
    bool delays_known;  /* of some thread, how long it waited for one */
    struct idmap index; /* goroutine to its place in list + 1 */
    VEC(struct migrations_thread) list;
    bool failed; /* memory is short */
};

void migrations_free(struct migrations *m);

/* What a generation says, as it begins. */
void migrations_learn(struct migrations *m, const struct gotrace_event *sync);

/* Of a goroutine: none of one that the trace does not name. */
struct migrations_of migrations_of(const struct migrations *m, uint64_t go);

/* ns in which it could run and had no processor. False: nobody says. */
bool migrations_delay_of(const struct migrations *m, uint64_t go, uint64_t *ns);

#endif
