#include "parser/analyze/span_filter.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct span_filter *span_filter_new(void) { return calloc(1, sizeof(struct span_filter)); }

void span_filter_free(struct span_filter *f)
{
    if (!f)
        return;
    for (int i = 0; i < SPAN_EXPRESSIONS; i++)
        if (f->has[i])
            regfree(&f->expressions[i]);
    VEC_FREE(&f->bits);
    VEC_FREE(&f->name);
    free(f);
}

bool span_filter_expression(struct span_filter *f, enum span_expression which, const char *text, char *why,
                            size_t size)
{
    int err = regcomp(&f->expressions[which], text, REG_EXTENDED | REG_NOSUB);
    if (err)
        regerror(err, &f->expressions[which], why, size);
    f->has[which] = !err;
    return !err;
}

bool span_filter_must_learn(const struct span_filter *f)
{
    return f->has[SPAN_THREAD] || f->min || f->from.kind == SPAN_PART || f->to.kind == SPAN_PART;
}

uint64_t span_moment_ns(const struct span_filter *f, const struct span_moment *m)
{
    if (m->kind == SPAN_UNLIMITED || (m->kind == SPAN_PART && m->value >= SPAN_WHOLE))
        return UINT64_MAX;
    return m->kind == SPAN_NS ? m->value : (uint64_t)((unsigned __int128)f->length * m->value / SPAN_WHOLE);
}

/* ---- expressions ------------------------------------------------------------------------------------------------ */

/* A copy that ends with a zero: AddressSanitizer does not know REG_STARTEND. */
static bool matches(struct span_filter *f, enum span_expression which, const char *text, size_t len)
{
    f->name.n = 0;
    for (size_t i = 0; i <= len; i++) {
        if (!VEC_ROOM(&f->name)) {
            f->failed = true;
            return false;
        }
        f->name.v[f->name.n++] = i < len ? text[i] : 0;
    }
    return !regexec(&f->expressions[which], f->name.v, 0, NULL, 0);
}

static bool text_matches(struct span_filter *f, enum span_expression which, const struct stat_texts *texts,
                         uint32_t number)
{
    enum { UNKNOWN, NO, YES };
    uint8_t *known = &f->texts[which][number];
    if (*known == UNKNOWN) {
        const char *text = stat_text_of(texts, number);
        *known = matches(f, which, text, strlen(text)) ? YES : NO;
    }
    return *known == YES;
}

static bool frame_matches(struct span_filter *f, const struct gotrace_frame *frame)
{
    char pc[2 + 16 + 1];
    if (frame->function.len)
        return matches(f, SPAN_FUNCTION, frame->function.data, frame->function.len);
    return frame->pc && matches(f, SPAN_FUNCTION, pc, (size_t)snprintf(pc, sizeof pc, "0x%" PRIx64, frame->pc));
}

/* Any of its functions; what is waited for is none. */
static bool stack_matches(struct span_filter *f, struct gotrace_stack stack)
{
    uint64_t h = (stack.serial << 32 ^ stack.id) * UINT64_C(0x9e3779b97f4a7c15);
    struct span_stack *c = &f->stacks[h >> 52];
    _Static_assert(SPAN_NSTACKS == 1 << (64 - 52), "the hash picks one of the cache's entries");
    if (c->stack.reader && gotrace_stack_equal(c->stack, stack))
        return c->matches;
    struct stack_parts parts;
    struct gotrace_frame frame;
    bool any = false;
    stack_split(stack, &parts);
    for (size_t i = parts.first; !any && gotrace_stack_frame(stack, i, &frame); i++)
        any = frame_matches(f, &frame);
    *c = (struct span_stack){stack, any};
    return any;
}

/* ---- stretches -------------------------------------------------------------------------------------------------- */

static bool has_bit(const struct span_filter *f, uint64_t number)
{
    return number / 64 < f->bits.n && (f->bits.v[number / 64] >> number % 64 & 1);
}

static void set_bit(struct span_filter *f, uint64_t number)
{
    while (!f->failed && number / 64 >= f->bits.n) {
        if (VEC_ROOM(&f->bits))
            f->bits.v[f->bits.n++] = 0;
        else
            f->failed = true;
    }
    if (!f->failed)
        f->bits.v[number / 64] |= UINT64_C(1) << number % 64;
}

bool span_filter_begins(struct span_filter *f, const struct stat_texts *texts, uint64_t number, uint32_t reason,
                        const struct stat_object *object)
{
    if (f->mode == SPAN_HAS_LEARNED)
        return has_bit(f, number);
    if (f->reason && strcmp(stat_text_of(texts, reason), f->reason) != 0)
        return false;
    if (f->has[SPAN_OBJECT] && (!object->kind || !text_matches(f, SPAN_OBJECT, texts, object->text)))
        return false;
    return true;
}

bool span_filter_stack(struct span_filter *f, struct gotrace_stack stack)
{
    return !f->has[SPAN_FUNCTION] || (gotrace_stack_len(stack) && stack_matches(f, stack));
}

bool span_filter_is_open(const struct span_filter *f)
{
    return !f->has[SPAN_THREAD] && !f->has[SPAN_OBJECT] && !f->reason && !f->min;
}

bool span_filter_thread(struct span_filter *f, const struct stat_texts *texts, uint32_t name)
{
    return !f->has[SPAN_THREAD] || (name && text_matches(f, SPAN_THREAD, texts, name));
}

void span_filter_ends(struct span_filter *f, const struct stat_texts *texts, uint64_t number, bool counts,
                      uint32_t name, uint64_t ns)
{
    if (counts && span_filter_thread(f, texts, name) && ns >= f->min)
        set_bit(f, number);
}
