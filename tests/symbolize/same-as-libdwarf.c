/*
 * same-as-libdwarf FILE…: every entry of a file's DWARF, as we read it and as libdwarf does: where it stands, what it
 * is, its addresses, names, lines and references. The files are sound; on such libdwarf is right.
 */
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/symbolize/libdwarf.h"

/* Its constants are macros of the names that ours have. */
#define THRACE_LIB_SYMBOLIZE_DWARF_NAMES_H
#include "lib/symbolize/dwarf.h"

struct comparison {
    Dwarf_Debug dbg;
    struct dwarf_file file;
    struct dwarf_unit *unit;
    struct spans spans;
    uint64_t at; /* of our next DIE */
    size_t compared, differences;
};

static void differ(struct comparison *c, const char *what, uint64_t ours, uint64_t theirs)
{
    if (c->differences++ < 5)
        printf("# DIE 0x%" PRIx64 ": %s is 0x%" PRIx64 ", libdwarf has 0x%" PRIx64 "\n", c->at, what, ours, theirs);
}

static const struct {
    const char *what;
    enum dwarf_attribute ours;
    Dwarf_Half theirs;
} texts[] = {{"name", AT_NAME, DW_AT_name}, {"linkage name", AT_LINKAGE_NAME, DW_AT_linkage_name}},
  numbers[] = {{"line", AT_DECL_LINE, DW_AT_decl_line},      {"file", AT_DECL_FILE, DW_AT_decl_file},
               {"call line", AT_CALL_LINE, DW_AT_call_line}, {"call file", AT_CALL_FILE, DW_AT_call_file}},
  references[] = {{"origin", AT_ORIGIN, DW_AT_abstract_origin},
                  {"specification", AT_SPECIFICATION, DW_AT_specification}};

static void compare_texts(struct comparison *c, const struct dwarf_die *d, Dwarf_Die theirs)
{
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char *text = NULL;
        Dwarf_Error error = NULL;
        if (dwarf_die_text(theirs, texts[i].theirs, &text, &error) != DW_DLV_OK &&
            (texts[i].ours != AT_LINKAGE_NAME ||
             dwarf_die_text(theirs, DW_AT_MIPS_linkage_name, &text, &error) != DW_DLV_OK))
            text = NULL;
        const char *ours = dwarf_string(c->unit, d, texts[i].ours);
        if (!ours != !text || (text && strcmp(ours, text)))
            differ(c, texts[i].what, ours != NULL, text != NULL);
    }
}

static void compare_numbers(struct comparison *c, const struct dwarf_die *d, Dwarf_Die theirs)
{
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        Dwarf_Attribute attr;
        Dwarf_Unsigned value = 0;
        Dwarf_Signed with_sign = 0;
        Dwarf_Error error = NULL;
        bool there = dwarf_attr(theirs, numbers[i].theirs, &attr, &error) == DW_DLV_OK;
        if (there && dwarf_formudata(attr, &value, &error) != DW_DLV_OK) {
            dwarf_formsdata(attr, &with_sign, &error);
            value = (Dwarf_Unsigned)with_sign;
        }
        if (dwarf_number(d, numbers[i].ours) != value)
            differ(c, numbers[i].what, dwarf_number(d, numbers[i].ours), value);
    }
}

static void compare_references(struct comparison *c, const struct dwarf_die *d, Dwarf_Die theirs)
{
    for (size_t i = 0; i < sizeof references / sizeof references[0]; i++) {
        Dwarf_Attribute attr;
        Dwarf_Off to = 0;
        Dwarf_Error error = NULL;
        uint64_t ours = 0;
        bool alt;
        if (dwarf_attr(theirs, references[i].theirs, &attr, &error) == DW_DLV_OK)
            dwarf_global_formref(attr, &to, &error);
        if (!dwarf_reference(c->unit, d, references[i].ours, &ours, &alt))
            ours = 0;
        if (ours != to)
            differ(c, references[i].what, ours, to);
    }
}

/* The sum of the bytes and of the starts: two lists of ranges with the same sums are the same for a test. */
struct sums {
    uint64_t starts, bytes;
};

static void add_up(struct sums *s, uint64_t start, uint64_t end)
{
    if (start && start < end) {
        s->starts += start;
        s->bytes += end - start;
    }
}

static void sum_of_ranges(struct comparison *c, Dwarf_Die die, Dwarf_Attribute attr, struct sums *s)
{
    Dwarf_Error error = NULL;
    Dwarf_Off offset, real;
    Dwarf_Ranges *list;
    Dwarf_Signed n;
    Dwarf_Unsigned bytes;
    if (dwarf_global_formref(attr, &offset, &error) != DW_DLV_OK ||
        dwarf_get_ranges_b(c->dbg, offset, die, &real, &list, &n, &bytes, &error) != DW_DLV_OK)
        return;
    uint64_t base = c->unit->low_pc;
    for (Dwarf_Signed i = 0; i < n && list[i].dwr_type != DW_RANGES_END; i++) {
        if (list[i].dwr_type == DW_RANGES_ADDRESS_SELECTION)
            base = list[i].dwr_addr2;
        else
            add_up(s, base + list[i].dwr_addr1, base + list[i].dwr_addr2);
    }
}

static void sum_of_rnglist(Dwarf_Attribute attr, struct sums *s)
{
    Dwarf_Error error = NULL;
    Dwarf_Half form = 0;
    Dwarf_Unsigned value, n, offset;
    Dwarf_Rnglists_Head head;
    if (dwarf_whatform(attr, &form, &error) != DW_DLV_OK ||
        (form == DW_FORM_rnglistx ? dwarf_formudata(attr, &value, &error)
                                  : dwarf_global_formref(attr, &value, &error)) != DW_DLV_OK ||
        dwarf_rnglists_get_rle_head(attr, form, value, &head, &n, &offset, &error) != DW_DLV_OK)
        return;
    for (Dwarf_Unsigned i = 0; i < n; i++) {
        unsigned len, code;
        Dwarf_Unsigned raw1, raw2, start, end;
        Dwarf_Bool unknown = 0;
        if (dwarf_get_rnglists_entry_fields_a(head, i, &len, &code, &raw1, &raw2, &unknown, &start, &end, &error) ==
                DW_DLV_OK &&
            !unknown && code != DW_RLE_end_of_list && code != DW_RLE_base_address && code != DW_RLE_base_addressx)
            add_up(s, start, end);
    }
}

static void compare_addresses(struct comparison *c, const struct dwarf_die *d, Dwarf_Die theirs)
{
    Dwarf_Addr low, high;
    Dwarf_Half form;
    enum Dwarf_Form_Class class;
    Dwarf_Error error = NULL;
    Dwarf_Attribute attr;
    struct sums ours = {0}, others = {0};
    dwarf_spans(c->unit, d, &c->spans);
    for (size_t i = 0; i < c->spans.n; i++)
        add_up(&ours, c->spans.v[i].start, c->spans.v[i].end);
    if (dwarf_lowpc(theirs, &low, &error) == DW_DLV_OK &&
        dwarf_highpc_b(theirs, &high, &form, &class, &error) == DW_DLV_OK)
        add_up(&others, low, class == DW_FORM_CLASS_CONSTANT ? low + high : high);
    else if (dwarf_attr(theirs, DW_AT_ranges, &attr, &error) == DW_DLV_OK)
        c->unit->version >= 5 ? sum_of_rnglist(attr, &others) : sum_of_ranges(c, theirs, attr, &others);
    if (ours.starts != others.starts || ours.bytes != others.bytes)
        differ(c, "size of its code", ours.bytes, others.bytes);
}

/* Our DIEs come in the order of the file; so do theirs, children first. */
static bool compare_die(struct comparison *c, Dwarf_Die theirs)
{
    Dwarf_Off offset = 0;
    Dwarf_Half tag = 0;
    Dwarf_Error error = NULL;
    struct dwarf_die d;
    dwarf_dieoffset(theirs, &offset, &error);
    dwarf_tag(theirs, &tag, &error);
    do {
        if (!dwarf_die_begin(c->unit, c->at, &d)) {
            differ(c, "unreadable entry", c->at, offset);
            return false;
        }
        c->at = d.next;
    } while (!d.abbrev);
    if (d.offset != offset || d.tag != tag) {
        differ(c, "place", d.offset, offset);
        return false;
    }
    struct dwarf_die passed = d;
    if (!dwarf_die_attributes(c->unit, &d) || !dwarf_die_pass(c->unit, &passed) || passed.next != d.next)
        differ(c, "end", passed.next, d.next);
    compare_texts(c, &d, theirs);
    compare_numbers(c, &d, theirs);
    compare_references(c, &d, theirs);
    compare_addresses(c, &d, theirs);
    c->at = d.next;
    c->compared++;
    return true;
}

static bool compare_tree(struct comparison *c, Dwarf_Die die)
{
    for (;;) {
        Dwarf_Die child, next;
        Dwarf_Error error = NULL;
        if (!compare_die(c, die))
            return false;
        if (dwarf_child(die, &child, &error) == DW_DLV_OK && !compare_tree(c, child))
            return false;
        if (dwarf_siblingof_b(c->dbg, die, 1, &next, &error) != DW_DLV_OK)
            return true;
        die = next;
    }
}

static void compare_units(struct comparison *c)
{
    for (size_t i = 0;; i++) {
        Dwarf_Unsigned length, type_offset, next;
        Dwarf_Off abbrev;
        Dwarf_Half version, address_size, length_size, extension, type;
        Dwarf_Sig8 signature;
        Dwarf_Error error = NULL;
        Dwarf_Die die;
        struct dwarf_die own;
        if (dwarf_next_cu_header_e(c->dbg, 1, &die, &length, &version, &abbrev, &address_size, &length_size,
                                   &extension, &signature, &type_offset, &next, &type, &error) != DW_DLV_OK) {
            if (i != c->file.nunits)
                differ(c, "number of units", c->file.nunits, i);
            return;
        }
        if (i == c->file.nunits) {
            differ(c, "unit", i, i);
            return;
        }
        c->unit = &c->file.units[i];
        c->at = c->unit->dies;
        if (!dwarf_unit_prepare(c->unit, &own) || !compare_tree(c, die))
            differ(c, "tree", 0, 1);
    }
}

static bool compare_file(const char *path)
{
    struct image image;
    struct comparison c = {.at = 0};
    Dwarf_Error error = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (image_open(&image, path) != IMAGE_OK || !dwarf_open(&c.file, &image) ||
        dwarf_init_b(fd, DW_GROUPNUMBER_ANY, NULL, NULL, &c.dbg, &error) != DW_DLV_OK) {
        printf("# no debug info\n");
        return false;
    }
    compare_units(&c);
    printf("# %zu units, %zu entries\n", c.file.nunits, c.compared);
    dwarf_finish(c.dbg);
    bool same = !c.differences && !c.file.corrupt && c.compared > 0;
    free(c.spans.v);
    dwarf_close(&c.file);
    image_close(&image);
    return same;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        printf("%s %d - %s\n", compare_file(argv[i]) ? "ok" : "not ok", i, strrchr(argv[i], '/') + 1);
    printf("1..%d\n", argc - 1);
    return 0;
}
