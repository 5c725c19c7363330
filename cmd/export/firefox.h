/*
 * What a file for the Firefox Profiler is made of. The format is one of columns, thread by thread, so all is gathered
 * first; memory is for threads, stacks and texts, as markers and samples are in a temporary file.
 */
#ifndef THRACE_CMD_EXPORT_FIREFOX_H
#define THRACE_CMD_EXPORT_FIREFOX_H

#include "cmd/export/json.h"
#include "cmd/export/spill.h"
#include "cmd/export/stack_tree.h"
#include "cmd/export/timeline.h"

/* Types of markers; the first four are what a thread does. */
enum firefox_type {
    FIREFOX_RUNNING,
    FIREFOX_RUNNABLE,
    FIREFOX_WAITING,
    FIREFOX_SYSCALL,
    FIREFOX_REGION,
    FIREFOX_TASK,
    FIREFOX_MESSAGE,
    FIREFOX_TYPES
};

/* By firefox_type: schemas, which markers name as their type. */
extern const char *const firefox_types[FIREFOX_TYPES];

enum {
    FIREFOX_OTHER,
    FIREFOX_IDLE,
    FIREFOX_CATEGORY
}; /* from the last on as types; tasks and what follows share one */

/* What the column "data" has of a marker. */
struct firefox_data {
    enum firefox_type type;
    uint32_t reason, object, waker, call; /* texts; none if there is none */
    uint32_t stack;                       /* of the store */
    uint64_t from;                        /* the number of the track that it was woken by, or 0 */
    struct {
        uint32_t category; /* text */
        uint64_t len, at;  /* where in the spill it is */
    } message;
};

struct firefox_sample {
    int64_t time;
    uint32_t stack;
};

struct firefox_open {
    uint32_t name; /* text */
    int64_t begin;
    uint64_t next; /* of tasks that are unused: place + 1 */
};

/* Milliseconds to the nanosecond, as texts: those that follow each other mostly begin with the same digits. */
enum { FIREFOX_TIME = OUT_NUMBER + 8 };
struct firefox_clock {
    uint64_t ms;
    unsigned len; /* 0: there is no time before */
    char digits[OUT_NUMBER];
};

/*
 * What there are millions of is in the spill as pairs of numbers, small ones in few bytes: of a counter since when and
 * by how much it changed, of a marker since the end of the one before, if it is not before it, and its length.
 */
struct firefox_counter {
    struct spill_list changes;
    uint64_t last;   /* value */
    int64_t counted; /* the last time */
    uint64_t since;  /* the same, since the begin */
    const char *name;
};

/*
 * By its track's number. Nobody's, the first, has tasks, and samples that are of no thread. `kinds` is a byte for each
 * marker, its type, and behind a type whose markers have names of their own the name: a text, of 32 bits. `data` are
 * records of their own length: firefox_markers.c has them.
 */
struct firefox_thread {
    struct spill_list times, kinds, data, samples;
    uint64_t ended; /* the marker before, since the begin; the next one begins then, mostly */
    VEC(struct firefox_open) regions; /* that are open */
    uint64_t goroutine, tid;
    uint32_t name, again; /* text; how many threads before had the same tid */
    int64_t sampled;      /* the last time */
    bool is_told;
};

/* Rows of stacks, of frames and of functions that the trace does not have; its own follow. */
enum { FIREFOX_NOT_SAMPLED, FIREFOX_NO_STACK, FIREFOX_FIRST };

struct firefox_stacks {
    struct stack_tree tree;
    VEC(uint32_t) functions;  /* by frame of the store */
    VEC(uint32_t) of_frame;   /* by function: a frame that is in it */
    VEC(uint32_t) sources;    /* by text of the store: source + 1, or 0 */
    VEC(uint32_t) file_names; /* by source: text of the store */
    struct idmap index;       /* function's and file's texts to function + 1 */
};

struct firefox {
    struct timeline t;
    struct spill spill;
    VEC(struct firefox_thread) threads;
    struct idmap tids; /* how many threads had it */
    struct firefox_counter counters[TIMELINE_COUNTERS + TIMELINE_METRICS];
    struct firefox_known *known; /* texts of markers' data */
    VEC(struct firefox_open) tasks; /* that are open */
    uint64_t unused_task;
    struct idmap task_index; /* number of a task to its place + 1 */
    uint32_t names[FIREFOX_TYPES]; /* texts */
    uint64_t pid;
    struct firefox_stacks stacks;
};

/* The version of the format, of the profiler of 2026: what came later it converts. */
enum { FIREFOX_VERSION = 63 };

/* "meta". */
void firefox_put_meta(struct json *j, const struct firefox *f, const char *name);

/* Of a name that is a text. One that would end before it begins has no length. */
void firefox_add_marker(struct firefox *f, struct firefox_thread *thread, uint32_t name, int64_t begin, int64_t end,
                        const struct firefox_data *data);

/* "threads" and "counters", after the stacks have numbers; "markers" of one thread. */
void firefox_put_threads(struct json *j, struct firefox *f, const char *process);
void firefox_put_counters(struct json *j, struct firefox *f);
struct firefox_known *firefox_known_new(void); /* NULL: memory is short; to be freed */
void firefox_put_markers(struct json *j, struct firefox *f, const struct firefox_thread *t);

/* The ID of a track's thread, the system's if it is known; the profiler takes texts as well. Returns where it ends. */
enum { FIREFOX_TID = 48 };
char *firefox_tid(const struct firefox *f, uint64_t number, char *to);

/* "shared": the tables of stacks and of strings, after firefox_number_stacks. False: memory is short. */
bool firefox_number_stacks(struct firefox *f);
void firefox_put_shared(struct json *j, const struct firefox *f);
void firefox_stacks_free(struct firefox_stacks *s);

/* The row of a stack of the store. */
static inline uint64_t firefox_stack(const struct firefox *f, uint32_t stack)
{
    uint32_t leaf = f->stacks.tree.leaves.v[stack];
    return leaf ? leaf - 1 + (uint64_t)FIREFOX_FIRST : FIREFOX_NO_STACK;
}

/* Members of an object. */
static inline void put_text(struct json *j, const char *key, const char *text)
{
    json_key(j, key);
    json_text(j, text);
}

static inline void put_number(struct json *j, const char *key, uint64_t n)
{
    json_key(j, key);
    json_number(j, n);
}

static inline void open_named(struct json *j, const char *key, char bracket)
{
    json_key(j, key);
    json_open(j, bracket);
}

static inline void put_bool(struct json *j, const char *key, bool yes)
{
    json_key(j, key);
    json_bool(j, yes);
}

/* The process, a text. */
void firefox_put_pid(struct json *j, const struct firefox *f);

/* Whether the thread of that number is in the file. */
static inline bool firefox_is_shown(const struct firefox *f, size_t number)
{
    const struct firefox_thread *t = &f->threads.v[number];
    return t->is_told || t->data.n || t->samples.n;
}

/* Two columns of numbers. */
void firefox_add_pair(struct firefox *f, struct spill_list *l, uint64_t first, uint64_t second);

/* What a column has of its pairs. */
enum firefox_column { FIREFOX_BEGIN, FIREFOX_END, FIREFOX_COUNTED, FIREFOX_CHANGE };
void firefox_put_column(struct json *j, struct firefox *f, const char *key, const struct spill_list *l,
                        enum firefox_column column);

/* Milliseconds, to the nanosecond. */
void firefox_put_time(struct json *j, uint64_t ns);

static inline uint64_t firefox_since(const struct firefox *f, int64_t time)
{
    return time > f->t.spans.begin ? (uint64_t)time - (uint64_t)f->t.spans.begin : 0;
}

/* Nanoseconds between samples of a thread that executes all the time. */
static inline uint64_t firefox_period(const struct firefox *f)
{
    return f->t.hz < 1000000000 ? 1000000000 / f->t.hz : 1;
}

#endif
