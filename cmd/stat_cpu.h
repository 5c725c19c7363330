/* What thrace stat says of samples of the CPU. */
#ifndef THRACE_CMD_STAT_CPU_H
#define THRACE_CMD_STAT_CPU_H

#include "cmd/stat_parts.h"
#include "parser/analyze/stat_collect.h"

/* How long so many samples stand for. */
uint64_t stat_cpu_time(const struct stat *s, uint64_t samples);

/* A line about the machine, if there are samples. */
void stat_cpu_line(const struct stat *s, struct report *r);

/* Functions, the one that executed most first. False: memory is short. */
bool stat_cpu(const struct stat *s, struct report *r);

#endif
