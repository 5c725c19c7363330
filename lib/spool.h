/*
 * The spool: where a recording lives until `thrace finish` makes a trace of it. One sparse file,
 *
 *   header | pool of chunks, mapped shared | log, appended to with pwrite
 *
 * A thread encodes events into a chunk of the pool; a full chunk is drained to the log as a batch of the final wire
 * format and its pages are used again, because the first touch of a fresh page costs more than the events on it. The
 * mapping belongs to the file: whatever kills the process, the header, the chunks and the log are all there.
 * docs/spool.md has the layout byte by byte.
 *
 * Chunks move free list → owner → full list → log → free list; the little that a chunk has is packed with that of
 * others into a shared one. Both lists are lock-free stacks; a thread touches them once per chunk, not per event.
 */
#ifndef THRACE_LIB_SPOOL_H
#define THRACE_LIB_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/clock.h"
#include "lib/lock.h"
#include "lib/losses.h"
#include "lib/suspensions.h"
#include "lib/wire/batch_header.h"

#define SPOOL_MAGIC "thrSPOOL"

enum {
    SPOOL_VERSION = 11,
    SPOOL_HEADER_SIZE = 16 << 10,
    SPOOL_CHUNK_SIZE = 8 << 10,
    SPOOL_EXTENT_CHUNKS = 128,                     /* the pool grows by this many: 1 MiB */
    SPOOL_MAX_CHUNKS = 64 * SPOOL_EXTENT_CHUNKS,   /* and no further: 64 MiB */
    SPOOL_PATH_MAX = 4096,
    SPOOL_BOOT_ID_LEN = 36,
};

enum spool_state {
    SPOOL_RECORDING = 1,
    SPOOL_COMPLETE = 2,
    SPOOL_TORN = 3, /* it ended while a thread was writing: as after a kill, what that thread wrote last is missing */
};

/* What the heap was at the end. */
enum spool_heap_state {
    SPOOL_HEAP_OFF,
    SPOOL_HEAP_COUNTED,
    SPOOL_HEAP_FOREIGN, /* an allocator whose blocks we cannot see */
};
struct spool_heap {
    uint32_t state; /* enum spool_heap_state */
    uint32_t pad;
    int64_t live; /* bytes in use, as malloc_usable_size counts them */
    int64_t peak; /* the most that they were, less 64 KiB a thread at most */
    int64_t mapped; /* bytes mapped by mmap and not unmapped */
    uint64_t interval; /* bytes from sample to sample, on average; 0: none were taken */
};

/* How locks were used. */
struct spool_locks {
    uint32_t counted; /* 1: it was asked for */
    uint32_t chunks;  /* that hold entries */
    uint64_t others;  /* how often locks were taken that the tables had no room for */
    uint64_t missed;  /* … and by threads that could count nothing, in handlers and at their ends */
};

/* What the next program of the process makes of this spool. */
enum spool_exec {
    SPOOL_NO_EXEC,
    SPOOL_EXEC,            /* it is being executed, and says that it is here by changing state */
    SPOOL_EXEC_UNRECORDED, /* it is here, and could not rename this spool */
};

/* What the recording misses of the process. */
struct spool_unseen {
    uint32_t threads; /* the most at once that were made by other means than libc's, and called nothing wrapped */
    uint32_t go;      /* 1: there is code in Go */
    uint32_t execs;   /* enum spool_exec */
    uint32_t pad;
};

/* What became of CPU samples. */
struct spool_samples {
    uint64_t hz;       /* asked for, in a second of a thread's CPU time; 0: none */
    uint64_t taken;
    uint64_t lost;     /* found no room */
    uint64_t repeats;  /* of those taken, the ones without a look of their own: a sample stands for several periods */
    uint64_t missed;   /* periods of CPU time for which no sample stands */
    uint64_t cpu_ns;   /* CPU time of the threads that were sampled */
    uint32_t threads_by_timer, threads_by_perf;
    uint32_t threads_unsampled; /* neither could be had */
    uint32_t perf_error;        /* errno of the first perf event that could not be had */
};

/* The first bytes of the file. Integers are of the host's byte order. */
struct spool_header {
    char magic[8];
    uint32_t version;
    uint32_t header_size;
    uint32_t chunk_size;
    uint32_t max_chunks; /* that the pool has room for; the log begins behind them */
    uint32_t nchunks;    /* that exist */
    uint32_t state;      /* enum spool_state */
    uint64_t log_end;    /* bytes of the log that count; of a ring: that were ever written */
    uint64_t seal_count; /* numbers full chunks in the order in which they were filled */
    uint64_t start_realtime_ns;
    uint64_t pid_start; /* field 22 of /proc/PID/stat: with pid, names the process beyond reuse */
    uint32_t pid;
    uint32_t trace_version; /* 1.NN that the trace is to be */
    struct trace_clock clock;
    struct clock_pair first, last; /* the ends of the recording so far */
    uint64_t lost_events;          /* the sum of lost */
    uint64_t lost_stacks;
    uint64_t last_generation; /* the open one */
    uint64_t last_g;          /* the highest goroutine id given out */
    uint32_t nthreads;        /* that were recorded */
    uint32_t launcher;        /* pid of the `thrace record` that finishes it, or 0 */
    uint32_t session;         /* number, from 1 */
    uint32_t owners_hidden;   /* 1: locks do not say who holds them where glibc's do */
    uint64_t ring_size;        /* the log is a ring of this many bytes; 0: it grows */
    uint64_t log_start;        /* what of a ring still counts; whole generations */
    uint64_t first_generation; /* those before are gone; 0: none is */
    char out[SPOOL_PATH_MAX]; /* absolute path of the trace to be */
    char exe[SPOOL_PATH_MAX];
    struct spool_samples samples;
    struct spool_heap heap;
    struct spool_unseen unseen;
    uint64_t pid_namespace;          /* inode of the PID namespace that pid is of; 0: not known */
    char boot_id[SPOOL_BOOT_ID_LEN]; /* of the machine, as text without a NUL; zeros: not known */
    uint32_t show_cpus; /* 1: the trace is to say which CPU a thread is on */
    struct spool_locks locks;
    uint64_t lost[LOSS_REASONS * LOST_KINDS]; /* by reason, and then by kind (lib/losses.def) */
    uint64_t lost_most, lost_most_g; /* of the goroutine that lost the most events */
    struct suspensions suspensions;
};

_Static_assert(sizeof(struct spool_header) <= SPOOL_HEADER_SIZE, "the header fits its place");

static inline void spool_count_lost(struct spool_header *h, enum lost what, enum loss why, uint64_t n)
{
    __atomic_fetch_add(&h->lost_events, n, __ATOMIC_RELAXED);
    __atomic_fetch_add(&h->lost[why * LOST_KINDS + what], n, __ATOMIC_RELAXED);
}

enum chunk_state { CHUNK_FREE = 0, CHUNK_OPEN = 1, CHUNK_FULL = 2 };

enum chunk_contents {
    CHUNK_OF_BATCH,
    CHUNK_PACKED,   /* a row of batches with their headers, of any threads; m and time mean nothing */
    CHUNK_OF_LOCKS, /* entries of lib/lock_stats.h. It stays open, and is never drained */
};

/*
 * Events grow from the front of data, records of lib/meta.h from its end. Both lengths are stored after the bytes they
 * count, so that what a reader finds after a kill is whole.
 */
struct chunk {
    uint32_t state;     /* enum chunk_state */
    uint32_t used;      /* bytes of events: one batch of the thread m */
    uint32_t meta_used; /* bytes of records at the end */
    uint32_t next;      /* index in a list, + 1 */
    uint32_t packed;    /* enum chunk_contents */
    uint32_t pad;
    uint64_t sealed;    /* order of filling */
    uint64_t log_pos;   /* 1 + where in the log it goes; it is there when log_end is above that */
    uint64_t generation;
    uint64_t m;        /* thread ID, or ID_NONE */
    uint64_t time;     /* the batch's base timestamp */
    uint8_t data[];
};

enum {
    CHUNK_HEADER_SIZE = 64,
    CHUNK_CAPACITY = SPOOL_CHUNK_SIZE - CHUNK_HEADER_SIZE,
    BATCH_META = 0xf0, /* what opens a batch of meta records in the log, where wire batches have EventBatch */
};

_Static_assert(offsetof(struct chunk, data) == CHUNK_HEADER_SIZE, "chunk header size");

/* Where a generation begins in a ring. */
struct spool_mark {
    uint64_t generation, pos, mono_ns;
};

enum { SPOOL_MARKS = 128 };

/* The spool as the traced process sees it. */
struct spool {
    struct spool_header *header; /* the mapping; NULL when there is none */
    uint8_t *chunks;
    size_t mapped;
    uint64_t free_list; /* tag << 32 | index + 1 */
    uint32_t full_list; /* index + 1 */
    uint32_t nfree;     /* about */
    uint32_t nfresh;    /* chunks from this index on were never used */
    uint64_t drained_seals; /* of header->seal_count, when the last drain or generation began */
    uint64_t statuses_bytes; /* about: what the newest generation began with */
    struct spool_mark marks[SPOOL_MARKS]; /* of the generations that a ring holds, the oldest first */
    uint32_t nmarks;
    uint32_t max_marks; /* no more are kept */
    uint32_t max_chunks; /* the pool grows no further */
    uint32_t crowd;      /* with more chunks out, threads that begin to wait keep none (spool_is_crowded) */
    uint32_t wanted;     /* chunks that are to be free at once, for the statuses of many threads */
    uint64_t device, inode; /* of the file: another one may be at its path by now */
    uint64_t file_end;   /* the file was extended to here, for a log without a descriptor; 0: it was not */
    uint8_t *window;     /* mapping at window_at of the file, through which such a log is written */
    uint64_t window_at;
    struct lock drain_lock;
    struct lock pack_lock;
    struct chunk *packing; /* where small chunks are packed together */
    char path[SPOOL_PATH_MAX];
};

/*
 * Creates the file (0600, O_EXCL, no symlink followed) and maps it. Returns 0 or a negative errno with nothing left
 * behind; -EEXIST says that the path is taken.
 */
int spool_create(struct spool *s, const char *path);

/* The same, in the place of an earlier spool's mapping. NULL: wherever there is room. */
int spool_create_at(struct spool *s, const char *path, void *place);

/*
 * The recording has ended. Puts memory that nobody reads in the place of the mapping, for threads that are still
 * writing, or come too late with a counter; the file stays, and says the state once nothing in it changes any more.
 */
void spool_detach(struct spool *s, enum spool_state state);

/* In the child of a fork, which has not inherited the mapping: the same memory there. */
void spool_stand_in(const struct spool *s);

/* The header is complete: from now on the file is a spool. A kill before that leaves a file without the magic. */
void spool_publish(struct spool *s);

/* Unmaps; the file stays. */
void spool_unmap(struct spool *s);

/*
 * A chunk of its own for the caller, who fills in the rest and then its state; NULL when the pool is empty. Lock-free.
 */
struct chunk *spool_take(struct spool *s);

/*
 * Hands a chunk in: an empty one back to the free list, a full one to the drain. The little that any other has goes
 * into a shared chunk, so that a thread that lived for five events, or a generation in which it had two, takes only
 * their room. Waits for nobody.
 */
void spool_seal(struct spool *s, struct chunk *c);

/* Whether spool_seal will pack: false while somebody does, and for ever once a thread was torn out of it. */
static inline bool spool_can_pack(const struct spool *s)
{
    return !__atomic_load_n(&s->pack_lock.word, __ATOMIC_RELAXED);
}

/* Hands in the shared chunk, at the end of a generation, unless somebody is packing. Waits for nobody. */
void spool_seal_packed(struct spool *s);

/* The pool of a fresh spool is to grow to so many bytes at most. */
void spool_bound_pool(struct spool *s, uint64_t bytes);

/* True when it is time to drain, for a ring also because much of it has come since the last one. */
bool spool_wants_drain(const struct spool *s);

/* True when a drain has left too few chunks, so that the pool is to grow. */
bool spool_wants_chunks(const struct spool *s);

/* True when it should have been drained by now: who drains needs a processor. */
bool spool_is_low(const struct spool *s);

/* True when little is left of the pool, which is for waits then: to lose a system call is cheaper. */
bool spool_is_short(const struct spool *s);

/* True when so many chunks are out that a thread that may not need its own for a while does better to hand it in. */
static inline bool spool_is_crowded(const struct spool *s)
{
    return s->header->nchunks - __atomic_load_n(&s->nfree, __ATOMIC_RELAXED) > s->crowd;
}

/*
 * The file, for spool_drain and spool_grow; a negative errno when it cannot be had any more. They take that for a
 * descriptor, too, and do without (spool_mapped.c).
 */
int spool_open(const struct spool *s);

/* Cuts the file off where the log ends: from now on the log is written with a descriptor, or not at all. */
void spool_trim(struct spool *s, int fd);

/* Unmaps the window. */
void spool_close_log(struct spool *s);

/*
 * Moves every full chunk to the log. Returns 0, or a negative errno: what could not be written stays in the pool, and
 * the next call tries again. Not async-signal-safe; drains from several threads exclude one another.
 */
int spool_drain(struct spool *s, int fd);

/*
 * Makes the log of a fresh spool a ring of `size` bytes and that many generations, 2 to SPOOL_MARKS: a flight recorder.
 * A drain that finds no room forgets the oldest generation, but never the one that it writes: then it returns -ENOBUFS,
 * and so do the next ones until that is abandoned.
 */
void spool_make_ring(struct spool *s, uint64_t size, uint32_t generations);

/* Forgets generations of a ring that ended before that time, as long as one whole one is left. */
void spool_forget(struct spool *s, uint64_t mono_ns);

/* The newest generation of a ring, 0: it has none; and the bytes that it has so far. */
uint64_t spool_newest_generation(const struct spool *s);
uint64_t spool_newest_bytes(const struct spool *s);

/*
 * A generation has begun, with what was sealed since header->seal_count was that. It is neither a reason to drain nor to
 * begin the next one: with many threads that wait there would be one after the other, each of statuses alone.
 */
void spool_generation_has_begun(struct spool *s, uint64_t seals);

/* The newest generation of a ring has, beyond that, a good part of it, and as much as it began with. */
bool spool_wants_generation(const struct spool *s);

/* Forgets the newest generation, too, which has outgrown the ring, and what is still to come of it. */
void spool_abandon_newest(struct spool *s);

/*
 * Copies what a ring holds of generations before `end` into a new spool that is complete, for a trace at `out`. The
 * header is otherwise that of s. 0, or a negative errno with nothing left behind: -ENOBUFS when it holds none.
 */
int spool_copy_ring(const struct spool *s, int fd, uint64_t end, const char *path, const char *out);

/* Adds an extent to the pool. 0, or a negative errno (-ENOSPC also when the pool is as large as it may be). */
int spool_grow(struct spool *s, int fd);

static inline struct chunk *spool_chunk(const struct spool *s, uint32_t index)
{
    return (struct chunk *)(s->chunks + (size_t)index * SPOOL_CHUNK_SIZE);
}

static inline uint32_t spool_index(const struct spool *s, const struct chunk *c)
{
    return (uint32_t)(((const uint8_t *)c - s->chunks) / SPOOL_CHUNK_SIZE);
}

#endif
