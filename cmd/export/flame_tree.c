#include "cmd/export/flame_tree.h"

#include <string.h>

/* The node below the parent with that name. 0: memory is short. */
static uint32_t below(struct flame_tree *t, uint32_t parent, uint32_t text)
{
    uint64_t h = ((uint64_t)parent << 32 | text) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t found;
    for (; (found = idmap_get(&t->index, h)); h++)
        if (t->nodes.v[found - 1].parent == parent && t->nodes.v[found - 1].text == text)
            return found - 1;
    if (t->nodes.n == UINT32_MAX - 1 || !VEC_ROOM(&t->nodes) || !idmap_add(&t->index, h, (uint32_t)t->nodes.n + 1))
        return 0;
    struct flame_node *up = &t->nodes.v[parent];
    uint32_t n = (uint32_t)t->nodes.n++;
    t->nodes.v[n] = (struct flame_node){.text = text, .parent = parent, .next = up->child, .depth = up->depth + 1};
    up->child = n;
    t->depth = up->depth + 1 > t->depth ? up->depth + 1 : t->depth;
    return n;
}

static void count(struct flame_tree *t, uint32_t node, uint64_t weight, bool before)
{
    t->nodes.v[node].total += weight;
    t->nodes.v[node].before += before ? weight : 0;
}

static bool add(struct flame_tree *t, const struct profile *p, const struct profile_row *row, enum profile_label by,
                double scale, bool before)
{
    const struct stored_stack *stack = &p->stacks->stacks.v[row->stack];
    const double most = 1e15;
    uint64_t weight = row->kind == PROFILE_CPU ? row->count : row->ns;
    uint32_t at = 0;
    if (scale != 1)
        weight = (double)weight * scale < most ? (uint64_t)((double)weight * scale) : (uint64_t)most;
    count(t, at, weight, before);
    if (by != PROFILE_LABELS) {
        const char *label = stat_text_of(&p->spans.texts, row->labels[by]);
        label = *label ? label : "(none)";
        uint32_t text = stack_store_text(p->stacks, (struct gotrace_str){label, strlen(label)});
        if (p->stacks->failed || !(at = below(t, at, text)))
            return false;
        count(t, at, weight, before);
    }
    for (size_t i = stack->n; i-- > 0;) {
        const struct stored_frame *f = &p->stacks->frames.v[stack_store_frame(p->stacks, stack, i)];
        if (!(at = below(t, at, f->function)))
            return false;
        count(t, at, weight, before);
    }
    return true;
}

/* ---- in order --------------------------------------------------------------------------------------------------- */

static uint32_t merge(struct flame_node *v, uint32_t a, uint32_t b)
{
    uint32_t first = 0, *end = &first;
    while (a && b) {
        uint32_t *least = strcmp(v[a].name, v[b].name) <= 0 ? &a : &b;
        *end = *least;
        end = &v[*least].next;
        *least = *end;
    }
    *end = a ? a : b;
    return first;
}

/* Lists of 1, 2, 4 … nodes are merged, as a number is counted up. */
static uint32_t sorted(struct flame_node *v, uint32_t list)
{
    uint32_t parts[32] = {0}, all = 0;
    while (list) {
        uint32_t one = list;
        int i = 0;
        list = v[one].next;
        v[one].next = 0;
        for (; parts[i]; i++) {
            one = merge(v, parts[i], one);
            parts[i] = 0;
        }
        parts[i] = one;
    }
    for (int i = 0; i < 32; i++)
        all = merge(v, parts[i], all);
    return all;
}

bool flame_tree_begin(struct flame_tree *t)
{
    *t = (struct flame_tree){.depth = 0};
    if (!VEC_ROOM(&t->nodes))
        return false;
    t->nodes.v[t->nodes.n++] = (struct flame_node){.name = "all"};
    return true;
}

bool flame_tree_add(struct flame_tree *t, const struct profile *p, enum profile_kind kind, enum profile_label by,
                    double scale, bool before)
{
    for (size_t i = 0; i < p->rows.n; i++)
        if (p->rows.v[i].kind == kind && !add(t, p, &p->rows.v[i], by, scale, before))
            return false;
    return true;
}

void flame_tree_end(struct flame_tree *t, const struct stack_store *names)
{
    for (size_t i = 1; i < t->nodes.n; i++)
        t->nodes.v[i].name = stack_store_text_of(names, t->nodes.v[i].text);
    for (size_t i = 0; i < t->nodes.n; i++)
        t->nodes.v[i].child = sorted(t->nodes.v, t->nodes.v[i].child);
}

bool flame_tree_make(struct flame_tree *t, const struct profile *p, enum profile_kind kind, enum profile_label by)
{
    if (!flame_tree_begin(t) || !flame_tree_add(t, p, kind, by, 1, false))
        return false;
    flame_tree_end(t, p->stacks);
    return true;
}

void flame_tree_free(struct flame_tree *t)
{
    VEC_FREE(&t->nodes);
    idmap_free(&t->index);
}
