#include "parser/as_v2/names.h"

#include <stdlib.h>
#include <string.h>

/* The number of a string, which is added when it is new; 0: out of memory. Those that are one have one address. */
static uint64_t string_number(struct generation *g, struct idmap *numbers, const char *s)
{
    uint64_t key = (uintptr_t)s, id = g->strings.n;
    uint32_t number = idmap_get(numbers, key);
    if (number)
        return number;
    if (id >= UINT32_MAX || !VEC_ROOM(&g->strings) || !idmap_add(&g->string_of, id, (uint32_t)id + 1) ||
        !idmap_add(numbers, key, (uint32_t)id))
        return 0;
    g->strings.v[g->strings.n++] = (struct gotrace_str){s, strlen(s)};
    return id;
}

static bool put_names(struct generation *g, const struct as_v2_name *names)
{
    struct idmap numbers = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < g->frames.n; i++) {
        struct frame *frame = &g->frames.v[i];
        if (names[i].function)
            ok = (frame->function = string_number(g, &numbers, names[i].function)) != 0;
        if (ok && names[i].file)
            ok = (frame->file = string_number(g, &numbers, names[i].file)) != 0;
        frame->line = names[i].line;
    }
    idmap_free(&numbers);
    return ok;
}

bool as_v2_name_frames(struct as_v2 *v, as_v2_name_fn *look_up, void *arg, struct failure *f)
{
    static const struct place nowhere = {.thread = ID_NONE};
    struct generation *g = v->tables;
    size_t n = g->frames.n;
    if (v->trace.form.names || !n)
        return true;
    uint64_t *pcs = malloc(n * sizeof *pcs);
    struct as_v2_name *names = calloc(n, sizeof *names);
    bool ok = pcs && names;
    for (size_t i = 0; ok && i < n; i++)
        pcs[i] = g->frames.v[i].pc;
    const char *why = ok ? look_up(arg, &v->trace, pcs, n, names) : NULL;
    ok = ok && !why && put_names(g, names);
    if (why)
        fail(f, GOTRACE_EREAD, nowhere, "%s", why);
    else if (!ok)
        fail(f, GOTRACE_ENOMEM, nowhere, "out of memory");
    free(pcs);
    free(names);
    return ok;
}
