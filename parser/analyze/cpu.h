/* Where samples of the CPU found the threads: by function, the one that executed and those that had called it. */
#ifndef THRACE_PARSER_ANALYZE_CPU_H
#define THRACE_PARSER_ANALYZE_CPU_H

#include "parser/analyze/spread.h"
#include "parser/analyze/stat_text.h"

enum { CPU_HZ_THRACE = 99, CPU_HZ_GO = 100, CPU_NCACHED = 1 << 10 };

/* Of a function, by its text: "compress (zip.c)". Samples that it executed in, and that had it in their stack. */
struct cpu_function {
    uint64_t self, total;
    uint64_t met; /* in this sample; all are counted from 1 */
};

struct cpu {
    struct cpu_function *functions; /* STAT_NTEXTS of them, when there is a sample */
    struct cpu_cached *cache;       /* frames that were met last */
    uint64_t samples;
    uint32_t *gaps;     /* spread.h, fine: ns between samples of a thread */
    uint64_t widest;
    bool failed; /* memory is short */
};

void cpu_free(struct cpu *c);

/* One of a thread whose last one was gap ns ago; 0: it is the first. */
void cpu_sample(struct cpu *c, struct stat_texts *texts, struct gotrace_stack stack, uint64_t gap);

/* One that does not count. It says all the same how often they are taken. */
void cpu_skip(struct cpu *c, uint64_t gap);

/*
 * How many samples there are in a second of CPU time, of a trace that does not say it: as usual, unless they come more
 * often than that, as no thread uses more CPU time than passes.
 */
uint64_t cpu_hz(const struct cpu *c, uint64_t usual);

/* What thrace finish leaves in the first generation that was recorded, if it is not the usual number; else 0. */
uint64_t cpu_hz_said(const struct gotrace_event *sync);

#endif
