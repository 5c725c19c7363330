#include "config.h"

#include "lib/symbolize/line_program.h"

#include <string.h>

#include "lib/symbolize/debug.h"
#include "lib/varint.h"

struct cursor {
    const uint8_t *p, *end;
    bool bad;
};

/* The program's header, as far as rows depend on it. */
struct program {
    struct cursor code;
    unsigned version, min_length, max_ops, line_range, opcode_base;
    int line_base;
    const uint8_t *operands; /* number of operands of standard opcode i at [i - 1] */
};

static uint64_t fixed(struct cursor *c, size_t size)
{
    uint64_t v = 0;
    if (c->bad || size > (size_t)(c->end - c->p) || size > sizeof v) {
        c->bad = true;
        return 0;
    }
    memcpy(&v, c->p, size);
    c->p += size;
    return v;
}

static uint64_t uleb(struct cursor *c)
{
    uint64_t v = 0;
    const uint8_t *next = c->bad ? NULL : varint_get(c->p, c->end, &v);
    c->bad = !next;
    if (next)
        c->p = next;
    return v;
}

static int64_t sleb(struct cursor *c)
{
    uint64_t v = 0;
    for (unsigned shift = 0; !c->bad; shift += 7) {
        uint8_t b = (uint8_t)fixed(c, 1);
        if (shift < 64)
            v |= (uint64_t)(b & 0x7f) << shift;
        if (b & 0x80)
            continue;
        if (shift + 7 < 64 && (b & 0x40))
            v |= ~UINT64_C(0) << (shift + 7);
        return (int64_t)v;
    }
    return 0;
}

static bool read_header(struct program *h, const uint8_t *section, size_t len, uint64_t offset)
{
    if (offset >= len)
        return false;
    struct cursor c = {section + offset, section + len, false};
    size_t word = 4;
    uint64_t size = fixed(&c, 4);
    if (size == UINT32_MAX) {
        word = 8;
        size = fixed(&c, 8);
    }
    if (c.bad || size > (uint64_t)(c.end - c.p))
        return false;
    c.end = c.p + size;
    h->version = (unsigned)fixed(&c, 2);
    if (h->version < 2 || h->version > 5)
        return false;
    if (h->version == 5 && (fixed(&c, 1) != 8 || fixed(&c, 1) != 0))
        return false;
    uint64_t header = fixed(&c, word);
    if (c.bad || header > (uint64_t)(c.end - c.p))
        return false;
    h->code = (struct cursor){c.p + header, c.end, false};
    h->min_length = (unsigned)fixed(&c, 1);
    h->max_ops = h->version >= 4 ? (unsigned)fixed(&c, 1) : 1;
    fixed(&c, 1);
    h->line_base = (int8_t)fixed(&c, 1);
    h->line_range = (unsigned)fixed(&c, 1);
    h->opcode_base = (unsigned)fixed(&c, 1);
    h->operands = c.p;
    return !c.bad && h->line_range && h->opcode_base && h->max_ops && h->opcode_base - 1 <= (size_t)(c.end - c.p);
}

struct machine {
    struct program *program;
    struct line_row now, last; /* registers; the row that was emitted last */
    uint64_t op_index;
    bool has_last;
    void (*span)(void *arg, const struct line_row *row, uint64_t end);
    void *arg;
};

static void reset(struct machine *m)
{
    m->now = (struct line_row){.file = 1, .line = 1};
    m->op_index = 0;
    m->has_last = false;
}

static void emit(struct machine *m)
{
    if (m->has_last && m->last.addr < m->now.addr)
        m->span(m->arg, &m->last, m->now.addr);
    m->last = m->now;
    m->has_last = true;
}

static void advance(struct machine *m, uint64_t ops)
{
    const struct program *h = m->program;
    if (h->max_ops == 1) {
        m->now.addr += ops * h->min_length;
        return;
    }
    ops += m->op_index;
    m->now.addr += ops / h->max_ops * h->min_length;
    m->op_index = ops % h->max_ops;
}

static void extended(struct machine *m)
{
    struct cursor *c = &m->program->code;
    uint64_t len = uleb(c);
    if (c->bad || !len || len > (uint64_t)(c->end - c->p)) {
        c->bad |= len != 0;
        return;
    }
    const uint8_t *next = c->p + len;
    switch (fixed(c, 1)) {
    case DW_LNE_end_sequence:
        emit(m);
        reset(m);
        break;
    case DW_LNE_set_address:
        if (len == 9) {
            m->now.addr = fixed(c, 8);
            m->op_index = 0;
        }
        break;
    default:
        break;
    }
    c->p = next;
}

static void standard(struct machine *m, unsigned op)
{
    struct program *h = m->program;
    struct cursor *c = &h->code;
    switch (op) {
    case DW_LNS_copy:
        emit(m);
        break;
    case DW_LNS_advance_pc:
        advance(m, uleb(c));
        break;
    case DW_LNS_advance_line:
        m->now.line += (uint64_t)sleb(c);
        break;
    case DW_LNS_set_file:
        m->now.file = uleb(c);
        break;
    case DW_LNS_const_add_pc:
        advance(m, (255 - h->opcode_base) / h->line_range);
        break;
    case DW_LNS_fixed_advance_pc:
        m->now.addr += fixed(c, 2);
        m->op_index = 0;
        break;
    default:
        for (unsigned i = h->operands[op - 1]; i > 0 && !c->bad; i--)
            uleb(c);
    }
}

bool line_program_run(const uint8_t *section, size_t len, uint64_t offset,
                      void (*span)(void *arg, const struct line_row *row, uint64_t end), void *arg)
{
    struct program h;
    if (!read_header(&h, section, len, offset))
        return false;
    struct machine m = {.program = &h, .span = span, .arg = arg};
    reset(&m);
    while (!h.code.bad && h.code.p < h.code.end) {
        unsigned op = *h.code.p++;
        if (op >= h.opcode_base) {
            op -= h.opcode_base;
            advance(&m, op / h.line_range);
            m.now.line += (uint64_t)(int64_t)(h.line_base + (int)(op % h.line_range));
            emit(&m);
        } else if (op) {
            standard(&m, op);
        } else {
            extended(&m);
        }
    }
    return !h.code.bad;
}
