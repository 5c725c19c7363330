/*
 * Split DWARF: the program holds a skeleton of each unit, with its addresses and line table; functions and inlined calls
 * are in a .dwo file. libdwarf finds the addresses through the program, to which the .dwo is tied.
 */
#include "config.h"

#include "lib/symbolize/debug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PATH = 4096 };

/* The attribute names of DWARF 5, and those of GCC's extension to DWARF 4. */
static char *text(struct unit *u, Dwarf_Half name, Dwarf_Half gnu_name)
{
    char *s = NULL;
    Dwarf_Error error = NULL;
    if (debug_ok(u->dbg, dwarf_die_text(u->die, name, &s, &error), error))
        return s;
    error = NULL;
    return gnu_name && debug_ok(u->dbg, dwarf_die_text(u->die, gnu_name, &s, &error), error) ? s : NULL;
}

static bool open_at(struct debug_split *split, int printed, const char *path)
{
    if (printed < 0 || printed >= MAX_PATH || image_open(&split->image, path) != IMAGE_OK)
        return false;
    if (debug_object_open(&split->object, &split->image))
        return true;
    image_close(&split->image);
    return false;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool open_dwo(struct unit *u, struct debug_split *split, const char *name)
{
    char path[MAX_PATH];
    const char *program = u->search->files->path, *dir = text(u, DW_AT_comp_dir, 0);
    int n = *name == '/' || !dir ? snprintf(path, sizeof path, "%s", name)
                                 : snprintf(path, sizeof path, "%s/%s", dir, name);
    if (open_at(split, n, path))
        return true;
    int dir_len = (int)(base_name(program) - program);
    n = snprintf(path, sizeof path, "%.*s%s", dir_len, program, base_name(name));
    return open_at(split, n, path);
}

/* The number that a skeleton shares with its unit: in the header from DWARF 5 on, an attribute before. */
static bool same_id(const Dwarf_Sig8 *a, const Dwarf_Sig8 *b)
{
    static const Dwarf_Sig8 none;
    return !memcmp(a, &none, sizeof none) || !memcmp(b, &none, sizeof none) || !memcmp(a, b, sizeof *a);
}

/* Finds the unit that the skeleton stands for, and makes u read its tree there. */
static bool enter_unit(struct unit *u, const struct debug_split *split)
{
    Dwarf_Debug dbg = split->object.dbg;
    Dwarf_Unsigned start = 0;
    for (;;) {
        Dwarf_Unsigned length, type_offset, next;
        Dwarf_Off abbrev;
        Dwarf_Half version, address_size, length_size, extension, type, tag;
        Dwarf_Sig8 id;
        Dwarf_Die die;
        Dwarf_Error error = NULL;
        memset(&id, 0, sizeof id);
        int r = dwarf_next_cu_header_d(dbg, 1, &length, &version, &abbrev, &address_size, &length_size, &extension, &id,
                                       &type_offset, &next, &type, &error);
        if (!debug_ok(dbg, r, error) || next <= start)
            return false;
        error = NULL;
        if (debug_ok(dbg, dwarf_siblingof_b(dbg, NULL, 1, &die, &error), error)) {
            error = NULL;
            if (debug_ok(dbg, dwarf_tag(die, &tag, &error), error) && tag == DW_TAG_compile_unit &&
                same_id(&u->id, &id)) {
                u->dbg = dbg;
                u->die = die;
                u->version = version;
                u->start = start;
                u->end = next;
                u->budget = next - start;
                return true;
            }
            dwarf_dealloc_die(die);
        }
        start = next;
    }
}

/* DIE offsets of another file mean something else. */
static void forget_names(struct search *s)
{
    free(s->names);
    s->names = NULL;
    s->nnames = s->names_cap = 0;
}

static void close_split(struct debug_split *split)
{
    debug_object_close(&split->object);
    debug_object_close(&split->skeleton);
    image_close(&split->image);
}

bool debug_split_enter(struct unit *u, struct debug_split *split)
{
    *split = (struct debug_split){.image = {0}};
    const char *name = text(u, DW_AT_dwo_name, DW_AT_GNU_dwo_name);
    if (!name)
        return false;
    Dwarf_Error error = NULL;
    struct search *s = u->search;
    if (open_dwo(u, split, name)) {
        /* This libdwarf finds the skeleton only if it is the first unit and not visited yet: that is what it gets to see. */
        if (debug_object_open_unit(&split->skeleton, s->files->main, u->start, u->end - u->start))
            dwarf_set_tied_dbg(split->object.dbg, split->skeleton.dbg, &error);
        if (enter_unit(u, split)) {
            forget_names(u->search);
            return true;
        }
        close_split(split);
    }
    u->search->no_split = true;
    return false;
}

void debug_split_leave(struct unit *u, struct debug_split *split)
{
    forget_names(u->search);
    dwarf_dealloc_die(u->die);
    close_split(split);
}
