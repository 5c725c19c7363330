#include "config.h"

#include "lib/symbolize/line_program.h"

#include "lib/symbolize/dwarf_names.h"

bool line_header_read(struct line_header *h, const uint8_t *section, size_t len, uint64_t offset)
{
    if (offset >= len)
        return false;
    struct cursor c = {section + offset, section + len, false};
    h->word = 4;
    uint64_t size = cursor_fixed(&c, 4);
    if (size == UINT32_MAX) {
        h->word = 8;
        size = cursor_fixed(&c, 8);
    }
    if (c.bad || size > (uint64_t)(c.end - c.p))
        return false;
    c.end = c.p + size;
    h->version = (unsigned)cursor_fixed(&c, 2);
    if (h->version < 2 || h->version > 5)
        return false;
    if (h->version == 5 && (cursor_fixed(&c, 1) != 8 || cursor_fixed(&c, 1) != 0))
        return false;
    uint64_t header = cursor_fixed(&c, h->word);
    if (c.bad || header > (uint64_t)(c.end - c.p))
        return false;
    h->code = (struct cursor){c.p + header, c.end, false};
    h->min_length = (unsigned)cursor_fixed(&c, 1);
    h->max_ops = h->version >= 4 ? (unsigned)cursor_fixed(&c, 1) : 1;
    cursor_fixed(&c, 1);
    h->line_base = (int8_t)cursor_fixed(&c, 1);
    h->line_range = (unsigned)cursor_fixed(&c, 1);
    h->opcode_base = (unsigned)cursor_fixed(&c, 1);
    h->operands = c.p;
    if (c.bad || !h->line_range || !h->opcode_base || !h->max_ops || h->code.p < c.p)
        return false;
    h->tables = (struct cursor){c.p, h->code.p, false};
    cursor_skip(&h->tables, h->opcode_base - 1);
    return !h->tables.bad;
}

struct machine {
    struct line_header *program;
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
    const struct line_header *h = m->program;
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
    uint64_t len = cursor_uleb(c);
    if (c->bad || !len || len > (uint64_t)(c->end - c->p)) {
        c->bad |= len != 0;
        return;
    }
    const uint8_t *next = c->p + len;
    switch (cursor_fixed(c, 1)) {
    case DW_LNE_end_sequence:
        emit(m);
        reset(m);
        break;
    case DW_LNE_set_address:
        if (len == 9) {
            m->now.addr = cursor_fixed(c, 8);
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
    struct line_header *h = m->program;
    struct cursor *c = &h->code;
    switch (op) {
    case DW_LNS_copy:
        emit(m);
        break;
    case DW_LNS_advance_pc:
        advance(m, cursor_uleb(c));
        break;
    case DW_LNS_advance_line:
        m->now.line += (uint64_t)cursor_sleb(c);
        break;
    case DW_LNS_set_file:
        m->now.file = cursor_uleb(c);
        break;
    case DW_LNS_const_add_pc:
        advance(m, (255 - h->opcode_base) / h->line_range);
        break;
    case DW_LNS_fixed_advance_pc:
        m->now.addr += cursor_fixed(c, 2);
        m->op_index = 0;
        break;
    default:
        for (unsigned i = h->operands[op - 1]; i > 0 && !c->bad; i--)
            cursor_uleb(c);
    }
}

bool line_program_run(const uint8_t *section, size_t len, uint64_t offset,
                      void (*span)(void *arg, const struct line_row *row, uint64_t end), void *arg)
{
    struct line_header h;
    if (!line_header_read(&h, section, len, offset))
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
