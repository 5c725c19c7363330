#include "config.h"

#include "lib/unwind/cfi.h"

enum { REMEMBERED = 4 };

/* --- finding and parsing ------------------------------------------------------------------------------------ */

static int32_t table_word(const struct unwind_module *m, size_t i)
{
    int32_t v;
    memcpy(&v, m->table + 4 * i, sizeof v);
    return v;
}

/* A record is its length and that many bytes; leaves r at the first of them, ended after the last. */
static bool enter_record(struct cfi_reader *r)
{
    uint64_t size = cfi_read_fixed(r, 4);
    if (size == 0xffffffff)
        size = cfi_read_fixed(r, 8);
    if (r->bad || size == 0 || size > cfi_left(r))
        return false;
    r->end = r->p + size;
    return true;
}

static bool parse_cie(struct cfi_reader r, struct cfi_fde *fde, bool *augmented)
{
    if (!enter_record(&r) || cfi_read_fixed(&r, 4) != 0)
        return false;
    uint8_t version = (uint8_t)cfi_read_fixed(&r, 1);
    if (version != 1 && version != 3 && version != 4)
        return false;
    const char *aug = (const char *)r.p;
    while (cfi_read_fixed(&r, 1)) {
    }
    if (r.bad)
        return false;
    if (version == 4 && (cfi_read_fixed(&r, 1) != sizeof(uintptr_t) || cfi_read_fixed(&r, 1) != 0))
        return false;
    fde->code_align = cfi_read_uleb(&r);
    fde->data_align = cfi_read_sleb(&r);
    uint64_t ra = version == 1 ? cfi_read_fixed(&r, 1) : cfi_read_uleb(&r);
    if (r.bad || ra != UNWIND_RA)
        return false;
    fde->encoding = 0;
    fde->lsda_encoding = POINTER_OMITTED;
    fde->signal = false;
    *augmented = *aug == 'z';
    if (!*augmented) {
        fde->cie_program = r;
        return *aug == 0;
    }
    uint64_t size = cfi_read_uleb(&r);
    struct cfi_reader data = r;
    if (!cfi_skip(&r, size))
        return false;
    data.end = r.p;
    while (*++aug) {
        switch (*aug) {
        case 'R':
            fde->encoding = (uint8_t)cfi_read_fixed(&data, 1);
            break;
        case 'L':
            fde->lsda_encoding = (uint8_t)cfi_read_fixed(&data, 1);
            break;
        case 'P': {
            uint8_t enc = (uint8_t)cfi_read_fixed(&data, 1);
            cfi_read_pointer(&data, enc & ~(uint8_t)POINTER_INDIRECT, 0);
            break;
        }
        case 'S':
            fde->signal = true;
            break;
        case 'B': /* aarch64: addresses signed with the other key */
        case 'G': /* aarch64: memory tagging */
            break;
        default:
            return false;
        }
    }
    fde->cie_program = r;
    return !data.bad;
}

/* A pointer to nothing has no base, either. */
static void parse_augmentation(struct cfi_reader *r, struct cfi_fde *fde)
{
    uint8_t encoding = fde->lsda_encoding;
    uint64_t size = cfi_read_uleb(r);
    struct cfi_reader data = *r, again = *r;
    fde->lsda = 0;
    if (!cfi_skip(r, size) || encoding == POINTER_OMITTED)
        return;
    data.end = again.end = r->p;
    if (cfi_read_pointer(&again, encoding & POINTER_FORMAT, 0))
        fde->lsda = cfi_read_pointer(&data, encoding, 0);
    if (again.bad || data.bad)
        fde->lsda = LSDA_UNREADABLE;
}

bool cfi_parse(const struct unwind_module *m, const uint8_t *addr, struct cfi_fde *fde)
{
    if (addr < m->cfi || addr >= m->cfi_end)
        return false;
    struct cfi_reader r = {addr, m->cfi_end, false};
    if (!enter_record(&r))
        return false;
    const uint8_t *id_at = r.p;
    uint64_t id = cfi_read_fixed(&r, 4);
    if (r.bad || id == 0 || id > (uint64_t)(id_at - m->cfi))
        return false;
    bool augmented;
    if (!parse_cie((struct cfi_reader){id_at - id, m->cfi_end, false}, fde, &augmented))
        return false;
    fde->start = cfi_read_pointer(&r, fde->encoding, 0);
    fde->end = fde->start + cfi_read_pointer(&r, fde->encoding & POINTER_FORMAT, 0);
    fde->lsda = 0;
    if (augmented)
        parse_augmentation(&r, fde);
    fde->program = r;
    fde->cfi = m->cfi;
    return !r.bad && fde->start < fde->end;
}

bool cfi_find(const struct unwind_module *m, uintptr_t pc, struct cfi_fde *fde)
{
    if (!m->hdr)
        return false;
    int64_t rel = (int64_t)(pc - (uintptr_t)m->hdr);
    size_t lo = 0, hi = m->fdes;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (table_word(m, 2 * mid) <= rel)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == 0)
        return false;
    int64_t at = table_word(m, 2 * (lo - 1) + 1);
    if (at < m->cfi - m->hdr || at >= m->cfi_end - m->hdr)
        return false;
    return cfi_parse(m, m->hdr + at, fde) && pc >= fde->start && pc < fde->end;
}

bool cfi_find_made_up(const struct unwind_module *m, uintptr_t *pc, struct cfi_fde *fde)
{
    if (!cfi_find(m, *pc + 1, fde) || fde->start != *pc + 1)
        return false;
    *pc = fde->start;
    return true;
}

/* --- programs ----------------------------------------------------------------------------------------------- */

enum {
    OP_NOP = 0x00,
    OP_SET_LOC,
    OP_ADVANCE_LOC1,
    OP_ADVANCE_LOC2,
    OP_ADVANCE_LOC4,
    OP_OFFSET_EXTENDED,
    OP_RESTORE_EXTENDED,
    OP_UNDEFINED,
    OP_SAME_VALUE,
    OP_REGISTER,
    OP_REMEMBER_STATE,
    OP_RESTORE_STATE,
    OP_DEF_CFA,
    OP_DEF_CFA_REGISTER,
    OP_DEF_CFA_OFFSET,
    OP_DEF_CFA_EXPRESSION,
    OP_EXPRESSION,
    OP_OFFSET_EXTENDED_SF,
    OP_DEF_CFA_SF,
    OP_DEF_CFA_OFFSET_SF,
    OP_VAL_OFFSET,
    OP_VAL_OFFSET_SF,
    OP_VAL_EXPRESSION,
    OP_NEGATE_RA_STATE = 0x2d, /* aarch64; the signature is taken off every address anyway */
    OP_GNU_ARGS_SIZE = 0x2e,
    OP_GNU_NEGATIVE_OFFSET_EXTENDED,
    OP_ADVANCE_LOC = 0x40,
    OP_OFFSET = 0x80,
    OP_RESTORE = 0xc0,
};

struct run {
    const struct cfi_fde *fde;
    struct cfi_reader r;
    struct cfi_row *row;
    struct cfi_row initial; /* what OP_RESTORE goes back to: the row after the CIE's program */
    struct cfi_row saved[REMEMBERED];
    unsigned nsaved;
    uintptr_t loc;
    bool bad;
};

static int32_t narrow(struct run *x, int64_t v)
{
    x->bad |= v != (int32_t)v;
    return (int32_t)v;
}

static int32_t factored(struct run *x, int64_t v)
{
    int64_t product;
    x->bad |= __builtin_mul_overflow(v, x->fde->data_align, &product);
    return narrow(x, product);
}

static void set(struct run *x, uint64_t reg, enum cfi_rule rule, int32_t val)
{
    if (reg >= CFI_COLUMNS)
        return;
    x->row->rule[reg] = rule;
    x->row->val[reg] = val;
}

static void restore(struct run *x, uint64_t reg)
{
    if (reg < CFI_COLUMNS)
        set(x, reg, x->initial.rule[reg], x->initial.val[reg]);
}

static void set_cfa_register(struct run *x, uint64_t reg)
{
    x->bad |= reg >= CFI_COLUMNS;
    x->row->cfa_reg = (uint8_t)reg;
    x->row->cfa_expr = false;
}

/* The position of an expression, which is skipped. */
static int32_t expression(struct run *x)
{
    int32_t at = narrow(x, x->r.p - x->fde->cfi);
    cfi_skip(&x->r, cfi_read_uleb(&x->r));
    return at;
}

static void advance(struct run *x, uint64_t units) { x->loc += units * x->fde->code_align; }

static void step(struct run *x)
{
    struct cfi_reader *r = &x->r;
    uint8_t op = (uint8_t)cfi_read_fixed(r, 1);
    uint64_t reg;
    switch (op & 0xc0) {
    case OP_ADVANCE_LOC:
        return advance(x, op & 0x3f);
    case OP_OFFSET:
        return set(x, op & 0x3f, CFI_AT_CFA, factored(x, (int64_t)cfi_read_uleb(r)));
    case OP_RESTORE:
        return restore(x, op & 0x3f);
    }
    switch (op) {
    case OP_NOP:
    case OP_NEGATE_RA_STATE:
        return;
    case OP_SET_LOC:
        x->loc = cfi_read_pointer(r, x->fde->encoding, 0);
        return;
    case OP_ADVANCE_LOC1:
        return advance(x, cfi_read_fixed(r, 1));
    case OP_ADVANCE_LOC2:
        return advance(x, cfi_read_fixed(r, 2));
    case OP_ADVANCE_LOC4:
        return advance(x, cfi_read_fixed(r, 4));
    case OP_OFFSET_EXTENDED:
        reg = cfi_read_uleb(r);
        return set(x, reg, CFI_AT_CFA, factored(x, (int64_t)cfi_read_uleb(r)));
    case OP_OFFSET_EXTENDED_SF:
        reg = cfi_read_uleb(r);
        return set(x, reg, CFI_AT_CFA, factored(x, cfi_read_sleb(r)));
    case OP_GNU_NEGATIVE_OFFSET_EXTENDED:
        reg = cfi_read_uleb(r);
        return set(x, reg, CFI_AT_CFA, factored(x, -(int64_t)(uint32_t)cfi_read_uleb(r)));
    case OP_RESTORE_EXTENDED:
        return restore(x, cfi_read_uleb(r));
    case OP_UNDEFINED:
        return set(x, cfi_read_uleb(r), CFI_UNDEFINED, 0);
    case OP_SAME_VALUE:
        return set(x, cfi_read_uleb(r), CFI_SAME, 0);
    case OP_REGISTER:
        reg = cfi_read_uleb(r);
        return set(x, reg, CFI_REGISTER, narrow(x, (int64_t)cfi_read_uleb(r)));
    case OP_REMEMBER_STATE:
        if (x->nsaved == REMEMBERED)
            break;
        x->saved[x->nsaved++] = *x->row;
        return;
    case OP_RESTORE_STATE:
        if (x->nsaved == 0)
            break;
        *x->row = x->saved[--x->nsaved];
        return;
    case OP_DEF_CFA:
        set_cfa_register(x, cfi_read_uleb(r));
        x->row->cfa_val = narrow(x, (int64_t)cfi_read_uleb(r));
        return;
    case OP_DEF_CFA_SF:
        set_cfa_register(x, cfi_read_uleb(r));
        x->row->cfa_val = factored(x, cfi_read_sleb(r));
        return;
    case OP_DEF_CFA_REGISTER:
        x->bad |= x->row->cfa_expr;
        return set_cfa_register(x, cfi_read_uleb(r));
    case OP_DEF_CFA_OFFSET:
        x->bad |= x->row->cfa_expr;
        x->row->cfa_val = narrow(x, (int64_t)cfi_read_uleb(r));
        return;
    case OP_DEF_CFA_OFFSET_SF:
        x->bad |= x->row->cfa_expr;
        x->row->cfa_val = factored(x, cfi_read_sleb(r));
        return;
    case OP_DEF_CFA_EXPRESSION:
        x->row->cfa_expr = true;
        x->row->cfa_val = expression(x);
        return;
    case OP_EXPRESSION:
        reg = cfi_read_uleb(r);
        return set(x, reg, CFI_AT_EXPR, expression(x));
    case OP_VAL_EXPRESSION:
        reg = cfi_read_uleb(r);
        return set(x, reg, CFI_EXPR, expression(x));
    case OP_VAL_OFFSET:
        reg = cfi_read_uleb(r);
        return set(x, reg, CFI_CFA_PLUS, factored(x, (int64_t)cfi_read_uleb(r)));
    case OP_VAL_OFFSET_SF:
        reg = cfi_read_uleb(r);
        return set(x, reg, CFI_CFA_PLUS, factored(x, cfi_read_sleb(r)));
    case OP_GNU_ARGS_SIZE:
        cfi_read_uleb(r);
        return;
    }
    x->bad = true;
}

/* A row is in force from its location up to the next one, so running stops once the location is beyond pc. */
static bool run(struct run *x, struct cfi_reader program, uintptr_t pc)
{
    x->r = program;
    while (x->r.p < x->r.end) {
        struct cfi_reader before = x->r;
        uint8_t op = *before.p;
        bool moves = (op & 0xc0) == OP_ADVANCE_LOC || (op >= OP_SET_LOC && op <= OP_ADVANCE_LOC4);
        step(x);
        if (x->r.bad || x->bad)
            return false;
        if (moves && x->loc > pc)
            break;
    }
    return true;
}

/*
 * glibc's CFI for what the PLT of aarch64 enters to bind a function leaves out the two words that the PLT has pushed,
 * as if the return address were in the caller's frame.
 */
static void count_what_was_pushed(struct cfi_row *row)
{
#if defined(__aarch64__)
    enum { PUSHED = 16 };
    if (row->cfa_expr || row->rule[UNWIND_RA] != CFI_AT_CFA || row->val[UNWIND_RA] != PUSHED / 2 ||
        row->cfa_val > INT32_MAX - PUSHED)
        return;
    row->cfa_val += PUSHED;
    for (int reg = 0; reg < CFI_COLUMNS; reg++)
        if ((row->rule[reg] == CFI_AT_CFA || row->rule[reg] == CFI_CFA_PLUS) && row->val[reg] >= INT32_MIN + PUSHED)
            row->val[reg] -= PUSHED;
#else
    (void)row;
#endif
}

bool cfi_run(const struct cfi_fde *fde, uintptr_t pc, struct cfi_row *row)
{
    struct run x;
    memset(row, 0, sizeof *row);
    row->cfa_reg = CFI_COLUMNS;
    x.fde = fde;
    x.row = row;
    x.nsaved = 0;
    x.loc = fde->start;
    x.bad = false;
    x.initial = *row;
    if (!run(&x, fde->cie_program, pc))
        return false;
    x.initial = *row;
    x.loc = fde->start;
    if (!run(&x, fde->program, pc))
        return false;
    count_what_was_pushed(row);
    return row->cfa_expr || row->cfa_reg < CFI_COLUMNS;
}
