#include "config.h"

#include <stdlib.h>

#include "lib/symbolize/array.h"
#include "lib/symbolize/dwarf.h"
#include "lib/symbolize/dwarf_names.h"
#include "lib/symbolize/line_program.h"

enum { MAX_ENTRIES = 1 << 20, MAX_FORMATS = 16 };

static bool add_dir(struct line_files *f, const char *name)
{
    if (f->ndirs == MAX_ENTRIES || !array_room(&f->dirs, f->ndirs, &f->dirs_cap, sizeof *f->dirs))
        return false;
    f->dirs[f->ndirs++] = name;
    return true;
}

static bool add_file(struct line_files *f, struct line_file file)
{
    if (f->nfiles == MAX_ENTRIES || !array_room(&f->files, f->nfiles, &f->files_cap, sizeof *f->files))
        return false;
    f->files[f->nfiles++] = file;
    return true;
}

/* DWARF 2 to 4. Entry 0 of both tables is not written: the compilation directory, and no file. */
static bool read_old(struct line_files *f, struct cursor *c)
{
    const char *name;
    f->first = 1;
    if (!add_dir(f, NULL) || !add_file(f, (struct line_file){0}))
        return false;
    while ((name = cursor_string(c)) && *name)
        if (!add_dir(f, name))
            return false;
    while ((name = cursor_string(c)) && *name) {
        uint64_t dir = cursor_uleb(c);
        cursor_uleb(c);
        cursor_uleb(c);
        if (!add_file(f, (struct line_file){name, dir}))
            return false;
    }
    return !c->bad;
}

/* One table of DWARF 5: a description of its columns, then the rows. */
static bool read_table(struct line_files *f, struct cursor *c, const struct dwarf_unit *u, bool files)
{
    uint64_t content[MAX_FORMATS], form[MAX_FORMATS], nformats = cursor_fixed(c, 1);
    if (nformats > MAX_FORMATS)
        return false;
    for (uint64_t i = 0; i < nformats; i++) {
        content[i] = cursor_uleb(c);
        form[i] = cursor_uleb(c);
    }
    const uint8_t *section = u->file->sections[DWARF_LINE].p;
    for (uint64_t n = cursor_uleb(c); n > 0; n--) {
        struct line_file file = {.dir = LINE_NO_DIR};
        for (uint64_t i = 0; i < nformats; i++) {
            struct dwarf_value v;
            const uint8_t *before = c->p;
            if (form[i] > UINT16_MAX || !dwarf_form_read(c, section, u, (uint16_t)form[i], 0, &v))
                return false;
            if (content[i] == DW_LNCT_path)
                file.name = v.form == DW_FORM_string ? (const char *)before : dwarf_string_value(u, v);
            else if (content[i] == DW_LNCT_directory_index)
                file.dir = v.v;
        }
        if (c->bad || !nformats || !(files ? add_file(f, file) : add_dir(f, file.name)))
            return false;
    }
    return !c->bad;
}

bool line_files_read(struct line_files *f, const struct dwarf_unit *u, uint64_t offset)
{
    struct line_header h;
    const struct bytes *s = &u->file->sections[DWARF_LINE];
    *f = (struct line_files){.first = 0};
    if (!line_header_read(&h, s->p, s->len, offset))
        return false;
    if (h.version < 5)
        return read_old(f, &h.tables);
    struct dwarf_unit same_word = *u;
    same_word.word = (uint8_t)h.word;
    return read_table(f, &h.tables, &same_word, false) && read_table(f, &h.tables, &same_word, true);
}

void line_files_free(struct line_files *f)
{
    free(f->dirs);
    free(f->files);
    *f = (struct line_files){.first = 0};
}
