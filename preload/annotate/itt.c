/*
 * Programs that were built with ITT notify, Intel's interface for tracers: libtbb and libomp are. Their static part
 * loads the library that INTEL_LIBITTNOTIFY64 names when the first function is called, and has its __itt_api_init fill
 * in a table of pointers. `thrace record` names this library, which is there already, so that nothing is loaded.
 *
 * What a pointer is left NULL for costs the program a load and a branch: locks (sync), pausing, relations.
 */
#include "preload/annotate/itt_abi.h"

#include <string.h>

#include "lib/options/options.h"
#include "preload/annotate/annotate.h"
#include "preload/annotate/itt_counters.h"
#include "preload/annotate/itt_objects.h"
#include "preload/annotate/open_tasks.h"
#include "preload/config.h"
#include "preload/recorder.h"
#include "preload/thread.h"

EXPORT void __itt_api_init(struct itt_global *global, uint32_t groups);
EXPORT void __itt_api_fini(struct itt_global *global);

static bool listens(void) { return hooked() && config.annotations & ANNOTATIONS_ITT; }

static struct name *string_name(const struct itt_string *s)
{
    struct name *n = NULL;
    return !s || itt_string_is_ours(s, &n) ? n : name_of(s->text);
}

static struct name *domain_name(const struct itt_domain *d)
{
    struct name *n = NULL;
    return !d || itt_domain_is_ours(d, &n) ? n : name_of(d->name);
}

/* What has no name of its own has that of its domain. */
static struct name *name_in(const struct itt_domain *d, const struct itt_string *s)
{
    struct name *n = string_name(s);
    return n ? n : domain_name(d);
}

static struct itt_domain *domain_create(const char *name) { return name ? itt_domain_of(name_of(name)) : NULL; }
static struct itt_string *string_create(const char *text) { return text ? itt_string_of(name_of(text)) : NULL; }

/* --- tasks: those on a thread's stack are regions, the others tasks ----------------------------------------------- */

enum key_kind { KEY_TASK, KEY_FRAME };

static struct task_key key_of(enum key_kind kind, const struct itt_id *id)
{
    return (struct task_key){{kind, id->d1, id->d2, id->d3}};
}

/* The task that the program has begun by that identifier, if any. */
static uint64_t task_of(const struct itt_id *id)
{
    const struct task_key key = key_of(KEY_TASK, id);
    return id->d1 || id->d2 || id->d3 ? open_task_find(&key) : 0;
}

static void begin_region(struct name *n, const struct itt_id *parent)
{
    uint64_t task = task_of(parent);
    annotate_region_begin(NULL, n, task ? task : ANNOTATE_OWN_TASK);
}

static void begin_open_task(const struct task_key *key, struct name *n, uint64_t parent)
{
    if (open_task_again(key))
        return;
    uint64_t task = annotate_new_task();
    if (open_task_put(key, task))
        annotate_task_begin(NULL, n, parent, task);
    else
        count_lost(LOST_SAID, LOSS_ROOM);
}

static void end_open_task(const struct task_key *key)
{
    uint64_t task = open_task_end(key);
    if (task)
        annotate_task_end(NULL, task);
}

static void task_begin(const struct itt_domain *d, struct itt_id id, struct itt_id parent, const struct itt_string *s)
{
    if (listens())
        begin_region(name_in(d, s), &parent);
}

static void task_begin_fn(const struct itt_domain *d, struct itt_id id, struct itt_id parent, void *function)
{
    task_begin(d, id, parent, NULL);
}

static void task_begin_ex(const struct itt_domain *d, void *clock, unsigned long long time, struct itt_id id,
                          struct itt_id parent, const struct itt_string *s)
{
    task_begin(d, id, parent, s);
}

static void task_end(const struct itt_domain *d)
{
    if (listens())
        annotate_region_end(NULL);
}

static void task_end_ex(const struct itt_domain *d, void *clock, unsigned long long time)
{
    task_end(d);
}

static void overlapped_begin(const struct itt_domain *d, struct itt_id id, struct itt_id parent,
                             const struct itt_string *s)
{
    if (!listens())
        return;
    const struct task_key key = key_of(KEY_TASK, &id);
    begin_open_task(&key, name_in(d, s), task_of(&parent));
}

static void overlapped_end(const struct itt_domain *d, struct itt_id id)
{
    const struct task_key key = key_of(KEY_TASK, &id);
    if (listens())
        end_open_task(&key);
}

static void overlapped_begin_ex(const struct itt_domain *d, void *clock, unsigned long long time, struct itt_id id,
                                struct itt_id parent, const struct itt_string *s)
{
    overlapped_begin(d, id, parent, s);
}

static void overlapped_end_ex(const struct itt_domain *d, void *clock, unsigned long long time, struct itt_id id)
{
    overlapped_end(d, id);
}

/* --- frames: a domain's rounds, one after the other --------------------------------------------------------------- */

static struct task_key frame_key(const void *domain, const struct itt_id *id)
{
    return key_of(KEY_FRAME, id ? id : &(struct itt_id){(uintptr_t)domain, 0, 0});
}

static void frame_begin_v3(const struct itt_domain *d, const struct itt_id *id)
{
    const struct task_key key = frame_key(d, id);
    if (listens())
        begin_open_task(&key, domain_name(d), 0);
}

static void frame_end_v3(const struct itt_domain *d, const struct itt_id *id)
{
    const struct task_key key = frame_key(d, id);
    if (listens())
        end_open_task(&key);
}

static uint64_t get_timestamp(void) { return clock_mono_ns(); }

/* It is over already, and events are in the order of time: what is left to say is how long it took. */
static void frame_submit_v3(const struct itt_domain *d, const struct itt_id *id, uint64_t begin, uint64_t end)
{
    if (listens())
        annotate_count(domain_name(d), (int64_t)((end == ITT_TIMESTAMP_NOW ? get_timestamp() : end) - begin));
}

static struct name *frame_create(const char *domain) { return name_of(domain); }

static void frame_begin(struct name *frame)
{
    const struct task_key key = frame_key(frame, NULL);
    if (listens())
        begin_open_task(&key, frame, 0);
}

static void frame_end(struct name *frame)
{
    const struct task_key key = frame_key(frame, NULL);
    if (listens())
        end_open_task(&key);
}

/* --- threads and messages ----------------------------------------------------------------------------------------- */

static void thread_set_name(const char *name)
{
    if (listens())
        annotate_label(name_of(name));
}

static int thr_name_set(const char *name, int len)
{
    if (listens())
        annotate_label(name_intern(name, name_length(name, len > 0 ? (size_t)len : 0)));
    return 0;
}

static void say(struct name *category, const char *message, size_t max)
{
    annotate_message(NULL, category, message, name_length(message, max));
}

static void marker(const struct itt_domain *d, struct itt_id id, const struct itt_string *s, int scope)
{
    if (listens())
        say(domain_name(d), s ? s->text : NULL, SIZE_MAX);
}

static void marker_ex(const struct itt_domain *d, void *clock, unsigned long long time, struct itt_id id,
                      const struct itt_string *s, int scope)
{
    marker(d, id, s, scope);
}

/* A length of -1 is one up to the NUL. */
static void metadata_str_add(const struct itt_domain *d, struct itt_id id, const struct itt_string *key,
                             const char *data, size_t len)
{
    if (listens())
        say(name_in(d, key), data, len);
}

static void metadata_add(const struct itt_domain *d, struct itt_id id, const struct itt_string *key, enum itt_type type,
                         size_t count, const void *data)
{
    if (listens() && count == 1 && data)
        annotate_count(name_in(d, key), itt_number(data, type));
}

/* Marks and events are numbers to the program, from 1. */
static int number_of(const char *name, size_t max)
{
    struct name *n = name_intern(name, name_length(name, max));
    return n ? (int)n->number + 1 : 0;
}

static void say_numbered(int number, const char *message)
{
    struct name *n = number > 0 ? name_numbered((uint32_t)number - 1) : NULL;
    if (listens() && n)
        say(n, message, SIZE_MAX);
}

static int mark_create(const char *name) { return number_of(name, SIZE_MAX); }
static int event_create(const char *name, int len) { return number_of(name, len > 0 ? (size_t)len : 0); }

static int mark(int number, const char *parameter)
{
    say_numbered(number, parameter);
    return 0;
}

static int event_start(int number)
{
    say_numbered(number, "start");
    return 0;
}

static int event_end(int number)
{
    say_numbered(number, "end");
    return 0;
}

/* --- counters ----------------------------------------------------------------------------------------------------- */

static struct itt_counter *counter_create_typed(const char *name, const char *domain, enum itt_type type)
{
    return itt_counter_named(name_of(name), type);
}

static struct itt_counter *counter_create(const char *name, const char *domain)
{
    return counter_create_typed(name, domain, ITT_U64);
}

static struct itt_counter *counter_create_v3(const struct itt_domain *d, const char *name, enum itt_type type)
{
    return counter_create_typed(name, NULL, type);
}

static void counter_inc_delta(struct itt_counter *c, unsigned long long delta)
{
    if (c && listens())
        annotate_count(c->name, (int64_t)__atomic_add_fetch(&c->value, delta, __ATOMIC_RELAXED));
}

static void counter_inc(struct itt_counter *c) { counter_inc_delta(c, 1); }
static void counter_dec(struct itt_counter *c) { counter_inc_delta(c, -1ull); }
static void counter_dec_delta(struct itt_counter *c, unsigned long long delta) { counter_inc_delta(c, -delta); }

static void counter_set_value(struct itt_counter *c, const void *value)
{
    if (!c || !value || !listens())
        return;
    int64_t v = itt_number(value, c->type);
    __atomic_store_n(&c->value, (uint64_t)v, __ATOMIC_RELAXED);
    annotate_count(c->name, v);
}

static void counter_set_value_ex(struct itt_counter *c, void *clock, unsigned long long time, const void *value)
{
    counter_set_value(c, value);
}

static void counter_inc_delta_v3(const struct itt_domain *d, const struct itt_string *s, unsigned long long delta)
{
    if (listens())
        counter_inc_delta(itt_counter_named(name_in(d, s), ITT_U64), delta);
}

static void counter_dec_delta_v3(const struct itt_domain *d, const struct itt_string *s, unsigned long long delta)
{
    counter_inc_delta_v3(d, s, -delta);
}

static void counter_inc_v3(const struct itt_domain *d, const struct itt_string *s) { counter_inc_delta_v3(d, s, 1); }
static void counter_dec_v3(const struct itt_domain *d, const struct itt_string *s) { counter_dec_delta_v3(d, s, 1); }

/* --- the table ---------------------------------------------------------------------------------------------------- */

/* Programs ask for it to find out whether there is a collector. */
static const char *api_version(void) { return "thrace"; }

static const struct {
    const char *name;
    void *function;
} collected[] = {
#define THRACE_ITT(name, function) {"__itt_" #name, (void *)(function)},
#include "preload/annotate/itt.def"
#undef THRACE_ITT
};

enum { NCOLLECTED = sizeof collected / sizeof collected[0] };

static void *collected_by(const struct itt_function *f)
{
    for (int i = 0; i < NCOLLECTED; i++)
        if (!strcmp(f->name, collected[i].name))
            return collected[i].function;
    return f->uncollected;
}

/* In the static part's lock. A program that is not recorded, or not yet, finds functions that do nothing. */
void __itt_api_init(struct itt_global *global, uint32_t groups)
{
    static const uint8_t magic[] = {0xed, 0xab, 0xab, 0xec, 0x0d, 0xee, 0xda, 0x30};
    bool known = !memcmp(global->magic, magic, sizeof magic) && global->major == ITT_MAJOR;
    for (struct itt_function *f = known ? global->functions : NULL; f && f->name; f++)
        *f->pointer = f->groups & groups ? collected_by(f) : f->uncollected;
}

void __itt_api_fini(struct itt_global *global) {}
