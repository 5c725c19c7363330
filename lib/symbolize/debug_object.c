/* What libdwarf sees of a file: only sections that we use, in bounds, decompressed, under their plain names. */
#include "config.h"

#include "lib/symbolize/debug.h"

#include <elf.h>
#include <string.h>

static const char *const wanted[] = {
    ".debug_abbrev",     ".debug_addr",        ".debug_info",         ".debug_line",      ".debug_line_str",
    ".debug_ranges",     ".debug_rnglists",    ".debug_str",          ".debug_str_offsets",
    ".debug_abbrev.dwo", ".debug_info.dwo",    ".debug_line.dwo",     ".debug_str.dwo",   ".debug_str_offsets.dwo",
    ".debug_rnglists.dwo",
};

enum { NWANTED = sizeof wanted / sizeof wanted[0] };

/* The plain spelling of a section's name if we want it, else NULL. */
static const char *wanted_name(const struct section *s)
{
    bool packed = !strncmp(s->name, ".z", 2);
    for (size_t i = 0; i < NWANTED; i++)
        if (packed ? !strcmp(s->name + 2, wanted[i] + 1) : !strcmp(s->name, wanted[i]))
            return wanted[i];
    return NULL;
}

static const uint8_t *contents(const struct debug_object *o, size_t index, size_t *len)
{
    const uint8_t *p = image_contents(o->image, o->sections[index], len);
    if (!p || !o->window_len || strcmp(o->names[index], ".debug_info"))
        return p;
    if (o->window_start > *len || o->window_len > *len - o->window_start)
        return NULL;
    *len = o->window_len;
    return p + o->window_start;
}

static int get_info(void *object, Dwarf_Half index, Dwarf_Obj_Access_Section *out, int *error)
{
    struct debug_object *o = object;
    *out = (Dwarf_Obj_Access_Section){.name = ""};
    if (index >= o->nsections)
        return DW_DLV_NO_ENTRY;
    if (!index)
        return DW_DLV_OK;
    size_t len = 0;
    contents(o, index, &len);
    out->type = SHT_PROGBITS;
    out->size = len;
    out->name = o->names[index];
    return DW_DLV_OK;
}

static int load(void *object, Dwarf_Half index, Dwarf_Small **data, int *error)
{
    struct debug_object *o = object;
    size_t len;
    if (!index || index >= o->nsections)
        return DW_DLV_NO_ENTRY;
    *data = (Dwarf_Small *)contents(o, index, &len);
    return *data ? DW_DLV_OK : DW_DLV_NO_ENTRY;
}

static Dwarf_Endianness byte_order(void *object) { return DW_OBJECT_LSB; }
static Dwarf_Small word_size(void *object) { return 8; }
static Dwarf_Unsigned count(void *object) { return ((struct debug_object *)object)->nsections; }

static const Dwarf_Obj_Access_Methods methods = {
    .get_section_info = get_info,
    .get_byte_order = byte_order,
    .get_length_size = word_size,
    .get_pointer_size = word_size,
    .get_section_count = count,
    .load_section = load,
};

_Static_assert((int)NWANTED < (int)DEBUG_MAX_SECTIONS, "the first section is an empty one");

bool debug_object_open(struct debug_object *o, struct image *im) { return debug_object_open_unit(o, im, 0, 0); }

bool debug_object_open_unit(struct debug_object *o, struct image *im, size_t start, size_t len)
{
    *o = (struct debug_object){.image = im, .nsections = 1, .window_start = start, .window_len = len};
    for (size_t i = 0; i < im->nsections && o->nsections <= NWANTED; i++) {
        struct section *s = &im->sections[i];
        const char *name = s->len ? wanted_name(s) : NULL;
        size_t size;
        if (!name || !image_contents(im, s, &size))
            continue;
        o->names[o->nsections] = name;
        o->sections[o->nsections++] = s;
    }
    o->access = (Dwarf_Obj_Access_Interface){.object = o, .methods = &methods};
    Dwarf_Error error = NULL;
    dwarf_set_de_alloc_flag(0);
    int r = dwarf_object_init_b(&o->access, NULL, NULL, DW_GROUPNUMBER_ANY, &o->dbg, &error);
    if (r == DW_DLV_OK)
        return true;
    o->dbg = NULL;
    debug_object_close(o);
    return false;
}

void debug_object_close(struct debug_object *o)
{
    Dwarf_Error error = NULL;
    if (o->dbg)
        dwarf_object_finish(o->dbg, &error);
    *o = (struct debug_object){0};
}

const uint8_t *debug_object_section(const struct debug_object *o, const char *name, size_t *len)
{
    for (size_t i = 1; i < o->nsections; i++)
        if (!strcmp(o->names[i], name))
            return image_contents(o->image, o->sections[i], len);
    return NULL;
}
