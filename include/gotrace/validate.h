/*
 * libgotrace, the validator: checks a trace beyond what the reader needs to put its events in order: that every
 * transition starts where the one before it ended, that nothing runs in two places, that ranges, tasks and clocks are
 * what they should be, that stacks are complete, that no event is newer than the trace's version. It goes on after a
 * violation, so that all are reported.
 *
 *     struct gotrace_summary sum;
 *     struct gotrace_reader *r = gotrace_reader_open_path("trace.out");
 *     if (gotrace_reader_validate(r, report, NULL, &sum) && !sum.violations) …it is valid…
 *
 * Ownership: the caller frees a validator. A violation is valid during the call of report only.
 *
 * Threads: a validator may be used by one thread at a time; different ones are independent. No function is for signal
 * handlers, and none aborts. Since: 0.1.
 */
#ifndef GOTRACE_VALIDATE_H
#define GOTRACE_VALIDATE_H

#include <gotrace/reader.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gotrace_validator;

/*
 * Called for each violation, whose fields are as in gotrace_reader_error, by the thread that uses the validator, with
 * the arg that came with it. Since: 0.1.
 */
typedef void gotrace_violation_fn(void *arg, const struct gotrace_error *violation);

/* A validator for a trace of version 1.NN; report may be NULL. NULL when memory is short. Since: 0.1. */
GOTRACE_API struct gotrace_validator *gotrace_validator_new(int version, gotrace_violation_fn *report, void *arg);

/*
 * Checks the next event, as gotrace_reader_next returned it, and returns how many violations it has; -1 when memory is
 * short. Since: 0.1.
 */
GOTRACE_API int gotrace_validator_event(struct gotrace_validator *v, const struct gotrace_event *ev);

/* Frees the validator; NULL is fine. Since: 0.1. */
GOTRACE_API void gotrace_validator_free(struct gotrace_validator *v);

/* What was read in all. Since: 0.1. */
struct gotrace_summary {
    uint64_t events, generations;
    uint64_t violations; /* the reader's error, if there is one, included */
};

/*
 * Reads all that is left of r and checks it; what ends the reading is reported like a violation. False: the trace could
 * not be read or memory was short, gotrace_reader_error says which, and nothing is known of its validity. Since: 0.1.
 */
GOTRACE_API bool gotrace_reader_validate(struct gotrace_reader *r, gotrace_violation_fn *report, void *arg,
                                         struct gotrace_summary *summary);

#ifdef __cplusplus
}
#endif

#endif
