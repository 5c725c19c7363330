#include "config.h"

#include "lib/symbolize/debug.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PATH = 4096 };

void debug_lines_open(struct unit *u)
{
    u->comp_dir = dwarf_string(u->outer, &u->die, AT_COMP_DIR);
    if (!dwarf_has(&u->die, AT_STMT_LIST))
        return;
    if (!line_files_read(&u->lines, u->outer, dwarf_number(&u->die, AT_STMT_LIST)))
        u->search->corrupt = true;
    u->files = calloc(u->lines.nfiles + 1, sizeof *u->files);
    if (!u->files)
        u->search->failed = true;
}

void debug_lines_close(struct unit *u)
{
    line_files_free(&u->lines);
    free(u->files);
    u->files = NULL;
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

uint32_t debug_file(struct unit *u, uint64_t number)
{
    const struct line_files *lines = &u->lines;
    if (!u->files || number < lines->first || number >= lines->nfiles || !lines->files[number].name)
        return 0;
    if (u->files[number])
        return u->files[number];
    const struct line_file *file = &lines->files[number];
    struct path path = {.len = 0};
    append(&path, u->comp_dir);
    append(&path, file->dir < lines->ndirs ? lines->dirs[file->dir] : NULL);
    append(&path, file->name);
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
    const struct bytes *section = &u->outer->file->sections[DWARF_LINE];
    struct merge m = {u, 0};
    if (dwarf_has(&u->die, AT_STMT_LIST) &&
        !line_program_run(section->p, section->len, dwarf_number(&u->die, AT_STMT_LIST), take_span, &m))
        u->search->corrupt = true;
}
