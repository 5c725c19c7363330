#include "preload/session/slots.h"

#include <stddef.h>

#include "preload/real.h"
#include "preload/recorder.h"
#include "preload/references.h"

/* A slot that leads elsewhere than the program's own calls was meant for somebody else. */
static const void *ours(const struct reference *r)
{
    struct real_hook hook;
    if (!r->value || !real_find_hook(r->name, r->version, &hook))
        return NULL;
    return r->unbound || r->value == hook.before_us ? hook.wrapper : NULL;
}

static const void *theirs(const struct reference *r)
{
    struct real_hook hook;
    return is_in_library(r->value) && real_find_hook(r->name, r->version, &hook) ? hook.before_us : NULL;
}

unsigned slots_take(void) { return references_change(ours); }
unsigned slots_give_back(void) { return references_change(theirs); }
