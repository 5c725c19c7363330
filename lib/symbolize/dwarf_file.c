#include "config.h"

#include <stdlib.h>

#include "lib/symbolize/array.h"
#include "lib/symbolize/dwarf.h"
#include "lib/symbolize/dwarf_names.h"

static const struct {
    const char *name, *split; /* in a program, and in a .dwo file or a package; NULL: not there */
} names[DWARF_SECTION_COUNT] = {
    [DWARF_ABBREV] = {".debug_abbrev", ".debug_abbrev.dwo"},
    [DWARF_ADDR] = {".debug_addr", NULL},
    [DWARF_INFO] = {".debug_info", ".debug_info.dwo"},
    [DWARF_LINE] = {".debug_line", NULL},
    [DWARF_LINE_STR] = {".debug_line_str", NULL},
    [DWARF_RANGES] = {".debug_ranges", NULL},
    [DWARF_RNGLISTS] = {".debug_rnglists", ".debug_rnglists.dwo"},
    [DWARF_STR] = {".debug_str", ".debug_str.dwo"},
    [DWARF_STR_OFFSETS] = {".debug_str_offsets", ".debug_str_offsets.dwo"},
    [DWARF_CU_INDEX] = {NULL, ".debug_cu_index"},
    [DWARF_TU_INDEX] = {NULL, ".debug_tu_index"},
};

/* The section of that name, or with .zdebug for .debug at its beginning. */
static struct section *find_section(const struct image *im, const char *name)
{
    struct section *s = image_section(im, name);
    for (size_t i = 0; !s && i < im->nsections; i++)
        if (!strncmp(im->sections[i].name, ".z", 2) && !strcmp(im->sections[i].name + 2, name + 1))
            s = &im->sections[i];
    return s;
}

static void load_sections(struct dwarf_file *f, struct image *im)
{
    for (size_t i = 0; i < DWARF_SECTION_COUNT; i++) {
        const char *name = f->split ? names[i].split : names[i].name;
        struct section *s = name ? find_section(im, name) : NULL;
        f->sections[i].p = image_contents(im, s, &f->sections[i].len);
        if (f->sections[i].p)
            continue;
        f->corrupt |= s && s->len;
        f->sections[i] = (struct bytes){(const uint8_t *)"", 0};
    }
}

/* Reads the header that c stands at, and puts c behind the unit. False: malformed. */
static bool read_header(struct dwarf_unit *u, struct cursor *c, const uint8_t *section)
{
    u->start = (uint64_t)(c->p - section);
    u->word = 4;
    uint64_t len = cursor_fixed(c, 4), address_size;
    if (len == UINT32_MAX) {
        u->word = 8;
        len = cursor_fixed(c, 8);
    }
    if (c->bad || len > (uint64_t)(c->end - c->p))
        return false;
    struct cursor h = {c->p, c->p + len, false};
    c->p += len;
    u->end = (uint64_t)(c->p - section);
    u->version = (uint16_t)cursor_fixed(&h, 2);
    u->type = DW_UT_compile;
    if (u->version < 2 || u->version > 5)
        return false;
    if (u->version == 5) {
        u->type = (uint8_t)cursor_fixed(&h, 1);
        address_size = cursor_fixed(&h, 1);
        u->abbrev_offset = cursor_fixed(&h, u->word);
        if (u->type == DW_UT_skeleton || u->type == DW_UT_split_compile) {
            u->id = cursor_fixed(&h, 8);
        } else if (u->type == DW_UT_type || u->type == DW_UT_split_type) {
            u->id = cursor_fixed(&h, 8);
            u->type_offset = cursor_fixed(&h, u->word);
        }
    } else {
        u->abbrev_offset = cursor_fixed(&h, u->word);
        address_size = cursor_fixed(&h, 1);
    }
    u->dies = (uint64_t)(h.p - section);
    return !h.bad && address_size == 8;
}

/* What comes after a header that cannot be read is not found; a unit that cannot be read is left out. */
static bool find_units(struct dwarf_file *f)
{
    const struct bytes *info = &f->sections[DWARF_INFO];
    struct cursor c = {info->p, info->p + info->len, false};
    size_t cap = 0;
    while (c.p < c.end) {
        const uint8_t *before = c.p;
        struct dwarf_unit u = {.file = f};
        if (!read_header(&u, &c, info->p)) {
            f->corrupt = true;
            if (c.bad || c.p == before || u.end <= u.start)
                break;
            continue;
        }
        if (!array_room(&f->units, f->nunits, &cap, sizeof *f->units))
            return false;
        f->units[f->nunits++] = u;
    }
    return true;
}

bool dwarf_open(struct dwarf_file *f, struct image *im)
{
    *f = (struct dwarf_file){.split = image_section(im, ".debug_info.dwo") != NULL};
    load_sections(f, im);
    f->failed = !find_units(f);
    return !f->failed && f->nunits > 0;
}

void dwarf_close(struct dwarf_file *f)
{
    for (size_t i = 0; i < f->ntables; i++)
        dwarf_abbrevs_free(f->tables[i]);
    free(f->tables);
    free(f->units);
    *f = (struct dwarf_file){.corrupt = false};
}

struct dwarf_unit *dwarf_unit_at(struct dwarf_file *f, uint64_t offset)
{
    size_t a = 0, b = f->nunits;
    while (a < b) {
        size_t m = a + (b - a) / 2;
        if (f->units[m].start <= offset)
            a = m + 1;
        else
            b = m;
    }
    return a && offset < f->units[a - 1].end ? &f->units[a - 1] : NULL;
}

bool dwarf_unit_prepare(struct dwarf_unit *u, struct dwarf_die *d)
{
    if (!dwarf_die_read(u, u->dies, d))
        return false;
    if (u->prepared)
        return true;
    u->prepared = true;
    u->addr = u->file->sections[DWARF_ADDR];
    u->ranges = u->file->sections[DWARF_RANGES];
    u->rnglists = u->file->sections[DWARF_RNGLISTS];
    u->str_offsets_base = dwarf_number(d, AT_STR_OFFSETS_BASE);
    u->addr_base = dwarf_number(d, AT_ADDR_BASE);
    u->rnglists_base = dwarf_number(d, AT_RNGLISTS_BASE);
    if (!dwarf_has(d, AT_LOW_PC) || !dwarf_address(u, d->values[AT_LOW_PC], &u->low_pc))
        u->low_pc = 0;
    return true;
}
