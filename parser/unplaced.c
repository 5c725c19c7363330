#include "parser/unplaced.h"

#include "parser/reader.h"

/* The cursor's own event and what follows it. */
static size_t left_of(struct cursor *c, const struct generation *g)
{
    struct failure ignored = {0};
    size_t n = 1;
    while (cursor_next(c, g, &ignored) == CURSOR_OK)
        n++;
    return n;
}

uint64_t reader_unplaced(struct gotrace_reader *r, void (*each)(void *arg, uint64_t thread, size_t n), void *arg)
{
    const struct gotrace_error *err = &r->failure.error;
    if (err->status != GOTRACE_EBROKEN || !r->loaded || err->generation != r->generation.number)
        return 0;
    bool any = false;
    for (size_t i = 0; i < r->frontier.n; i++) {
        struct cursor *c = frontier_cursor(&r->frontier, i);
        if (!r->stuck && c->id != err->thread)
            continue;
        uint64_t id = c->id;
        any = true;
        each(arg, id, left_of(c, &r->generation));
    }
    return any ? r->generation.number : 0;
}
