#include "preload/examiner/examine.h"

#include <string.h>

#include "preload/attributes.h"
#include "preload/examiner/decode.h"
#include "preload/examiner/image.h"
#include "preload/examiner/landing.h"
#include "preload/examiner/reach.h"

/* --- a function --------------------------------------------------------------------------------------------------- */

enum { FUNCTION_MAX = 1 << 20, BEFORE_MAX = 4, LOOK_BACK = 8 };

/* Where its instructions begin: a bit for each byte. */
static uint8_t begins[FUNCTION_MAX / 8];

/* Where its own branches and jumps lead to. */
static uint8_t entered[FUNCTION_MAX / 8];

static bool is_entered(const struct cfi_fde *f, uintptr_t at)
{
    return entered[(at - f->start) / 8] >> (at - f->start) % 8 & 1;
}

static bool does_begin(const struct cfi_fde *f, uintptr_t at)
{
    return begins[(at - f->start) / 8] >> (at - f->start) % 8 & 1;
}

/* The last instructions, as they stand one behind the other, since something could branch away. */
struct past {
    struct decoded d[LOOK_BACK];
    unsigned n;
};

static const struct decoded *maker_of(const struct past *past, int number, unsigned *i)
{
    while ((*i)-- > 0)
        for (unsigned k = 0; k < 4; k++)
            if (past->d[*i].writes[k] == number)
                return &past->d[*i];
    *i = 0;
    return NULL;
}

/*
 * A jump through a register goes to an entry of a table that was added to the table's address, or to where a pointer
 * in memory says, as at the end of a function that calls another one. Both are found by reach_find; an address that is
 * computed in another way would not be.
 */
static bool is_understood(const struct past *past, int number)
{
    unsigned i = past->n;
    const struct decoded *maker = maker_of(past, number, &i);
    if (!maker || maker->writes[0] != number || maker->writes[1] >= 0)
        return false;
    if (maker->makes == MAKES_LOADED)
        return true;
    if (maker->makes != MAKES_SUM)
        return false;
    unsigned before = i, before_other = i;
    const struct decoded *one = maker_of(past, number, &before), *other = maker_of(past, maker->other, &before_other);
    return (one && one->makes == MAKES_OFFSET) || (other && other->makes == MAKES_OFFSET);
}

static void remember(struct past *past, const struct decoded *d)
{
    if (past->n == LOOK_BACK)
        memmove(&past->d[0], &past->d[1], sizeof past->d[0] * --past->n);
    past->d[past->n++] = *d;
    if (d->flow != FLOW_ON && d->flow != FLOW_BRANCH)
        past->n = 0;
}

/* Notes where it branches to. False: not all of it are instructions. */
static bool sketch_function(const struct cfi_fde *f, const char **why)
{
    struct sketch s;
    size_t size = (f->end - f->start + 7) / 8;
    memset(begins, 0, size);
    memset(entered, 0, size);
    for (uintptr_t at = f->start; at < f->end; at += s.len) {
        if (!decode_sketch(at, f->end - at, &s))
            return false;
        uintptr_t offset = s.target - f->start;
        begins[(at - f->start) / 8] |= (uint8_t)(1 << (at - f->start) % 8);
        if (s.branches && offset < f->end - f->start)
            entered[offset / 8] |= (uint8_t)(1 << offset % 8);
        if (s.takes_address && offset && offset < f->end - f->start)
            *why = "its function takes the address of a place in it";
    }
    for (size_t i = 0; i < size; i++)
        if (entered[i] & ~begins[i])
            *why = "its function jumps into an instruction";
    return true;
}

/* Why nothing in the function may be moved, or NULL. */
static const char *read_function(const struct cfi_fde *f)
{
    const char *why = NULL;
    struct decoded d;
    struct past past = {.n = 0};
    if (!sketch_function(f, &why))
        return "its function has bytes that are no instructions";
    for (uintptr_t at = f->start; at < f->end && !why; at += d.len) {
        if (!decode(at, f->end - at, &d))
            return "its function has bytes that are no instructions";
        if (is_entered(f, at))
            past.n = 0;
        if (d.flow == FLOW_INDIRECT && d.through_register && !is_understood(&past, d.number))
            why = "its function has a jump whose targets are not known";
        remember(&past, &d);
    }
    return why;
}

/* --- a place for the jump ----------------------------------------------------------------------------------------- */

/*
 * Bytes that only make the next function begin where it should: no function has them, and they end before one could
 * begin that nothing describes.
 */
static bool is_padding(const struct image *im, uintptr_t at, uintptr_t to)
{
    enum { ALIGNMENT = 16 };
    struct cfi_fde f;
    for (uintptr_t next; at < to; at = next) {
        struct decoded d;
        const struct segment *s = image_segment(im, at, 1);
        if (!s || !decode(at, s->to - at, &d) || !(d.pads || *(const uint8_t *)at == 0xcc))
            return false;
        next = at + d.len;
        for (; at < next && at < to; at++)
            if (image_function(im, at, &f) || at % ALIGNMENT == 0)
                return false;
    }
    return true;
}

/* Takes what stands at from into the site. Why not, or NULL. */
static const char *gather(struct site *s, const struct image *im, const struct cfi_fde *f, uintptr_t from)
{
    struct decoded d = {.flow = FLOW_ON};
    uintptr_t at = from;
    s->n = s->before = 0;
    for (; at < from + SITE_JUMP || at < s->pc; at += d.len) {
        if (at == f->end && d.ends && is_padding(im, at, from + SITE_JUMP)) {
            at = from + SITE_JUMP;
            break;
        }
        if (at >= f->end || !decode(at, f->end - at, &d))
            return "its function ends too soon behind it";
        if (at == s->pc) {
            s->before = s->n;
            continue;
        }
        if (!d.movable)
            return "beside it is an instruction that has to stay where it is";
        if (s->n == SITE_INSTRUCTIONS)
            return "too many instructions are beside it";
        s->instruction[s->n++] = d.moved;
    }
    if (at <= s->pc)
        s->before = s->n;
    s->from = from;
    s->to = at;
    return NULL;
}

/* Why the gathered bytes may not be replaced, or NULL. The first one is where whoever comes enters the trampoline. */
static const char *find_obstacle(const struct image *im, const struct cfi_fde *f, const struct site *s,
                                 const struct site *all, unsigned n)
{
    uintptr_t end = s->to > s->pc ? s->to : s->pc + 1;
    for (uintptr_t at = s->from + 1; at < end; at++)
        if (reach_hits(s, at))
            return "something may jump to an instruction beside it";
    if (landing_between(im, f, s->from, end))
        return "an exception may be caught beside it";
    for (unsigned i = 0; i < n; i++) {
        if (&all[i] == s)
            continue;
        if (all[i].pc >= s->from && all[i].pc < end)
            return "another probe is beside it";
        if (all[i].wanted && !all[i].refused && all[i].to && all[i].from < end && all[i].to > s->from)
            return "another probe's jump is beside it";
    }
    return NULL;
}

static const char *place(const struct image *im, const struct cfi_fde *f, struct site *s, const struct site *all,
                         unsigned n)
{
    const char *first = NULL;
    uintptr_t from = s->pc;
    for (unsigned i = 0; i <= BEFORE_MAX; i++) {
        const char *why = gather(s, im, f, from);
        why = why ? why : find_obstacle(im, f, s, all, n);
        if (!why)
            return NULL;
        first = first ? first : why;
        do {
            if (from == f->start)
                return first;
        } while (!does_begin(f, --from));
        if (s->pc - from > SITE_REACH - 16)
            break;
    }
    return first;
}

static const char *examine(const struct image *im, struct site *s, const struct site *all, unsigned n)
{
    struct cfi_fde f;
    if (!image_segment(im, s->pc, 1) || !image_is_code(im, s->pc))
        return "its note leads to what is no code";
    if (!image_function(im, s->pc, &f))
        return "nothing says where its function begins and ends";
    if (f.signal || f.end - f.start > FUNCTION_MAX)
        return "its function is too large, or a signal's";
    const char *why = read_function(&f);
    if (why)
        return why;
    if (!does_begin(&f, s->pc) || *(const uint8_t *)s->pc != 0x90)
        return "there is no nop at it";
    return place(im, &f, s, all, n);
}

EXPORT void thrace_examine(const struct dl_phdr_info *module, struct site *sites, unsigned n)
{
    struct image im;
    const char *why = NULL;
    bool opened = image_open(&im, module, &why);
    if (opened && !decode_begin())
        why = "the library that decodes instructions (libZydis) is not of version 4";
    for (unsigned i = 0; i < n; i++)
        sites[i].refused = why;
    if (!why && !reach_find(&im, sites, n))
        for (unsigned i = 0; i < n; i++)
            sites[i].refused = why = "its module is too large to examine";
    for (unsigned i = 0; i < n && !why; i++)
        if (sites[i].wanted && (sites[i].refused = examine(&im, &sites[i], sites, n)))
            sites[i].to = 0;
    if (opened)
        image_close(&im);
}
