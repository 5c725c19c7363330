/* The options that say which stretches of time count; for each verb that has them. */
#ifndef THRACE_CMD_SPAN_OPTIONS_H
#define THRACE_CMD_SPAN_OPTIONS_H

#include "cmd/export/json.h"
#include "parser/analyze/span_filter.h"

/* What getopt_long returns for them; no letters. */
enum span_option {
    SPAN_OPTION_THREAD = 256,
    SPAN_OPTION_FUNCTION,
    SPAN_OPTION_REASON,
    SPAN_OPTION_OBJECT,
    SPAN_OPTION_FROM,
    SPAN_OPTION_TO,
    SPAN_OPTION_MIN,
    SPAN_OPTION_LAST
};

/* Of an array of options, and of a usage. */
#define SPAN_OPTIONS                                                                                                   \
    {"thread", required_argument, NULL, SPAN_OPTION_THREAD},                                                           \
        {"function", required_argument, NULL, SPAN_OPTION_FUNCTION},                                                   \
        {"reason", required_argument, NULL, SPAN_OPTION_REASON},                                                       \
        {"object", required_argument, NULL, SPAN_OPTION_OBJECT}, {"from", required_argument, NULL, SPAN_OPTION_FROM},  \
        {"to", required_argument, NULL, SPAN_OPTION_TO}, {"min", required_argument, NULL, SPAN_OPTION_MIN}
#define SPAN_USAGE                                                                                                     \
    "  --thread RE     only threads whose names match the regular expression\n"                                        \
    "  --function RE   only waits and system calls with such a function in their stack\n"                              \
    "  --reason NAME   only what has this reason, such as sleep or (created)\n"                                        \
    "  --object RE     only waits for such objects\n"                                                                  \
    "  --from T        what comes before does not count: 1.5s, 20ms or 10%, from FILE's begin\n"                       \
    "  --to T          nor what comes after; --from 10%..20% says both\n"                                              \
    "  --min T         only what lasts so long\n"

struct span_options {
    struct span_filter *filter; /* NULL: no option was given */
    const char *given[SPAN_OPTION_LAST - SPAN_OPTION_THREAD];
    char *first; /* of --from 10%..20%, what is in front of the dots */
};

void span_options_free(struct span_options *o);

/* Takes the option. False, and a complaint: it is wrong. */
bool span_options_take(struct span_options *o, const char *verb, int option, const char *value);

/* "1.5s", "20ms", "0" in ns. */
bool span_options_time(const char *text, uint64_t *ns);

/* When all are taken, and what they need has been learned. False, and a complaint: they do not agree. */
bool span_options_check(const struct span_options *o, const char *verb);

/* "--thread worker --from 10%" */
void span_options_print(const struct span_options *o, FILE *out);

/* An object with what was given, and how many stretches passed. */
void span_options_json(const struct span_options *o, uint64_t nstretches, struct json *j);

#endif
