/* What findings.h notes, and by which limits it judges. */
#ifndef THRACE_PARSER_ANALYZE_FINDINGS_STATE_H
#define THRACE_PARSER_ANALYZE_FINDINGS_STATE_H

#include "parser/analyze/blame.h"
#include "parser/analyze/phases.h"

/*
 * The limits of the rules, which thrace-stat(1) has, too. WALL is in percent of the wall time in which somebody waited,
 * MOST in percent of the time that is looked at.
 */
enum finding_limit {
    LIMIT_WALL = 10,         /* of locks, conditions and semaphores */
    LIMIT_LONG_WALL = 20,    /* where there are two threads only; of meetings and joins; of polling */
    LIMIT_PIPE_WALL = 25,    /* of full pipes; of more threads than processors */
    LIMIT_MOST = 50,         /* of the time that others waited, the owner did that */
    LIMIT_CERTAIN = 2,       /* percent of the wall time that a lock is held for certain in calls */
    LIMIT_WAITS = 3,         /* for one thing */
    LIMIT_LINE_WAITS = 5,    /* of convoys and their like */
    LIMIT_SAMPLES = 5,       /* of what is said to be executed */
    LIMIT_CONVOY = 3,        /* threads */
    LIMIT_TURNS = 2,         /* that others have before the one that waits */
    LIMIT_JOBS = 3,          /* that share a lock, and nothing else */
    LIMIT_FUTILE_RUN = 50,   /* us that a thread executes at most, from a wake-up in vain to the next wait */
    LIMIT_HERD = 3,          /* threads woken at a time */
    LIMIT_HERDS = 10,        /* such broadcasts */
    LIMIT_FUTILE = 40,       /* wake-ups in vain */
    LIMIT_FUTILE_RATE = 50,  /* such wake-ups in a second */
    LIMIT_FUTILE_WALL = 1,   /* percent of the wall time between these and the next waits */
    LIMIT_BUSY = 60,         /* percent of the wall time that the one executes whom everybody waits for */
    LIMIT_VICTIM_WAITS = 5,  /* of each who waits for it, on average */
    LIMIT_CPU = 2,           /* a straggler has as many times the samples of the others */
    LIMIT_CPU_SAMPLES = 10,
    LIMIT_ALONE = 33,        /* percent of a phase in which the slowest is the only one left */
    LIMIT_NAPS = 3,          /* sleeps in vain one after the other */
    LIMIT_ALL_NAPS = 20,
    LIMIT_POLLS = 5,         /* such rows of them */
    LIMIT_CROWD = 2,         /* threads for each processor */
    LIMIT_DENIED = 1000,     /* us without a processor: shorter times are what a wake-up takes */
    LIMIT_DENIALS = 5        /* such times */
};

enum { FINDINGS_MAKERS = 256, FINDINGS_LINES = 2048 }; /* of the places that are told apart by texts of their own */
enum { FINDINGS_MAX = 32, FINDINGS_OWNERS = 1 << 14, FINDINGS_PAIRS = 1 << 16 };

/* Of an object, by its number. */
struct finding_object {
    int64_t since;     /* when the first of those that wait now began to */
    uint64_t held;     /* ns in which somebody waited */
    uint64_t releases; /* by threads of the trace */
    uint32_t nwaiting, nreaders; /* now; of these, to read */
    uint32_t nthreads; /* that ever waited */
    /*
     * A lock is held for certain while somebody waits for it and nobody is on the way to it, whom a release has woken and
     * who does not execute yet. Who releases it next held it all that time. Samples count if they are of that time, or
     * of the function that releases it.
     */
    uint32_t under_way;
    int64_t arrived, released; /* when the last one on the way was there; the last release */
    uint64_t certain_calls;    /* ns of that time in calls */
    uint64_t samples, certain_samples;
    struct finding_pair {
        uint32_t waiter, owner, place, site; /* texts: names, and of the stacks */
        struct gotrace_stack release;
        uint64_t count, time, turns;
    } pair; /* waits that ended last, which are alike */
    enum wait_class class;
    uint32_t writes, reads; /* wakes of one that wants to write; of one that wants to read */
    uint64_t wakes;
    struct finding_batch {
        uint32_t waker, woken, again;
        int64_t first, last;
    } batch; /* the threads that are woken at a time */
    uint64_t broadcasts, herds, mixed, mixed_woken, mixed_again, again_time; /* mixed: some of the woken waited again */
    uint64_t with_mutex, without_mutex, mutex_time;
    uint64_t mutex_wall; /* calls for which several had to wait count once; the last one ended then: */
    int64_t mutex_until;
    uint64_t late, late_time;
    struct finding_met {
        uint64_t n, samples, most; /* most: of one thread */
        uint64_t who;              /* has them */
        uint32_t name;
    } met; /* who met there, and has ended */
};

/* Of a thread, by its place in spans.live. */
struct finding_thread {
    uint64_t samples, run, called, slept; /* ns, but for the samples */
    uint64_t executed; /* by all threads until it could run */
    bool queued;       /* it can run, and counts as such */
    int64_t born, latest; /* latest: sample */
    uint32_t phase; /* number + 1 */
    uint32_t met;   /* number of the object + 1 */
    VEC(uint64_t) objects; /* a bit for each, by its number: it has waited for it */
    bool cut;       /* the trace ends */
    /* Since its last wait ended. */
    bool did; /* something else than to execute */
    uint64_t ran;
    struct gotrace_stack stack; /* of the wait or call that it is in */
    /* The wait that it is in. */
    uint32_t place;  /* text: taken when it began, for a stack is known in its generation only */
    uint64_t turn; /* the object's releases when it began */
    bool write;    /* to a readers-writer lock */
    uint32_t on_way; /* the object that it was woken for, and does not execute yet: number + 1 */
    struct finding_sample {
        int64_t at;
        uint32_t function; /* text: STAT_SAMPLED */
        struct gotrace_stack stack;
    } sampled[8]; /* the last: number n is sampled[n % 8] */
    /* Its last wake-up by a thread. */
    uint32_t woken; /* for which object: number + 1 */
    uint32_t waker; /* place, and id */
    uint64_t waker_id;
    int64_t woken_at;
    struct gotrace_stack release; /* of who woke it */
    bool waited_out;   /* it has executed since */
    uint32_t holds; /* the readers-writer lock that it was woken for: number + 1 */
    /* Sleeps in vain, so far. */
    uint32_t nap_what, naps;
    uint64_t nap, nap_time;
    /* Its last blocking call, and the longest since it last woke somebody. */
    struct finding_call {
        int64_t begin, end;
        uint32_t what; /* text: STAT_CALL */
        struct gotrace_stack stack;
    } last, longest;
    bool woke; /* somebody after `longest` */
};

/* A thread that others have waited for. */
struct finding_owner {
    uint64_t id, time, waits; /* of those that waited for it */
    uint32_t name, nthreads;
    uint64_t run, life;
};

/* Wall time of sleeps in vain, up to when the last of them ended. */
struct finding_polled {
    int64_t until;
    uint64_t wall;
};

struct findings {
    struct blame *blame;
    struct spans *spans;
    VEC(struct finding_object) objects;
    VEC(struct finding_thread) threads;
    VEC(struct finding_owner) owners;
    VEC(struct finding_polled) polled; /* by the number in polls */
    struct phases phases;
    struct idmap owner_index, victims, talks, related; /* sets, and memos */
    struct stat_groups waits;  /* by object, name and place of who waits */
    struct stat_groups sites;  /* by object, name and place of who releases */
    struct stat_groups writes; /* by object and place of who ends a writer's wait */
    struct stat_groups modes;  /* by object, place, and whether it was a writer that released there */
    struct stat_groups pairs;  /* by object, and the names of who waits and who ends it */
    struct stat_groups turns;  /* by object and name; the time is how often others had their turn before */
    struct stat_groups late;   /* by object, call and place of the signal */
    struct stat_groups mutex;  /* by object, call and place of the signal */
    struct stat_groups polls;  /* by name and place; count is of rows of sleeps */
    struct stat_groups naps;   /* by name and place; the time is how many sleeps */
    struct stat_groups inside; /* by object, owner and function, of samples while a lock was held */
    struct stat_groups lines;  /* by function and place, of samples */
    struct stat_groups hot;    /* by a thread's name and function, of samples */
    struct stat_groups makers; /* by a thread's name, and the place where it was made */
    const struct gotrace_event *event; /* that is being shown */
    struct stat_groups denied; /* by a thread's name, of the times without a processor that count */
    uint64_t nsamples, ncpu, nrunning, crowded, crowd; /* crowd: the sum over that time of how many ran */
    int64_t at;
    /* Where the kernel says who has a processor: */
    bool by_kernel;
    uint64_t nqueued; /* that could run */
    uint64_t executed; /* ns, of all threads, up to `at` */
    struct finding_denied {
        uint64_t wall, longest; /* of threads without one, while fewer ran than there are processors */
        int64_t before, from, until; /* the end of the last but one stretch of that; the last one */
    } denials;
    bool failed;
};

/* Keys of the groups: an object's number has 13 bits, a text 16. */
static inline uint64_t finding_key(uint32_t object, uint32_t name, uint32_t place)
{
    return ((uint64_t)object << 16 | name) << 16 | place;
}
#define FINDING_OBJECT_MASK (UINT64_MAX << 32)
static inline uint32_t finding_name_of(uint64_t key) { return key >> 16 & 0xffff; }
static inline uint32_t finding_place_of(uint64_t key) { return key & 0xffff; }

#endif
