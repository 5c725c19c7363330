/*
 * What makes the threads of several traces different ones in one trace. Goroutines and tasks get the number of their
 * trace behind their own, procs before it; a thread keeps its ID unless another trace has it at the time. Frames that
 * threads begin with, and objects, have the name of their trace in front. A PC is one frame, of whichever trace.
 */
#ifndef THRACE_PARSER_REWRITE_DISTINCT_H
#define THRACE_PARSER_REWRITE_DISTINCT_H

#include "gotrace/reader.h"
#include "parser/builder_intern.h"
#include "parser/failure.h"
#include "parser/idmap.h"
#include "parser/vec.h"

enum frame_place { FRAME_INNERMOST, FRAME_BETWEEN, FRAME_OUTERMOST };

/* Of all traces. */
struct distinct_all {
    uint64_t scale;        /* a power of ten that is larger than the number of traces */
    struct idmap thread_of; /* thread IDs as they are written: the number of the trace that has it, from 1 */
    uint64_t next_thread;
    struct intern frames;
    struct idmap frame_of; /* PC: the first frame that has it */
    VEC(uint64_t) pcs;     /* by the numbers of frames, from 1 */
    uint64_t next_pc;
    struct raw_buffer key;
};

/* Of one. */
struct distinct {
    struct distinct_all *all;
    const char *path, *name;
    uint64_t nth; /* from 1 */
    struct idmap thread_at; /* its thread IDs: index + 1 of what they are written as */
    VEC(uint64_t) threads;
    struct idmap large_procs; /* numbered anew, from 1 */
    uint64_t last, last_as; /* the thread that was looked up last; 0: none was */
    struct raw_buffer text; /* of the frame that was made distinct last */
};

/* Of each trace; the last one is for our own use. */
enum { DISTINCT_PROCS = 1000000, DISTINCT_SPARE_PROC = DISTINCT_PROCS - 1 };

void distinct_begin(struct distinct_all *all, size_t traces);
void distinct_end(struct distinct_all *all);
void distinct_free(struct distinct *d);

/* Nothing more comes of this trace: others may have its threads, as the program has that a process executes. */
void distinct_release(struct distinct *d);

/* Replaces the IDs among an event's arguments, which are those without dt, and its thread. False: f says why. */
bool distinct_ids(struct distinct *d, uint8_t event, uint64_t *thread, uint64_t *args, struct failure *f);

/* Replaces the frame's function and PC, if d is not NULL. The text lives until the next call. False: f says why. */
bool distinct_frame(struct distinct *d, struct gotrace_frame *frame, enum frame_place place, struct failure *f);

#endif
