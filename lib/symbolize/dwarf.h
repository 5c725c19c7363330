/*
 * A reader of DWARF 2 to 5: units, entries (DIEs), strings, addresses and ranges, of whole, split and packaged files.
 * It reads what naming a PC or a variable needs and passes over the rest. No number in a file is trusted: what is
 * malformed or leads out of its section ends the reading there, and is remembered in dwarf_file.corrupt.
 *
 * docs/symbols.md says why libdwarf does not do this.
 */
#ifndef THRACE_LIB_SYMBOLIZE_DWARF_H
#define THRACE_LIB_SYMBOLIZE_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/symbolize/cursor.h"
#include "lib/symbolize/image.h"

struct bytes {
    const uint8_t *p;
    size_t len;
};

enum dwarf_section {
    DWARF_ABBREV,
    DWARF_ADDR,
    DWARF_INFO,
    DWARF_LINE,
    DWARF_LINE_STR,
    DWARF_RANGES,
    DWARF_RNGLISTS,
    DWARF_STR,
    DWARF_STR_OFFSETS,
    DWARF_CU_INDEX,
    DWARF_TU_INDEX,
    DWARF_SECTION_COUNT
};

/* The attributes that are kept of a DIE; those that say the same thing in different versions share one. */
enum dwarf_attribute {
    AT_SIBLING,
    AT_LOW_PC,
    AT_HIGH_PC,
    AT_RANGES,
    AT_ORIGIN,
    AT_SPECIFICATION,
    AT_NAME,
    AT_LINKAGE_NAME,
    AT_DECL_FILE,
    AT_DECL_LINE,
    AT_CALL_FILE,
    AT_CALL_LINE,
    AT_STMT_LIST,
    AT_COMP_DIR,
    AT_LANGUAGE,
    AT_STR_OFFSETS_BASE,
    AT_ADDR_BASE,
    AT_RNGLISTS_BASE,
    AT_RANGES_BASE,
    AT_DWO_NAME,
    AT_DWO_ID,
    AT_LOCATION,
    AT_TYPE,
    AT_SIGNATURE,
    AT_BYTE_SIZE,
    AT_BIT_SIZE,
    AT_MEMBER_LOCATION,
    AT_ELEMENTS, /* DW_AT_count */
    AT_UPPER_BOUND,
    AT_DECLARATION,
    AT_FRAME_BASE,
    AT_COUNT
};

struct dwarf_value {
    uint64_t v; /* as it is in the file; of an inline string or a block its offset in .debug_info */
    uint16_t form;
};

struct dwarf_abbrev {
    uint64_t code;
    uint32_t first, n; /* its attributes */
    uint16_t tag;
    bool children;
    bool has_sibling;
    int32_t size; /* of the attributes in bytes; -1 if that varies */
};

struct dwarf_abbrevs;

struct dwarf_die {
    const struct dwarf_abbrev *abbrev; /* NULL: the end of a list of siblings. Valid until the next DIE is read. */
    uint64_t offset, at, next;         /* in .debug_info: itself, its attributes, what comes after them */
    uint16_t tag;
    bool children;
    uint32_t have; /* bit per attribute */
    struct dwarf_value values[AT_COUNT];
};

struct dwarf_unit {
    struct dwarf_file *file;
    uint64_t start, end, dies; /* offsets in .debug_info */
    uint64_t abbrev_offset;
    uint64_t id; /* of a skeleton and its split unit, the signature of a type unit; 0 if there is none */
    uint64_t type_offset; /* of a type unit, from its start: the type that it is about */
    struct dwarf_abbrevs *abbrevs;
    uint16_t version;
    uint8_t type, word; /* word: the size of offsets, 4 or 8 */
    bool prepared;
    /* Known once prepared. */
    uint64_t low_pc, str_offsets_base, addr_base, rnglists_base, ranges_base;
    struct bytes rnglists, ranges, addr; /* of a split unit partly the program's */
};

struct dwarf_file {
    struct bytes sections[DWARF_SECTION_COUNT];
    bool split; /* a .dwo file or a package of them */
    struct dwarf_file *alt; /* dwz's common file; not owned; may be NULL */
    struct dwarf_unit *units;
    size_t nunits;
    struct dwarf_abbrevs **tables;
    size_t ntables, tables_cap;
    bool corrupt, failed /* out of memory */;
};

struct span {
    uint64_t start, end;
};

struct spans {
    struct span *v;
    size_t n, cap;
};

/* --- files and units: dwarf_file.c -------------------------------------------------------------------------------- */

/* The image must outlive the file. False: there is no DWARF in it, or memory ran out. Must be closed in any case. */
bool dwarf_open(struct dwarf_file *, struct image *);
void dwarf_close(struct dwarf_file *);

/* The unit that holds this offset of .debug_info, or NULL. */
struct dwarf_unit *dwarf_unit_at(struct dwarf_file *, uint64_t offset);

/* Reads the unit's own DIE and what its attributes mean for the others. False: it cannot be read. */
bool dwarf_unit_prepare(struct dwarf_unit *, struct dwarf_die *);

/*
 * The unit of a .dwo file or a package that a skeleton stands for, ready to be read: it has its addresses through the
 * skeleton, which is prepared. NULL when it is not there. dwarf_split.c
 */
struct dwarf_unit *dwarf_split_unit(struct dwarf_file *, const struct dwarf_unit *skeleton, struct dwarf_die *);

/* The unit of a .dwo file or a package that describes the type with this signature, for one that refers to it. */
struct dwarf_unit *dwarf_split_type_unit(const struct dwarf_unit *from, uint64_t signature);

/* --- abbreviations: dwarf_abbrev.c -------------------------------------------------------------------------------- */

struct dwarf_spec {
    int64_t constant; /* the value, for DW_FORM_implicit_const */
    uint16_t form;
    uint8_t attribute; /* AT_COUNT if it is not kept */
};

/* A table is read as far as somebody has asked. */
struct dwarf_abbrevs {
    uint64_t offset;
    uint8_t word, version;
    struct cursor rest;
    struct dwarf_abbrev *v;
    size_t n, cap;
    struct dwarf_spec *specs;
    size_t nspecs, specs_cap;
    bool whole, sorted;
};

struct dwarf_abbrevs *dwarf_abbrevs_of(struct dwarf_unit *);
const struct dwarf_abbrev *dwarf_abbrev_find(struct dwarf_abbrevs *, uint64_t code);
void dwarf_abbrevs_free(struct dwarf_abbrevs *);

/* --- entries: dwarf_die.c ----------------------------------------------------------------------------------------- */

/* Reads the head of the DIE; then either its attributes, or only where it ends. False: malformed. */
bool dwarf_die_begin(struct dwarf_unit *, uint64_t offset, struct dwarf_die *);
bool dwarf_die_attributes(struct dwarf_unit *, struct dwarf_die *);
bool dwarf_die_pass(struct dwarf_unit *, struct dwarf_die *);

/* All of it: begin and attributes of a DIE that must be one. */
bool dwarf_die_read(struct dwarf_unit *, uint64_t offset, struct dwarf_die *);

/* Where the DIE itself says that its siblings go on; 0 when it does not. */
uint64_t dwarf_sibling(const struct dwarf_unit *, const struct dwarf_die *);

/* Where the siblings of a DIE with children go on. 0: malformed. */
uint64_t dwarf_die_after_children(struct dwarf_unit *, const struct dwarf_die *);

/* Size of a form in bytes, or -1 if it varies. */
int dwarf_form_size(uint16_t form, unsigned word, unsigned version);
bool dwarf_form_read(struct cursor *, const uint8_t *section, const struct dwarf_unit *, uint16_t form,
                     int64_t constant, struct dwarf_value *);

static inline bool dwarf_has(const struct dwarf_die *d, enum dwarf_attribute a) { return d->have >> a & 1; }

/* 0 when it is not there, or negative. */
uint64_t dwarf_number(const struct dwarf_die *, enum dwarf_attribute);

/* A number that stands in the entry itself; false when it is not there, negative, or to be computed. */
bool dwarf_constant(const struct dwarf_die *, enum dwarf_attribute, uint64_t *);

/* The contents of an attribute that is a block of bytes. */
bool dwarf_block(const struct dwarf_unit *, const struct dwarf_die *, enum dwarf_attribute, struct cursor *);

/* NULL when it is not there or not readable. */
const char *dwarf_string(const struct dwarf_unit *, const struct dwarf_die *, enum dwarf_attribute);
const char *dwarf_string_value(const struct dwarf_unit *, struct dwarf_value);
bool dwarf_address(const struct dwarf_unit *, struct dwarf_value, uint64_t *addr);
bool dwarf_indexed_address(const struct dwarf_unit *, uint64_t index, uint64_t *addr);

/* An offset in .debug_info of the unit's own file or, in *alt, of its common file. False: none that can be followed. */
bool dwarf_reference(const struct dwarf_unit *, const struct dwarf_die *, enum dwarf_attribute, uint64_t *offset,
                     bool *alt);

/* --- from entry to entry, and places of objects: dwarf_links.c ---------------------------------------------------- */

/*
 * Reads the DIE that an attribute refers to, in its own unit, another one, dwz's common file or a type unit of the same
 * file, and returns its unit. NULL: there is none. The two DIEs may be the same.
 */
struct dwarf_unit *dwarf_follow(struct dwarf_unit *, const struct dwarf_die *, enum dwarf_attribute,
                                struct dwarf_die *to);

/* The same, to what a concrete or defining DIE leaves to another one: its origin, or its specification. */
struct dwarf_unit *dwarf_follow_declaration(struct dwarf_unit *, const struct dwarf_die *, struct dwarf_die *to);

/* The offsets of the DIEs below the unit's own that hold the one at offset, outermost first. Returns their number. */
size_t dwarf_parents(struct dwarf_unit *, uint64_t offset, uint64_t *parents, size_t max);

/* The address of a variable that has the same one for as long as the program runs, in all threads. */
bool dwarf_location(const struct dwarf_unit *, const struct dwarf_die *, uint64_t *addr);

/* Where a variable or a parameter of a function is, from its frame base. False: not always at one such place. */
bool dwarf_frame_offset(const struct dwarf_unit *, const struct dwarf_die *, int64_t *offset);

/* A function's frame base: how far it is from the CFA, or from the sp during calls. False: that is not known. */
bool dwarf_frame_base(const struct dwarf_unit *, const struct dwarf_die *function, bool from_sp, int64_t *distance);

/* Where a member or a base class begins in its class. False: that is not constant. */
bool dwarf_member_offset(const struct dwarf_unit *, const struct dwarf_die *, uint64_t *offset);

/* --- addresses that a DIE covers: dwarf_ranges.c ------------------------------------------------------------------ */

/* In the order of their starts. */
void dwarf_spans_sort(struct spans *);

/* Replaces the contents of spans. False when there are none. */
bool dwarf_spans(struct dwarf_unit *, const struct dwarf_die *, struct spans *);

#endif
