/*
 * Programs that were built with NVTX, Nvidia's interface for tracers, which is a header: at the first call it loads the
 * library that NVTX_INJECTION64_PATH names, and has its InitializeInjectionNvtx2 fill in tables of pointers. `thrace
 * record` names this library, which is there already.
 *
 * A handle of a domain or of a registered string is its name; NULL is the domain that is always there. What a function
 * returns to the program is what it returns without a library, but for these and for the numbers of ranges.
 */
#include "preload/annotate/nvtx_abi.h"

#include <stdbool.h>

#include "lib/options/options.h"
#include "lib/rawsys.h"
#include "preload/annotate/annotate.h"
#include "preload/annotate/nvtx_categories.h"
#include "preload/config.h"
#include "preload/recorder.h"

EXPORT int InitializeInjectionNvtx2(nvtx_get_table *get_table);

static bool listens(void) { return hooked() && config.annotations & ANNOTATIONS_NVTX; }

/* NULL: it has none, or one of wide characters. */
static struct name *message_of(const struct nvtx_attributes *a)
{
    if (!a || a->size < sizeof *a)
        return NULL;
    if (a->message_type == NVTX_REGISTERED)
        return a->message.registered;
    return a->message_type == NVTX_TEXT ? name_of(a->message.text) : NULL;
}

/* A range without a message has the name of its domain. */
static struct name *range_name(struct name *domain, const struct nvtx_attributes *a)
{
    struct name *n = message_of(a);
    return n ? n : domain;
}

/* --- ranges ------------------------------------------------------------------------------------------------------- */

static int push(struct name *n)
{
    annotate_region_begin(NULL, n, ANNOTATE_OWN_TASK);
    return NVTX_LEVEL_UNKNOWN;
}

static int domain_push(struct name *domain, const struct nvtx_attributes *a)
{
    return listens() ? push(range_name(domain, a)) : NVTX_LEVEL_UNKNOWN;
}

static int range_push_ex(const struct nvtx_attributes *a) { return domain_push(NULL, a); }
static int range_push(const char *text) { return listens() ? push(name_of(text)) : NVTX_LEVEL_UNKNOWN; }

static int range_pop(void)
{
    if (listens())
        annotate_region_end(NULL);
    return NVTX_LEVEL_UNKNOWN;
}

static int domain_pop(struct name *domain)
{
    return range_pop();
}

static uint64_t start(struct name *n)
{
    uint64_t task = annotate_new_task();
    annotate_task_begin(NULL, n, 0, task);
    return task;
}

static uint64_t domain_start(struct name *domain, const struct nvtx_attributes *a)
{
    return listens() ? start(range_name(domain, a)) : 0;
}

static uint64_t range_start_ex(const struct nvtx_attributes *a) { return domain_start(NULL, a); }
static uint64_t range_start(const char *text) { return listens() ? start(name_of(text)) : 0; }

static void range_end(uint64_t task)
{
    if (listens() && task)
        annotate_task_end(NULL, task);
}

static void domain_end(struct name *domain, uint64_t task)
{
    range_end(task);
}

/* --- marks -------------------------------------------------------------------------------------------------------- */

/* The name of its category, of its domain, or else of all this. */
static struct name *category_of(struct name *domain, const struct nvtx_attributes *a)
{
    struct name *n = a && a->size >= sizeof *a ? nvtx_category(domain, a->category) : NULL;
    return n ? n : domain ? domain : name_of("nvtx");
}

static void domain_mark(struct name *domain, const struct nvtx_attributes *a)
{
    if (!listens())
        return;
    struct name *message = message_of(a);
    annotate_message(NULL, category_of(domain, a), message ? message->text : NULL, message ? message->len : 0);
}

static void mark_ex(const struct nvtx_attributes *a) { domain_mark(NULL, a); }

static void mark(const char *text)
{
    if (listens())
        annotate_message(NULL, category_of(NULL, NULL), text, name_length(text, SIZE_MAX));
}

/* --- names -------------------------------------------------------------------------------------------------------- */

static void domain_name_category(struct name *domain, uint32_t category, const char *name)
{
    nvtx_name_category(domain, category, name_of(name));
}

static void name_category(uint32_t category, const char *name) { domain_name_category(NULL, category, name); }

/* A label is the calling thread's; what is said of others is not heard. */
static void name_thread(uint32_t tid, const char *name)
{
    if (listens() && tid == (uint32_t)sys_gettid())
        annotate_label(name_of(name));
}

static struct name *domain_create(const char *name) { return name_of(name); }

static struct name *register_string(struct name *domain, const char *text)
{
    return name_of(text);
}

/* --- the tables --------------------------------------------------------------------------------------------------- */

static const struct {
    enum nvtx_module module;
    unsigned place;
    void *function;
} taken[] = {
    {NVTX_CORE, NVTX_MarkEx, (void *)mark_ex},
    {NVTX_CORE, NVTX_MarkA, (void *)mark},
    {NVTX_CORE, NVTX_RangeStartEx, (void *)range_start_ex},
    {NVTX_CORE, NVTX_RangeStartA, (void *)range_start},
    {NVTX_CORE, NVTX_RangeEnd, (void *)range_end},
    {NVTX_CORE, NVTX_RangePushEx, (void *)range_push_ex},
    {NVTX_CORE, NVTX_RangePushA, (void *)range_push},
    {NVTX_CORE, NVTX_RangePop, (void *)range_pop},
    {NVTX_CORE, NVTX_NameCategoryA, (void *)name_category},
    {NVTX_CORE, NVTX_NameOsThreadA, (void *)name_thread},
    {NVTX_CORE2, NVTX_DomainMarkEx, (void *)domain_mark},
    {NVTX_CORE2, NVTX_DomainRangeStartEx, (void *)domain_start},
    {NVTX_CORE2, NVTX_DomainRangeEnd, (void *)domain_end},
    {NVTX_CORE2, NVTX_DomainRangePushEx, (void *)domain_push},
    {NVTX_CORE2, NVTX_DomainRangePop, (void *)domain_pop},
    {NVTX_CORE2, NVTX_DomainNameCategoryA, (void *)domain_name_category},
    {NVTX_CORE2, NVTX_DomainRegisterStringA, (void *)register_string},
    {NVTX_CORE2, NVTX_DomainCreateA, (void *)domain_create},
};

enum { NTAKEN = sizeof taken / sizeof taken[0] };

/* 1: done. 0: nothing can be, and the program makes all of these functions none, as it does with the others. */
int InitializeInjectionNvtx2(nvtx_get_table *get_table)
{
    const struct nvtx_callbacks *callbacks = get_table(NVTX_TABLE_OF_CALLBACKS);
    if (!callbacks || callbacks->size < sizeof *callbacks)
        return 0;
    for (int i = 0; i < NTAKEN; i++) {
        void ***table;
        unsigned size;
        if (callbacks->table(taken[i].module, &table, &size) == 1 && taken[i].place < size &&
            table[taken[i].place])
            *table[taken[i].place] = taken[i].function;
    }
    return 1;
}
