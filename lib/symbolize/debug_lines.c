#include "config.h"

#include "lib/symbolize/debug.h"

#include <stdlib.h>
#include <string.h>

#include "lib/symbolize/line_program.h"

enum { MAX_FILES = 1 << 20, MAX_PATH = 4096 };

void debug_lines_open(struct unit *u, Dwarf_Die die)
{
    Dwarf_Unsigned version;
    Dwarf_Small tables;
    Dwarf_Error error = NULL;
    Dwarf_Signed count;
    u->has_lines = debug_ok(u->search->object.dbg, dwarf_srclines_b(die, &version, &tables, &u->lines, &error), error);
    if (!u->has_lines)
        return;
    error = NULL;
    if (!debug_ok(u->search->object.dbg, dwarf_srclines_comp_dir(u->lines, &u->comp_dir, &error), error))
        u->comp_dir = NULL;
    error = NULL;
    if (!debug_ok(u->search->object.dbg, dwarf_srclines_files_indexes(u->lines, &u->first_file, &count, &u->end_file, &error), error) ||
        u->first_file < 0 || u->end_file <= u->first_file || u->end_file > MAX_FILES)
        u->first_file = u->end_file = 0;
    u->files = calloc((size_t)u->end_file + 1, sizeof *u->files);
    if (!u->files)
        u->search->failed = true;
}

void debug_lines_close(struct unit *u)
{
    if (u->has_lines)
        dwarf_srclines_dealloc_b(u->lines);
    free(u->files);
    u->files = NULL;
    u->has_lines = false;
}

struct path {
    char bytes[MAX_PATH];
    size_t len;
};

/* Appends a part of a path; an absolute one replaces what is there. */
static void append(struct path *p, const char *part)
{
    if (!part || !*part)
        return;
    if (*part == '/')
        p->len = 0;
    size_t len = strlen(part);
    if (len + 2 > sizeof p->bytes - p->len)
        return;
    if (p->len && p->bytes[p->len - 1] != '/')
        p->bytes[p->len++] = '/';
    memcpy(p->bytes + p->len, part, len);
    p->len += len;
}

uint32_t debug_file(struct unit *u, Dwarf_Unsigned number)
{
    if (!u->files || number < (Dwarf_Unsigned)u->first_file || number >= (Dwarf_Unsigned)u->end_file)
        return 0;
    if (u->files[number])
        return u->files[number];
    const char *name, *dir = NULL;
    Dwarf_Unsigned dir_number, mtime, length;
    Dwarf_Form_Data16 *md5;
    Dwarf_Error error = NULL;
    int r = dwarf_srclines_files_data_b(u->lines, (Dwarf_Signed)number, &name, &dir_number, &mtime, &length, &md5,
                                        &error);
    if (!debug_ok(u->search->object.dbg, r, error) || !name)
        return 0;
    /* Directory 0 is the compilation directory, before DWARF 5 without being in the table. */
    error = NULL;
    if ((dir_number || u->first_file == 0) &&
        !debug_ok(u->search->object.dbg, dwarf_srclines_include_dir_data(u->lines, (Dwarf_Signed)dir_number, &dir, &error), error))
        dir = NULL;
    struct path path = {.len = 0};
    append(&path, u->comp_dir);
    append(&path, dir);
    append(&path, name);
    return u->files[number] = strings_add(&u->search->answer->strings, path.bytes, path.len);
}

/* The hit to look at next: spans mostly ascend, so the search starts where the last one ended. */
struct merge {
    struct unit *unit;
    size_t next;
};

static void take_span(void *arg, const struct line_row *row, uint64_t end)
{
    struct merge *m = arg;
    struct search *s = m->unit->search;
    if (!row->addr)
        return;
    if (m->next >= s->nhits || s->hits[m->next].addr >= end) {
        if (!m->next || s->hits[m->next - 1].addr < row->addr)
            return;
        m->next = debug_first_hit(s, row->addr);
    } else if (s->hits[m->next].addr < row->addr || (m->next && s->hits[m->next - 1].addr >= row->addr)) {
        m->next = debug_first_hit(s, row->addr);
    }
    for (; m->next < s->nhits && s->hits[m->next].addr < end; m->next++) {
        struct hit *hit = &s->hits[m->next];
        if (hit->has_row)
            continue;
        hit->has_row = true;
        hit->file = debug_file(m->unit, row->file);
        hit->line = row->line <= UINT32_MAX ? (uint32_t)row->line : 0;
    }
}

void debug_lines_apply(struct unit *u)
{
    Dwarf_Unsigned offset;
    Dwarf_Error error = NULL;
    size_t len = 0;
    if (!u->has_lines || !debug_ok(u->search->object.dbg, dwarf_srclines_table_offset(u->lines, &offset, &error), error))
        return;
    const uint8_t *section = debug_object_section(&u->search->object, ".debug_line", &len);
    struct merge m = {u, 0};
    if (!section || !line_program_run(section, len, offset, take_span, &m))
        u->search->corrupt = true;
}
