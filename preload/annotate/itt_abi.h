/*
 * What a program that was built with ITT notify shares with a collector: the structures of version 3 of that interface,
 * which has been the same since 2012. Of the global structure only what is used here, up to there.
 */
#ifndef THRACE_PRELOAD_ANNOTATE_ITT_ABI_H
#define THRACE_PRELOAD_ANNOTATE_ITT_ABI_H

#include <pthread.h>
#include <stdint.h>

/* One of the functions that the program may call: by *pointer, unless that is NULL. */
struct itt_function {
    const char *name;
    void **pointer;
    void *initial;
    void *uncollected; /* what the pointer is to be when the collector has no such function */
    uint32_t groups;
};

enum { ITT_MAJOR = 3 };

/* The program's side of it, one for each module that the static part was linked into. */
struct itt_global {
    uint8_t magic[8];
    unsigned long major, minor, build;
    volatile long initialized, mutex_initialized, counter;
    pthread_mutex_t mutex;
    void *library, *error_handler;
    const char **path;
    struct itt_function *functions; /* up to one without a name */
};

struct itt_id {
    unsigned long long d1, d2, d3; /* all 0: none */
};

struct itt_domain {
    volatile int flags; /* 0: it is off, and the program calls nothing for it */
    const char *name;   /* NULL: it has a name of wide characters */
    void *wide_name;
    int extra1;
    void *extra2;
    struct itt_domain *next;
};

struct itt_string {
    const char *text; /* NULL, as above */
    void *wide_text;
    int extra1;
    void *extra2;
    struct itt_string *next;
};

/* The type of a number that comes by its address. */
enum itt_type { ITT_U64 = 1, ITT_S64, ITT_U32, ITT_S32, ITT_U16, ITT_S16, ITT_FLOAT, ITT_DOUBLE };

#define ITT_TIMESTAMP_NOW UINT64_MAX

#endif
