/*
 * What becomes of an annotation, whoever makes it: the program by thrace/annotate.h, or the calls of another tracing
 * library that it was built with. The entry points jump here, so that the stacks begin with their callers.
 *
 * All are async-signal-safe and do nothing while nothing is recorded, but for what a later recording needs to know. The
 * caller has seen that something is hooked: only then are names kept.
 */
#ifndef THRACE_PRELOAD_ANNOTATE_ANNOTATE_H
#define THRACE_PRELOAD_ANNOTATE_ANNOTATE_H

#include <stddef.h>
#include <stdint.h>

#include "preload/annotate/names.h"

/* When the recorder has begun: what the program says is heard. */
void annotate_init(void);

/*
 * For a program that was attached to, and is let go: nothing is heard until annotate_init. What its threads were in is
 * forgotten before that, as nobody has seen it end.
 */
void annotate_rest(void);
void annotate_forget_regions(void);

/*
 * What a weak reference of that name leads to once we are there; NULL: it is none of an annotation's. It stays so for
 * good, as a program may ask twice, whether there is a function and which.
 */
const void *annotate_entry(const char *name);

/* Where the stack of an annotation begins, when that is not the caller: NULL stands for this. */
struct unwind_regs;

/* A number that no other task of the process has. */
uint64_t annotate_new_task(void);

void annotate_task_begin(const struct unwind_regs *at, struct name *name, uint64_t parent, uint64_t task);
void annotate_task_end(const struct unwind_regs *at, uint64_t task);

/* The region is that of the task that the thread works for. */
#define ANNOTATE_OWN_TASK UINT64_MAX

void annotate_region_begin(const struct unwind_regs *at, struct name *name, uint64_t task);
void annotate_region_end(const struct unwind_regs *at);

/* Ends the region that began at this probe, in this call of its function, and has no end yet; and those within. */
void annotate_region_end_left(const struct unwind_regs *at);

/* len as name_length has it. */
void annotate_message(const struct unwind_regs *at, struct name *category, const char *message, size_t len);
void annotate_count(struct name *counter, int64_t value);
void annotate_label(struct name *label);

/* For upcalls.call_failed: a message that follows the end of a call, with the name of its errno (docs/model.md). */
struct thread;
void annotate_call_error(struct thread *t, int error);

#endif
