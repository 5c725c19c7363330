#include "config.h"

#include "lib/unwind/expr.h"

enum { DEPTH = 10, MAX_STEPS = 256 };

enum {
    OP_ADDR = 0x03,
    OP_DEREF = 0x06,
    OP_CONST1U = 0x08,
    OP_CONST1S,
    OP_CONST2U,
    OP_CONST2S,
    OP_CONST4U,
    OP_CONST4S,
    OP_CONST8U,
    OP_CONST8S,
    OP_CONSTU,
    OP_CONSTS,
    OP_DUP,
    OP_DROP,
    OP_OVER,
    OP_PICK,
    OP_SWAP,
    OP_ROT,
    OP_ABS = 0x19,
    OP_AND,
    OP_DIV,
    OP_MINUS,
    OP_MOD,
    OP_MUL,
    OP_NEG,
    OP_NOT,
    OP_OR,
    OP_PLUS,
    OP_PLUS_UCONST,
    OP_SHL,
    OP_SHR,
    OP_SHRA,
    OP_XOR,
    OP_BRA,
    OP_EQ,
    OP_GE,
    OP_GT,
    OP_LE,
    OP_LT,
    OP_NE,
    OP_SKIP,
    OP_LIT0,
    OP_LIT31 = 0x4f,
    OP_BREG0 = 0x70,
    OP_BREG31 = 0x8f,
    OP_BREGX = 0x92,
    OP_DEREF_SIZE = 0x94,
    OP_NOP = 0x96,
};

struct machine {
    struct expr_value v[DEPTH];
    unsigned n;
    bool bad;
};

static void push(struct machine *m, struct expr_value v)
{
    if (m->n == DEPTH)
        m->bad = true;
    else
        m->v[m->n++] = v;
}

static void push_number(struct machine *m, int64_t n) { push(m, (struct expr_value){.off = n}); }

/* The value that is depth places below the top. */
static struct expr_value peek(struct machine *m, uint64_t depth)
{
    if (depth >= m->n) {
        m->bad = true;
        return (struct expr_value){0};
    }
    return m->v[m->n - 1 - depth];
}

static struct expr_value pop(struct machine *m)
{
    struct expr_value v = peek(m, 0);
    m->n -= !m->bad;
    return v;
}

static int64_t pop_number(struct machine *m)
{
    struct expr_value v = pop(m);
    m->bad |= v.base != EXPR_NUMBER || v.indirect;
    return v.off;
}

static void push_register(struct machine *m, const struct expr_context *c, uint64_t reg, int64_t off)
{
    if (reg == UNWIND_PC)
        push_number(m, (int64_t)(c->pc + (uint64_t)off));
    else if (c->regs && reg < UNWIND_NREGS && (c->regs->known >> reg & 1))
        push_number(m, (int64_t)(c->regs->r[reg] + (uint64_t)off));
    else if (!c->regs && (reg == UNWIND_SP || reg == UNWIND_BP))
        push(m, (struct expr_value){.off = off, .base = reg == UNWIND_SP ? EXPR_SP : EXPR_BP});
    else
        m->bad = true;
}

static void add(struct machine *m, struct expr_value v, int64_t n)
{
    if (v.indirect)
        m->bad |= __builtin_add_overflow(v.post, n, &v.post);
    else
        v.off = (int64_t)((uint64_t)v.off + (uint64_t)n);
    push(m, v);
}

static void plus(struct machine *m)
{
    struct expr_value b = pop(m), a = pop(m);
    if (b.base == EXPR_NUMBER && !b.indirect)
        add(m, a, b.off);
    else if (a.base == EXPR_NUMBER && !a.indirect)
        add(m, b, a.off);
    else
        m->bad = true;
}

static void deref(struct machine *m, const struct expr_context *c)
{
    struct expr_value v = pop(m);
    if (v.indirect) {
        m->bad = true;
    } else if (v.base != EXPR_NUMBER) {
        v.indirect = true;
        push(m, v);
    } else {
        uintptr_t word = 0;
        m->bad |= !c->stack || !region_load(c->stack, (uintptr_t)v.off, &word);
        push_number(m, (int64_t)word);
    }
}

static void binary(struct machine *m, uint8_t op)
{
    int64_t b = pop_number(m), a = pop_number(m);
    uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
    switch (op) {
    case OP_AND:
        return push_number(m, a & b);
    case OP_DIV:
        m->bad |= b == 0;
        return push_number(m, b == 0 ? 0 : b == -1 ? (int64_t)-ua : a / b);
    case OP_MOD:
        m->bad |= b == 0;
        return push_number(m, b == 0 ? 0 : (int64_t)(ua % ub));
    case OP_MINUS:
        return push_number(m, (int64_t)(ua - ub));
    case OP_MUL:
        return push_number(m, (int64_t)(ua * ub));
    case OP_OR:
        return push_number(m, a | b);
    case OP_SHL:
        return push_number(m, ub < 64 ? (int64_t)(ua << ub) : 0);
    case OP_SHR:
        return push_number(m, ub < 64 ? (int64_t)(ua >> ub) : 0);
    case OP_SHRA:
        return push_number(m, a >> (ub < 64 ? ub : 63));
    case OP_XOR:
        return push_number(m, a ^ b);
    case OP_EQ:
        return push_number(m, a == b);
    case OP_GE:
        return push_number(m, a >= b);
    case OP_GT:
        return push_number(m, a > b);
    case OP_LE:
        return push_number(m, a <= b);
    case OP_LT:
        return push_number(m, a < b);
    case OP_NE:
        return push_number(m, a != b);
    default:
        m->bad = true;
    }
}

/* Moves r by a signed distance inside [start, r->end]. */
static void jump(struct cfi_reader *r, const uint8_t *start, int64_t distance)
{
    if (distance < start - r->p || distance > r->end - r->p)
        r->bad = true;
    else
        r->p += distance;
}

static void constant(struct machine *m, struct cfi_reader *r, uint8_t op)
{
    size_t size = (size_t)1 << ((op - OP_CONST1U) >> 1);
    if ((op - OP_CONST1U) & 1)
        push_number(m, cfi_read_signed(r, size));
    else
        push_number(m, (int64_t)cfi_read_fixed(r, size));
}

/* Top three: a b c, c on top, become c a b. */
static void rotate(struct machine *m)
{
    struct expr_value c = pop(m), b = pop(m), a = pop(m);
    push(m, c);
    push(m, a);
    push(m, b);
}

static void step(struct machine *m, struct cfi_reader *r, const uint8_t *start, const struct expr_context *c)
{
    uint8_t op = (uint8_t)cfi_read_fixed(r, 1);
    if (op >= OP_LIT0 && op <= OP_LIT31)
        return push_number(m, op - OP_LIT0);
    if (op >= OP_BREG0 && op <= OP_BREG31)
        return push_register(m, c, op - OP_BREG0, cfi_read_sleb(r));
    if (op >= OP_CONST1U && op <= OP_CONST8S)
        return constant(m, r, op);
    switch (op) {
    case OP_ADDR:
        return push_number(m, (int64_t)cfi_read_fixed(r, 8));
    case OP_CONSTU:
        return push_number(m, (int64_t)cfi_read_uleb(r));
    case OP_CONSTS:
        return push_number(m, cfi_read_sleb(r));
    case OP_BREGX: {
        uint64_t reg = cfi_read_uleb(r);
        return push_register(m, c, reg, cfi_read_sleb(r));
    }
    case OP_DEREF:
        return deref(m, c);
    case OP_DEREF_SIZE:
        if (cfi_read_fixed(r, 1) != 8)
            m->bad = true;
        return deref(m, c);
    case OP_DUP:
        return push(m, peek(m, 0));
    case OP_OVER:
        return push(m, peek(m, 1));
    case OP_PICK:
        return push(m, peek(m, cfi_read_fixed(r, 1)));
    case OP_DROP:
        pop(m);
        return;
    case OP_SWAP: {
        struct expr_value b = pop(m), a = pop(m);
        push(m, b);
        return push(m, a);
    }
    case OP_ROT:
        return rotate(m);
    case OP_PLUS:
        return plus(m);
    case OP_PLUS_UCONST: {
        struct expr_value v = pop(m);
        return add(m, v, (int64_t)cfi_read_uleb(r));
    }
    case OP_MINUS: {
        struct expr_value b = peek(m, 0);
        if (b.base != EXPR_NUMBER || b.indirect)
            break;
        pop(m);
        return add(m, pop(m), (int64_t)-(uint64_t)b.off);
    }
    case OP_ABS: {
        int64_t v = pop_number(m);
        return push_number(m, v < 0 ? (int64_t)-(uint64_t)v : v);
    }
    case OP_NEG:
        return push_number(m, (int64_t)-(uint64_t)pop_number(m));
    case OP_NOT:
        return push_number(m, ~pop_number(m));
    case OP_SKIP:
        return jump(r, start, cfi_read_signed(r, 2));
    case OP_BRA: {
        int64_t distance = cfi_read_signed(r, 2);
        if (pop_number(m))
            jump(r, start, distance);
        return;
    }
    case OP_NOP:
        return;
    default:
        return binary(m, op);
    }
    m->bad = true;
}

bool expr_eval(struct cfi_reader r, const struct expr_context *c, struct expr_value *result)
{
    uint64_t size = cfi_read_uleb(&r);
    const uint8_t *start = cfi_skip(&r, size);
    if (!start)
        return false;
    r.p = start;
    r.end = start + size;
    struct machine m = {.n = 0, .bad = false};
    if (c->first)
        push(&m, *c->first);
    for (int steps = 0; r.p < r.end; steps++) {
        if (r.bad || m.bad || steps == MAX_STEPS)
            return false;
        step(&m, &r, start, c);
    }
    *result = pop(&m);
    return !r.bad && !m.bad;
}
