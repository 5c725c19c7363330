#include "config.h"

#include "lib/symbolize/debug.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 1 << 20, MAX_PATH = 4096 };

void debug_lines_open(struct unit *u, Dwarf_Die die)
{
    Dwarf_Unsigned version;
    Dwarf_Small tables;
    Dwarf_Error error = NULL;
    Dwarf_Signed count;
    u->has_lines = debug_ok(u->dbg, dwarf_srclines_b(die, &version, &tables, &u->lines, &error), error);
    if (!u->has_lines)
        return;
    error = NULL;
    if (!debug_ok(u->dbg, dwarf_srclines_comp_dir(u->lines, &u->comp_dir, &error), error))
        u->comp_dir = NULL;
    error = NULL;
    if (!debug_ok(u->dbg, dwarf_srclines_files_indexes(u->lines, &u->first_file, &count, &u->end_file, &error), error) ||
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
    if (!debug_ok(u->dbg, r, error) || !name)
        return 0;
    /* Directory 0 is the compilation directory, before DWARF 5 without being in the table. */
    error = NULL;
    if ((dir_number || u->first_file == 0) &&
        !debug_ok(u->dbg, dwarf_srclines_include_dir_data(u->lines, (Dwarf_Signed)dir_number, &dir, &error), error))
        dir = NULL;
    struct path path = {.len = 0};
    append(&path, u->comp_dir);
    append(&path, dir);
    append(&path, name);
    return u->files[number] = strings_add(&u->search->answer->strings, path.bytes, path.len);
}

static bool row_address(struct unit *u, Dwarf_Line row, Dwarf_Addr *addr)
{
    Dwarf_Error error = NULL;
    return debug_ok(u->dbg, dwarf_lineaddr(row, addr, &error), error);
}

static void take_row(struct unit *u, struct hit *hit, Dwarf_Line row)
{
    Dwarf_Unsigned file, line;
    Dwarf_Error error = NULL;
    if (!debug_ok(u->dbg, dwarf_line_srcfileno(row, &file, &error), error))
        return;
    error = NULL;
    if (!debug_ok(u->dbg, dwarf_lineno(row, &line, &error), error))
        return;
    hit->has_row = true;
    hit->file = debug_file(u, file);
    hit->line = line <= UINT32_MAX ? (uint32_t)line : 0;
}

static size_t first_hit_from(const struct search *s, uint64_t addr)
{
    size_t a = 0, b = s->nhits;
    while (a < b) {
        size_t m = a + (b - a) / 2;
        if (s->hits[m].addr < addr)
            a = m + 1;
        else
            b = m;
    }
    return a;
}

/* Merges the rows of one sequence, whose addresses ascend, with the hits. Of rows at one address the last one counts. */
static void apply_sequence(struct unit *u, Dwarf_Line *rows, Dwarf_Signed n)
{
    struct search *s = u->search;
    Dwarf_Addr start, end, next;
    if (n < 2 || !row_address(u, rows[0], &start) || !row_address(u, rows[n - 1], &end) || !start)
        return;
    size_t h = first_hit_from(s, start);
    for (Dwarf_Signed i = 0; i + 1 < n && h < s->nhits && s->hits[h].addr < end; i++, start = next) {
        if (!row_address(u, rows[i + 1], &next))
            return;
        for (; h < s->nhits && s->hits[h].addr < next; h++)
            if (s->hits[h].addr >= start && !s->hits[h].has_row)
                take_row(u, &s->hits[h], rows[i]);
    }
}

void debug_lines_apply(struct unit *u)
{
    Dwarf_Line *rows;
    Dwarf_Signed n, first = 0;
    Dwarf_Error error = NULL;
    if (!u->has_lines)
        return;
    if (!debug_ok(u->dbg, dwarf_srclines_from_linecontext(u->lines, &rows, &n, &error), error)) {
        u->search->corrupt = true;
        return;
    }
    for (Dwarf_Signed i = 0; i < n; i++) {
        Dwarf_Bool end = 0;
        if (dwarf_lineendsequence(rows[i], &end, &error) != DW_DLV_OK || !end)
            continue;
        apply_sequence(u, rows + first, i + 1 - first);
        first = i + 1;
    }
}
