#include "preload/annotate/itt_objects.h"

#include <stddef.h>

/* By the number of the name; NAMES_MAX is that of too many names, and the last is for the empty one. */
enum { EMPTY = NAMES_MAX + 1, OBJECTS };
static struct itt_domain domains[OBJECTS];
static struct itt_string strings[OBJECTS];

static uint32_t index_of(const struct name *name) { return name ? name->number : EMPTY; }
static const char *text_of(const struct name *name) { return name ? name->text : ""; }

/* Who comes later stores the same; a program that has turned its domain off finds it so. */
struct itt_domain *itt_domain_of(struct name *name)
{
    struct itt_domain *d = &domains[index_of(name)];
    if (!__atomic_load_n(&d->name, __ATOMIC_ACQUIRE)) {
        d->flags = 1;
        __atomic_store_n(&d->name, text_of(name), __ATOMIC_RELEASE);
    }
    return d;
}

struct itt_string *itt_string_of(struct name *name)
{
    struct itt_string *s = &strings[index_of(name)];
    __atomic_store_n(&s->text, text_of(name), __ATOMIC_RELEASE);
    return s;
}

bool itt_domain_is_ours(const struct itt_domain *d, struct name **name)
{
    if (d < domains || d >= domains + OBJECTS)
        return false;
    *name = name_numbered((uint32_t)(d - domains));
    return true;
}

bool itt_string_is_ours(const struct itt_string *s, struct name **name)
{
    if (s < strings || s >= strings + OBJECTS)
        return false;
    *name = name_numbered((uint32_t)(s - strings));
    return true;
}
