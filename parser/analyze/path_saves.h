/*
 * What would be saved if something cost nothing, and each thread still waited for the same ones: all stretches of one
 * kind have no length, and a thread that was woken goes on when it has come to its wait, and its waker to the wake-up.
 * So what else was on its way by then limits it.
 */
#ifndef THRACE_PARSER_ANALYZE_PATH_SAVES_H
#define THRACE_PARSER_ANALYZE_PATH_SAVES_H

#include "parser/analyze/path_find.h"

enum path_what {
    PATH_STATE,  /* key: enum gotrace_state */
    PATH_DEED,   /* path_deed_key() */
    PATH_OBJECT, /* text: nobody waits for it */
    PATH_NAME,   /* text: what threads of that name do themselves: they run, call the system, wait for nobody */
    PATH_WHATS
};

struct path_saving {
    enum path_what what;
    uint64_t key;
    uint64_t ns;
};

/* Finds out what each of n saves, no more than its ns says before: what is on the path of it. One key comes once.
 * False: memory is short, or c->log.error is set. */
bool path_saves(struct path_collect *c, const struct path_end *end, struct path_saving *savings, size_t n);

#endif
