/*
 * How sure a number is that was taken from traces: by bootstrap. What a trace says is cut into stretches of time; some
 * hundred times as many stretches are drawn from them, with replacement, and what the number is then each time says how
 * far it is from what another recording would have said.
 *
 * Stretches next to each other are alike, so RESAMPLE_BLOCK of them are drawn together. Of several runs, runs are drawn
 * first. The draws are the same each time, so equal traces give equal answers.
 */
#ifndef THRACE_PARSER_ANALYZE_RESAMPLE_H
#define THRACE_PARSER_ANALYZE_RESAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RESAMPLES = 300, RESAMPLE_BLOCK = 8, RESAMPLE_LEAST = 2 * RESAMPLE_BLOCK };

/* One side of a comparison: its runs, and their stretches one after the other. */
struct resample {
    size_t nruns, nstretches;
    uint32_t *ones;  /* each stretch once: what was measured */
    uint32_t *draws; /* RESAMPLES times how often each is drawn */
    double freedom;  /* degrees of it, of a standard error */
    double grow;     /* what the draws show is too little by that factor, as they know the same few blocks or runs */
};

/* False: memory is short. */
bool resample_init(struct resample *r, size_t nruns, const size_t *nstretches, uint64_t seed);
void resample_free(struct resample *r);

/* The number, if each stretch is there so many times; it is not finite if there is none. */
typedef double resample_fn(const void *arg, const uint32_t *times);

/* error: the standard error; it is not finite if there are too few stretches to know it. */
struct estimate {
    double value, error, freedom;
};

/*
 * What runs of the same program differ by, where one run only cannot tell: a part of the number, and as much in any
 * case. It has no part in what several runs say.
 */
struct resample_noise {
    double part, least;
};

struct estimate resample_estimate(const struct resample *r, resample_fn *number, const void *arg,
                                  struct resample_noise noise);

/* From a to b as a factor, with its interval, and how likely as much is by chance. */
struct change {
    double factor;    /* b / a; infinite if a is 0; 1 if both are */
    double low, high; /* NAN: not known */
    double chance;    /* 1 if nothing is known */
};

/* level: how likely the interval has the true factor, such as .95. */
struct change change_between(const struct estimate *a, const struct estimate *b, double level);

/* Both sides' probability that Student's t with so many degrees of freedom is that far from 0, and the other way. */
double student_chance(double t, double freedom);
double student_quantile(double chance, double freedom);

/*
 * Many changes at once: chances[i] becomes how likely it is that any of them would look like that or rarer by chance
 * (Holm). False: memory is short.
 */
bool adjust_for_many(double *chances, size_t n);

#endif
