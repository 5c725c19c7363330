/* What the reports of thrace stat share. */
#ifndef THRACE_CMD_STAT_PARTS_H
#define THRACE_CMD_STAT_PARTS_H

#include <stdio.h>

#include "cmd/report.h"
#include "cmd/span_options.h"
#include "parser/analyze/spans.h"
#include "parser/analyze/stat_groups.h"

/* What has less than this part of the time is not worth a row of a first screen. */
enum { STAT_NOTEWORTHY = 20 };

struct ranking {
    struct stat_group *groups; /* a copy, sorted */
    size_t n, shown;
    struct stat_group rest; /* of those not shown */
};

/* The one with the largest total comes first. */
int stat_by_total(const void *a, const void *b);

/* Of the groups whose (key & mask) is value; mask 0: of all, and late ones are in the rest. False: memory is short. */
bool stat_rank(struct ranking *r, const struct stat_groups *gs, uint64_t mask, uint64_t value, size_t rows);

/* A goroutine's state in words. */
const char *stat_state_name(uint64_t state);

/* A stack's outer frames, each in a line of its own after the line that the innermost one ends. */
void stat_indent(FILE *out, const char *stack, const char *by);

/* For programs: a cell with what was waited for, which is the first line where there is any, and one with the stack. */
void stat_place(struct table *t, const char *stack);

/* What is read, and whether that is all of it. */
struct stat_input {
    const char *path;
    bool complete;
    const struct span_options *only; /* what counts; NULL: all of it */
};

/* The line about the whole trace, which begins the report, and what counts: how many stretches do. */
void stat_headline(const struct spans *s, int version, const struct stat_input *in, uint64_t ncounted, struct report *r);

/* The same for another verb, whose document has that schema. */
void stat_headline_of(const char *schema, const struct spans *s, int version, const struct stat_input *in,
                      uint64_t ncounted, struct report *r);

#endif
