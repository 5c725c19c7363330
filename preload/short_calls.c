#include "preload/short_calls.h"

#include <string.h>

#include "lib/meta.h"
#include "preload/config.h"
#include "preload/recorder.h"
#include "preload/service.h"

static struct short_calls of_process;

void short_calls_count(struct short_calls *s, uintptr_t leaf, uint64_t calls, uint64_t ticks)
{
    uint32_t i = (uint32_t)(leaf * UINT64_C(0x9e3779b97f4a7c15) >> 32) % (SHORT_CALL_FUNCTIONS - 1);
    struct short_call *f = &s->function[SHORT_CALL_FUNCTIONS - 1];
    for (int n = 0; n < SHORT_CALL_FUNCTIONS - 1; n++, i = (i + 1) % (SHORT_CALL_FUNCTIONS - 1)) {
        if (!s->function[i].leaf)
            s->function[i].leaf = leaf;
        if (s->function[i].leaf == leaf) {
            f = &s->function[i];
            break;
        }
    }
    f->calls += calls;
    f->ticks += ticks;
}

static void add(const struct short_calls *s)
{
    for (int i = 0; i < SHORT_CALL_FUNCTIONS; i++)
        if (s->function[i].calls)
            short_calls_count(&of_process, s->function[i].leaf, s->function[i].calls, s->function[i].ticks);
}

static void collect(struct short_calls *of_thread)
{
    add(of_thread);
    memset(of_thread, 0, sizeof *of_thread);
}

void short_calls_collect(struct short_calls *of_thread)
{
    if (!config.min_call)
        return;
    lock_take(&registry.lock);
    collect(of_thread);
    lock_drop(&registry.lock);
}

void short_calls_write(void)
{
    if (!config.min_call)
        return;
    lock_take(&registry.lock);
    for (struct thread *t = registry.threads; t; t = t->next)
        collect(&t->short_calls);
    lock_drop(&registry.lock);
    for (int i = 0; i < SHORT_CALL_FUNCTIONS; i++) {
        const struct short_call *f = &of_process.function[i];
        uint8_t buf[1 + 3 * VARINT_MAX];
        struct meta_record r;
        if (!f->calls)
            continue;
        meta_begin(&r, buf, sizeof buf, META_CALLS);
        meta_int(&r, f->leaf);
        meta_int(&r, f->calls);
        meta_int(&r, f->ticks);
        service_record(buf, (size_t)(r.p - buf));
    }
    memset(&of_process, 0, sizeof of_process);
}
