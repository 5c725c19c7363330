/*
 * itt: a program that was built with ITT notify, as far as a collector can see: it has a table of functions, loads the
 * library that INTEL_LIBITTNOTIFY64 names when it is there, and calls what that has put into the table. What a trace
 * has of these calls is printed.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <sys/resource.h>

#include "program.h"

typedef struct { unsigned long long d1, d2, d3; } id_t3;
struct domain {
    volatile int flags;
    const char *name;
    void *wide;
    int extra;
    void *extra2;
    struct domain *next;
};
struct string {
    const char *text;
    void *wide;
    int extra;
    void *extra2;
    struct string *next;
};

/* X(result, name, parameters, groups) */
enum { CONTROL = 1 << 1, THREAD = 1 << 2, MARK = 1 << 3, SYNC = 1 << 4, COUNTER = 1 << 8, FRAME = 1 << 9,
       STRUCTURE = 1 << 12 };
#define FUNCTIONS(X)                                                                                                   \
    X(void, pause, (void), CONTROL)                                                                                    \
    X(void, sync_prepare, (void *), SYNC)                                                                              \
    X(void, thread_set_name, (const char *), THREAD)                                                                   \
    X(int, thr_name_set, (const char *, int), THREAD)                                                                  \
    X(struct domain *, domain_create, (const char *), STRUCTURE)                                                       \
    X(struct string *, string_handle_create, (const char *), STRUCTURE)                                                \
    X(unsigned long long, get_timestamp, (void), STRUCTURE)                                                            \
    X(void, task_begin, (struct domain *, id_t3, id_t3, struct string *), STRUCTURE)                                   \
    X(void, task_begin_ex, (struct domain *, void *, unsigned long long, id_t3, id_t3, struct string *), STRUCTURE)    \
    X(void, task_begin_fn, (struct domain *, id_t3, id_t3, void *), STRUCTURE)                                         \
    X(void, task_end, (struct domain *), STRUCTURE)                                                                    \
    X(void, task_end_ex, (struct domain *, void *, unsigned long long), STRUCTURE)                                     \
    X(void, task_begin_overlapped, (struct domain *, id_t3, id_t3, struct string *), STRUCTURE)                        \
    X(void, task_begin_overlapped_ex, (struct domain *, void *, unsigned long long, id_t3, id_t3, struct string *),    \
      STRUCTURE)                                                                                                       \
    X(void, task_end_overlapped, (struct domain *, id_t3), STRUCTURE)                                                  \
    X(void, task_end_overlapped_ex, (struct domain *, void *, unsigned long long, id_t3), STRUCTURE)                   \
    X(void, region_begin, (struct domain *, id_t3, id_t3, struct string *), STRUCTURE)                                 \
    X(void, region_end, (struct domain *, id_t3), STRUCTURE)                                                           \
    X(void, frame_begin_v3, (struct domain *, id_t3 *), STRUCTURE)                                                     \
    X(void, frame_end_v3, (struct domain *, id_t3 *), STRUCTURE)                                                       \
    X(void, frame_submit_v3, (struct domain *, id_t3 *, unsigned long long, unsigned long long), STRUCTURE)            \
    X(void *, frame_create, (const char *), FRAME)                                                                     \
    X(void, frame_begin, (void *), FRAME)                                                                              \
    X(void, frame_end, (void *), FRAME)                                                                                \
    X(void, marker, (struct domain *, id_t3, struct string *, int), STRUCTURE)                                         \
    X(void, marker_ex, (struct domain *, void *, unsigned long long, id_t3, struct string *, int), STRUCTURE)          \
    X(void, metadata_add, (struct domain *, id_t3, struct string *, int, size_t, void *), STRUCTURE)                   \
    X(void, metadata_str_add, (struct domain *, id_t3, struct string *, const char *, size_t), STRUCTURE)              \
    X(int, mark_create, (const char *), MARK)                                                                          \
    X(int, mark, (int, const char *), MARK)                                                                            \
    X(int, mark_off, (int), MARK)                                                                                      \
    X(int, mark_global, (int, const char *), MARK)                                                                     \
    X(int, event_create, (const char *, int), MARK)                                                                    \
    X(int, event_start, (int), MARK)                                                                                   \
    X(int, event_end, (int), MARK)                                                                                     \
    X(void *, counter_create, (const char *, const char *), COUNTER)                                                   \
    X(void *, counter_create_typed, (const char *, const char *, int), COUNTER)                                        \
    X(void *, counter_create_v3, (struct domain *, const char *, int), COUNTER)                                        \
    X(void, counter_inc, (void *), COUNTER)                                                                            \
    X(void, counter_inc_delta, (void *, unsigned long long), COUNTER)                                                  \
    X(void, counter_dec, (void *), COUNTER)                                                                            \
    X(void, counter_dec_delta, (void *, unsigned long long), COUNTER)                                                  \
    X(void, counter_set_value, (void *, void *), COUNTER)                                                              \
    X(void, counter_set_value_v3, (void *, void *), COUNTER)                                                           \
    X(void, counter_set_value_ex, (void *, void *, unsigned long long, void *), COUNTER)                               \
    X(void, counter_inc_v3, (struct domain *, struct string *), STRUCTURE)                                             \
    X(void, counter_inc_delta_v3, (struct domain *, struct string *, unsigned long long), STRUCTURE)                   \
    X(void, counter_dec_v3, (struct domain *, struct string *), STRUCTURE)                                             \
    X(void, counter_dec_delta_v3, (struct domain *, struct string *, unsigned long long), STRUCTURE)                   \
    X(const char *, api_version, (void), ~1)

#define POINTER(result, name, parameters, groups) static result(*itt_##name) parameters;
FUNCTIONS(POINTER)

static const struct function {
    const char *name;
    void **pointer, *initial, *uncollected;
    unsigned groups;
} functions[] = {
#define ROW(result, name, parameters, groups) {"__itt_" #name, (void **)(void *)&itt_##name, NULL, NULL, groups},
    FUNCTIONS(ROW){NULL, NULL, NULL, NULL, 0}};

static struct global {
    unsigned char magic[8];
    unsigned long major, minor, build;
    long initialized, mutex_initialized, counter;
    pthread_mutex_t mutex;
    void *library, *error_handler;
    const char **path;
    const struct function *functions;
    void *rest[8];
} global = {.magic = {0xed, 0xab, 0xab, 0xec, 0x0d, 0xee, 0xda, 0x30},
            .major = 3,
            .minor = 18,
            .build = 20180723,
            .mutex = PTHREAD_MUTEX_INITIALIZER,
            .functions = functions};

static bool apart; /* as a module does it that was loaded into a namespace of its own */

/* As the static part does it. */
static void initialize(unsigned groups)
{
    const char *path = getenv("INTEL_LIBITTNOTIFY64");
    global.library = !path ? NULL : apart ? dlmopen(LM_ID_NEWLM, path, RTLD_LAZY) : dlopen(path, RTLD_LAZY);
    if (!global.library)
        return;
    void (*init)(struct global *, unsigned) =
        (void (*)(struct global *, unsigned))(uintptr_t)dlsym(global.library, "__itt_api_init");
    CHECK(init && dlsym(global.library, "__itt_api_fini"));
    init(&global, groups);
}

/* As the macros of ittnotify.h do it. */
#define CALL(name, ...) (itt_##name ? itt_##name(__VA_ARGS__) : (void)0)
#define GET(name, ...) (itt_##name ? itt_##name(__VA_ARGS__) : 0)

static struct domain domain = {.flags = 1, .name = "domain"}, nameless = {.flags = 1};
static struct string outer = {.text = "outer"}, inner = {.text = "inner"}, request = {.text = "request"},
                     part = {.text = "part"}, note = {.text = "note"};
static const id_t3 none = {0, 0, 0}, first = {1, 2, 3}, second = {1, 2, 4};

/* Objects that the collector makes are the same for the same name, and the program may look at their names. */
static NOINLINE void made(void)
{
    struct domain *d = GET(domain_create, "made"), *empty = GET(domain_create, "");
    struct string *s = GET(string_handle_create, "by name");
    if (!d)
        return;
    CHECK(d->flags && !strcmp(d->name, "made") && d == itt_domain_create("made") && !itt_domain_create(NULL));
    CHECK(!strcmp(s->text, "by name") && s == itt_string_handle_create("by name") && !itt_string_handle_create(NULL));
    CHECK(empty && empty != d && !*empty->name);
    d->flags = 0;
    CHECK(itt_domain_create("made") == d && !d->flags);
    CALL(task_begin, d, none, none, s);
    CALL(task_begin, d, none, none, NULL);
    CALL(task_begin, empty, none, none, NULL);
    CALL(task_end, empty);
    CALL(task_end, d);
    CALL(task_end, d);
    NO_TAIL_CALL();
}

static NOINLINE void nested(void)
{
    CALL(task_begin, &domain, none, none, &outer);
    CALL(task_begin_ex, &domain, NULL, 0, none, none, &inner);
    CALL(task_begin_fn, &domain, none, none, NULL);
    CALL(task_end, &domain);
    CALL(task_end_ex, &domain, NULL, 0);
    CALL(task_end, &domain);
    CALL(task_begin, &nameless, none, none, NULL);
    CALL(task_end, &nameless);
    NO_TAIL_CALL();
}

static void *regions(void *self)
{
    introduce(self);
    errno = 77;
    nested();
    made();
    CHECK(errno == 77);
    return NULL;
}

static void *ends_it(void *self)
{
    introduce(self);
    CALL(thread_set_name, "ends what another one began");
    CALL(task_end_overlapped, &domain, first);
    CALL(task_end_overlapped, &domain, first); /* nothing is open by that name any more */
    return NULL;
}

static void *tasks(void *self)
{
    static struct thread other;
    introduce(self);
    CALL(task_begin_overlapped, &domain, first, none, &request);
    CALL(task_begin_overlapped_ex, &domain, NULL, 0, second, first, &part);
    CALL(task_begin, &domain, none, second, &inner); /* a region of that task */
    CALL(task_end, &domain);
    CALL(task_end_overlapped_ex, &domain, NULL, 0, second);
    CALL(task_begin_overlapped, &domain, second, none, &part); /* the same name once more is another task */
    spawn(&other, ends_it);
    join(&other);
    CALL(task_end_overlapped, &domain, second);
    CALL(region_begin, &domain, first, none, &note);
    CALL(region_begin, &domain, first, none, &part); /* it is open until it has ended as often */
    CALL(region_end, &domain, first);
    CALL(region_end, &domain, first);
    CALL(region_end, &domain, first);
    return NULL;
}

static void *frames(void *self)
{
    id_t3 a = {9, 0, 0}, b = {9, 0, 1};
    void *old = GET(frame_create, "old");
    introduce(self);
    CALL(frame_begin_v3, &domain, NULL);
    CALL(frame_begin_v3, &nameless, NULL);
    CALL(frame_end_v3, &nameless, NULL);
    CALL(frame_begin_v3, &nameless, &a);
    CALL(frame_begin_v3, &domain, &b);
    CALL(frame_end_v3, &nameless, &a);
    CALL(frame_end_v3, &domain, NULL);
    CALL(frame_end_v3, &domain, &b);
    CALL(frame_begin, old);
    CALL(frame_end, old);
    CALL(frame_submit_v3, &domain, NULL, 1000, 251000);
    return NULL;
}

static void *messages(void *self)
{
    unsigned long long u64 = 1ull << 63;
    int s32 = -5;
    unsigned short u16 = 65535;
    float third = -2.75f;
    introduce(self);
    CALL(pause);
    CALL(sync_prepare, self);
    CHECK(GET(thr_name_set, "speaker, cut", 7) == 0);
    CALL(marker, &domain, none, &note, 0);
    CALL(marker_ex, &domain, NULL, 0, none, NULL, 0);
    CALL(metadata_str_add, &domain, none, &note, "twelve bytes and more", 12);
    CALL(metadata_str_add, &domain, none, &note, "all", (size_t)-1);
    CALL(metadata_add, &domain, none, &note, 1, 1, &u64);
    CALL(metadata_add, &domain, none, &note, 4, 1, &s32);
    CALL(metadata_add, &domain, none, &note, 5, 1, &u16);
    CALL(metadata_add, &domain, none, &note, 7, 1, &third);
    CALL(metadata_add, &domain, none, &note, 4, 2, &s32);
    int mark = GET(mark_create, "mark"), event = GET(event_create, "event, cut", 5);
    CHECK(GET(mark, mark, "one") == 0 && GET(mark_global, mark, NULL) == 0 && GET(mark_off, mark) == 0);
    CHECK(GET(event_start, event) == 0 && GET(event_end, event) == 0 && GET(event_start, 0) == 0);
    CHECK(GET(event_start, 4711) == 0);
    return NULL;
}

static void *counters(void *self)
{
    double half = 0.5;
    long long big = INT64_MIN;
    introduce(self);
    void *count = GET(counter_create, "count", "some"), *real = GET(counter_create_typed, "real", "some", 8);
    void *v3 = GET(counter_create_v3, &domain, "v3", 2);
    CHECK(count == GET(counter_create, "count", "some"));
    CALL(counter_inc, count);
    CALL(counter_inc_delta, count, 41);
    CALL(counter_dec_delta, count, 50);
    CALL(counter_dec, count);
    CALL(counter_set_value, real, &half);
    CALL(counter_set_value_v3, v3, &big);
    CALL(counter_set_value_ex, real, NULL, 0, &(double){1e300});
    CALL(counter_set_value, count, &(unsigned long long){5});
    CALL(counter_inc, count);
    CALL(counter_inc, NULL);
    CALL(counter_inc_v3, &domain, &note);
    CALL(counter_inc_delta_v3, &domain, &note, 9);
    CALL(counter_dec_v3, &domain, &note);
    CALL(counter_dec_delta_v3, &domain, &note, 10);
    return NULL;
}

int main(int argc, char **argv)
{
    static void *(*const all[])(void *) = {regions, tasks, frames, messages, counters};
    static struct thread threads[5];
    bool untaken = argc > 1 && !strcmp(argv[1], "untaken"); /* a recording that takes no such annotations */
    if (argc > 1 && !strcmp(argv[1], "no-files")) { /* nothing can be opened any more */
        CHECK(setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, 0}) == 0);
        argc = 1;
    }
    if (argc > 1 && !strcmp(argv[1], "apart"))
        untaken = apart = true;
    initialize(argc > 1 && !strcmp(argv[1], "grouped") ? THREAD : ~0u);
    for (int i = 0; i < 5; i++) {
        spawn(&threads[i], all[i]);
        join(&threads[i]);
    }
    CHECK(!itt_pause && !itt_sync_prepare && !itt_mark_off);
    CHECK(!itt_get_timestamp || itt_get_timestamp() > 1000);
    if (untaken || argc > 1) {
        puts(untaken ? "trace: annotations ends_it" : "trace: annotations ends_it label:ends_what_another_one_began");
        puts("trace: annotations regions\ntrace: annotations tasks\ntrace: annotations frames");
        puts(untaken ? "trace: annotations messages" : "trace: annotations messages label:speaker");
        puts("trace: annotations counters");
        return 0;
    }
    puts("trace: annotations regions region+outer region+inner region+domain region-domain region-inner region-outer "
         "region+ region- region+by_name region+made region+ region- region-made region-by_name");
    puts("trace: annotations tasks task+request task+part+request region+inner@part region-inner@part task-part "
         "task+part task-part task+note task-note");
    puts("trace: annotations ends_it label:ends_what_another_one_began task-request");
    puts("trace: annotations frames task+domain task+ task- task+ task+domain task- task-domain task-domain "
         "task+old task-old log:domain=250000");
    puts("trace: annotations messages label:speaker log:domain=note log:domain= log:note=twelve_bytes "
         "log:note=all log:note=9223372036854775807 log:note=-5 log:note=65535 log:note=-2 log:mark=one log:mark= "
         "log:event=start log:event=end");
    puts("trace: annotations counters log:count=1 log:count=42 log:count=-8 log:count=-9 log:real=0 "
         "log:v3=-9223372036854775808 log:real=9223372036854775807 log:count=5 log:count=6 log:note=1 "
         "log:note=10 log:note=9 log:note=-1");
    return 0;
}
