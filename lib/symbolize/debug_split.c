/* Where the split units are: in a package beside the program, in .dwo files where they were built, or beside it. */
#include "config.h"

#include "lib/symbolize/debug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PATH = 4096 };

static bool open_at(struct image *image, struct dwarf_file *file, int printed, const char *path)
{
    if (printed < 0 || printed >= MAX_PATH || image_open(image, path) != IMAGE_OK)
        return false;
    if (dwarf_open(file, image) && file->split)
        return true;
    dwarf_close(file);
    image_close(image);
    return false;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool open_package(struct search *s)
{
    char path[MAX_PATH];
    const char *debug = s->files->path, *names[] = {s->files->module, debug};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (open_at(&s->package_image, &s->package, snprintf(path, sizeof path, "%s.dwp", names[i]), path))
            return true;
    size_t len = strlen(debug);
    return len > 6 && !strcmp(debug + len - 6, ".debug") &&
           open_at(&s->package_image, &s->package, snprintf(path, sizeof path, "%.*s.dwp", (int)len - 6, debug), path);
}

static struct dwarf_unit *in_package(struct unit *u, struct dwarf_die *d)
{
    struct search *s = u->search;
    if (!s->package_sought)
        open_package(s);
    s->package_sought = true;
    return s->package.nunits ? dwarf_split_unit(&s->package, u->outer, d) : NULL;
}

static bool open_dwo(struct unit *u, struct debug_split *split, const char *name)
{
    char path[MAX_PATH];
    const char *beside[] = {u->search->files->path, u->search->files->module};
    const char *dir = dwarf_string(u->outer, &u->die, AT_COMP_DIR);
    int n = *name == '/' || !dir ? snprintf(path, sizeof path, "%s", name)
                                 : snprintf(path, sizeof path, "%s/%s", dir, name);
    if (open_at(&split->image, &split->file, n, path))
        return true;
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
        int dir_len = (int)(base_name(beside[i]) - beside[i]);
        n = snprintf(path, sizeof path, "%.*s%s", dir_len, beside[i], base_name(name));
        if (open_at(&split->image, &split->file, n, path))
            return true;
    }
    return false;
}

/* DIE offsets of another file mean something else. */
static void forget_names(struct search *s)
{
    free(s->names);
    s->names = NULL;
    s->nnames = s->names_cap = 0;
}

bool debug_split_enter(struct unit *u, struct debug_split *split)
{
    *split = (struct debug_split){.image = {0}};
    const char *name = dwarf_string(u->outer, &u->die, AT_DWO_NAME);
    if (!name)
        return false;
    struct dwarf_die d;
    if (!u->outer->id)
        u->outer->id = dwarf_number(&u->die, AT_DWO_ID);
    struct dwarf_unit *found = in_package(u, &d);
    if (!found && open_dwo(u, split, name))
        found = dwarf_split_unit(&split->file, u->outer, &d);
    if (!found) {
        u->search->no_split = true;
        dwarf_close(&split->file);
        image_close(&split->image);
        return false;
    }
    u->tree = found;
    forget_names(u->search);
    return true;
}

void debug_split_leave(struct unit *u, struct debug_split *split)
{
    forget_names(u->search);
    u->search->corrupt |= split->file.corrupt;
    u->search->failed |= split->file.failed;
    u->tree = u->outer;
    dwarf_close(&split->file);
    image_close(&split->image);
}

void debug_split_close_package(struct search *s)
{
    s->corrupt |= s->package.corrupt;
    s->failed |= s->package.failed;
    dwarf_close(&s->package);
    image_close(&s->package_image);
}
