/*
 * Types come from a file that nobody vouches for: they may refer to each other in circles, be larger than memory, or
 * hold members that are not in them. So steps are counted, and an offset only gets smaller.
 */
#include "config.h"

#include "lib/symbolize/type_path.h"

#include <inttypes.h>
#include <string.h>

#include "lib/symbolize/dwarf_names.h"

enum { MAX_HOPS = 32, MAX_DEPTH = 64, MAX_ARRAYS = 8, MAX_DIMENSIONS = 8, POINTER = 8 };

#define MAX_SIZE (UINT64_C(1) << 47)

struct type type_of(struct dwarf_unit *unit, const struct dwarf_die *d)
{
    struct type t;
    t.unit = dwarf_follow(unit, d, AT_TYPE, &t.die);
    return t;
}

static bool is_sync(const struct type *t)
{
    static const char *const names[] = {
        "pthread_mutex_t", "pthread_cond_t", "pthread_rwlock_t", "pthread_barrier_t", "pthread_spinlock_t",
        "pthread_once_t",  "sem_t",          "mtx_t",            "cnd_t",             "once_flag",
        "omp_lock_t",      "omp_nest_lock_t", "GMutex",          "GCond"};
    const char *name = dwarf_string(t->unit, &t->die, AT_NAME);
    for (size_t i = 0; name && i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* Steps from names of types to what they name, up to the name of a lock. False: there is nothing. */
static bool strip(struct type *t)
{
    for (int hops = 0; t->unit && hops < MAX_HOPS; hops++) {
        switch (t->die.tag) {
        case DW_TAG_typedef:
            if (is_sync(t))
                return true;
            /* fall through */
        case DW_TAG_const_type:
        case DW_TAG_volatile_type:
        case DW_TAG_restrict_type:
        case DW_TAG_atomic_type:
            t->unit = dwarf_follow(t->unit, &t->die, AT_TYPE, &t->die);
            break;
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
        case DW_TAG_union_type:
            if (!dwarf_has(&t->die, AT_SIGNATURE))
                return true;
            t->unit = dwarf_follow(t->unit, &t->die, AT_SIGNATURE, &t->die);
            break;
        default:
            return true;
        }
    }
    return false;
}

static uint64_t size_of(struct type t, int arrays);

struct array {
    struct type element;
    uint64_t size, counts[MAX_DIMENSIONS]; /* size: of an element; a count is 0 when it is not known */
    size_t dimensions;
};

/* The children of a DIE, one after the other: true while there is one, and *at behind it. */
static bool next_child(struct dwarf_unit *u, uint64_t *at, struct dwarf_die *d)
{
    if (!*at || !dwarf_die_begin(u, *at, d) || !d->abbrev || !dwarf_die_attributes(u, d))
        return false;
    *at = d->children ? dwarf_die_after_children(u, d) : d->next;
    return true;
}

/* An array without elements has -1 as its upper bound, in whatever size. */
static uint64_t count_of(const struct dwarf_die *dimension)
{
    uint64_t n;
    if (dwarf_constant(dimension, AT_ELEMENTS, &n))
        return n;
    return dwarf_constant(dimension, AT_UPPER_BOUND, &n) && n < UINT32_MAX ? n + 1 : 0;
}

static bool read_array(const struct type *t, struct array *a, int arrays)
{
    struct dwarf_die d;
    uint64_t at = t->die.next;
    a->element = type_of(t->unit, &t->die);
    a->size = size_of(a->element, arrays + 1);
    a->dimensions = 0;
    while (t->die.children && next_child(t->unit, &at, &d) && a->dimensions < MAX_DIMENSIONS)
        if (d.tag == DW_TAG_subrange_type)
            a->counts[a->dimensions++] = count_of(&d);
    return a->size && a->dimensions;
}

/* The elements from one of this dimension to the next one. 0: not known, or too many. */
static uint64_t stride(const struct array *a, size_t dimension)
{
    uint64_t bytes = a->size;
    for (size_t i = a->dimensions; i-- > dimension + 1;) {
        if (!a->counts[i] || bytes > MAX_SIZE / a->counts[i])
            return 0;
        bytes *= a->counts[i];
    }
    return bytes;
}

static uint64_t size_of(struct type t, int arrays)
{
    uint64_t size = 0;
    /* The name of a lock does not say its size. */
    for (int hops = 0; strip(&t) && t.die.tag == DW_TAG_typedef && hops < MAX_HOPS; hops++)
        t = type_of(t.unit, &t.die);
    if (!t.unit || dwarf_constant(&t.die, AT_BYTE_SIZE, &size))
        return size <= MAX_SIZE ? size : 0;
    struct array a;
    switch (t.die.tag) {
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
        return POINTER;
    case DW_TAG_array_type:
        if (arrays == MAX_ARRAYS || !read_array(&t, &a, arrays))
            return 0;
        size = stride(&a, 0);
        return a.counts[0] && size <= MAX_SIZE / a.counts[0] ? size * a.counts[0] : 0;
    default:
        return 0;
    }
}

uint64_t type_size(const struct type *t) { return size_of(*t, 0); }

/* Where a class was declared, if it is defined elsewhere: there it has its name, and its namespace around it. */
static struct type declaration_of(const struct type *t)
{
    struct type at = *t;
    at.unit = dwarf_follow(t->unit, &t->die, AT_SPECIFICATION, &at.die);
    return at.unit ? at : *t;
}

/* The libraries of C++ and Rust: what their types consist of says nothing to those who use them. */
static bool is_of_library(struct type_origins *known, const struct type *t)
{
    uint64_t parents[MAX_DEPTH];
    struct dwarf_die d;
    struct type_origin *slot = &known->v[t->die.offset % (sizeof known->v / sizeof known->v[0])];
    if (slot->unit == t->unit && slot->offset == t->die.offset)
        return slot->of_library;
    *slot = (struct type_origin){t->unit, t->die.offset, false};
    struct type at = declaration_of(t);
    if (dwarf_parents(at.unit, at.die.offset, parents, MAX_DEPTH) && dwarf_die_read(at.unit, parents[0], &d) &&
        d.tag == DW_TAG_namespace) {
        const char *name = dwarf_string(at.unit, &d, AT_NAME);
        slot->of_library = name && (!strcmp(name, "std") || !strcmp(name, "__gnu_cxx") || !strcmp(name, "core") ||
                                    !strcmp(name, "alloc"));
    }
    return slot->of_library;
}

static bool enter_element(struct type *t, uint64_t *offset, struct text *path)
{
    struct array a;
    uint64_t rest = *offset, indices[MAX_DIMENSIONS];
    if (!read_array(t, &a, 0))
        return false;
    for (size_t i = 0; i < a.dimensions; i++) {
        uint64_t bytes = stride(&a, i);
        if (!bytes || (a.counts[i] && rest / bytes >= a.counts[i]))
            return false;
        indices[i] = rest / bytes;
        rest %= bytes;
    }
    for (size_t i = 0; i < a.dimensions; i++)
        text_add(path, "[%" PRIu64 "]", indices[i]);
    *t = a.element;
    *offset = rest;
    return true;
}

/* A static member is only declared in its class, and bits are no object. */
static bool is_part(const struct dwarf_die *d)
{
    return d->tag == DW_TAG_inheritance ||
           (d->tag == DW_TAG_member && !dwarf_has(d, AT_DECLARATION) && !dwarf_has(d, AT_BIT_SIZE));
}

/* Rust numbers the members of tuples. */
static const char *member_name(const struct type *t, const struct dwarf_die *d)
{
    const char *name = dwarf_string(t->unit, d, AT_NAME);
    return name && !strncmp(name, "__", 2) && name[2] >= '0' && name[2] <= '9' ? name + 2 : name;
}

/* A member or base class that may hold the offset; without a type there is none. */
struct part {
    struct type type;
    uint64_t at;
    const char *name; /* NULL: it has none, and adds nothing to the path */
};

/*
 * The first member that holds the offset, or else the first base class: an empty one takes a byte that it shares with
 * a member. Or else the last member before it whose size nobody says: it is only declared, or an array without end.
 */
static bool enter_member(struct type *t, uint64_t *offset, struct text *path, bool nameless)
{
    struct dwarf_die d;
    struct part held = {.at = 0}, open = {.at = 0};
    uint64_t at = t->die.next;
    while (t->die.children && next_child(t->unit, &at, &d)) {
        struct part part = {.name = member_name(t, &d)};
        if (!is_part(&d) || !dwarf_member_offset(t->unit, &d, &part.at) || part.at > *offset)
            continue;
        part.type = type_of(t->unit, &d);
        uint64_t size = type_size(&part.type);
        if (!size && part.type.unit && part.at >= open.at)
            open = part;
        if (*offset - part.at >= size || (d.tag == DW_TAG_inheritance && held.type.unit))
            continue;
        held = part;
        if (d.tag == DW_TAG_member)
            break;
    }
    const struct part *found = held.type.unit ? &held : &open;
    if (!found->type.unit)
        return false;
    if (found->name && !nameless)
        text_add(path, ".%s", found->name);
    *t = found->type;
    *offset -= found->at;
    return true;
}

/* An array with methods, as C++ has it, is an array. */
static bool is_array_class(const struct type *t)
{
    struct type at = declaration_of(t);
    const char *name = dwarf_string(at.unit, &at.die, AT_NAME);
    return name && !strncmp(name, "array<", 6);
}

void type_path(struct type_origins *origins, const struct type *variable, uint64_t offset, struct text *path)
{
    struct type t = *variable;
    bool inside = true;
    for (int depth = 0; depth < MAX_DEPTH && inside && strip(&t); depth++) {
        bool of_library;
        if (is_sync(&t))
            return;
        switch (t.die.tag) {
        case DW_TAG_array_type:
            inside = enter_element(&t, &offset, path);
            break;
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
        case DW_TAG_union_type:
            of_library = is_of_library(origins, &t);
            if (of_library && !is_array_class(&t))
                return;
            inside = enter_member(&t, &offset, path, of_library);
            break;
        default:
            inside = false;
        }
    }
    if (offset)
        text_add(path, "+0x%" PRIx64, offset);
}
