/*
 * DWARF by libdwarf, for one file and the companions it may have (a dwz file, a .dwo). Internal to lib/symbolize;
 * debug_resolve() is what the rest calls.
 *
 * A unit is read only if it holds a wanted PC, and then once: its line program in one merge with the sorted PCs, its tree
 * of functions and inlined calls in one walk that leaves out what holds none.
 *
 * libdwarf is told not to keep account of its allocations: that makes it several times faster, and what it does not
 * free goes with the worker process.
 */
#ifndef THRACE_LIB_SYMBOLIZE_DEBUG_H
#define THRACE_LIB_SYMBOLIZE_DEBUG_H

#ifdef HAVE_LIBDWARF_LIBDWARF_H
#include <libdwarf/dwarf.h>
#include <libdwarf/libdwarf.h>
#else
#include <dwarf.h>
#include <libdwarf.h>
#endif

#include "lib/symbolize/answer.h"
#include "lib/symbolize/image.h"
#include "lib/symbolize/symtab.h"

/* --- a file opened with libdwarf: debug_object.c -------------------------------------------------------------------- */

enum { DEBUG_MAX_SECTIONS = 20 };

struct debug_object {
    struct image *image;
    struct section *sections[DEBUG_MAX_SECTIONS]; /* those that libdwarf gets to see; the first is empty, as in ELF */
    const char *names[DEBUG_MAX_SECTIONS];
    size_t nsections;
    size_t window_start, window_len; /* the part of .debug_info that is shown; all if the length is 0 */
    Dwarf_Obj_Access_Interface access;
    Dwarf_Debug dbg;
};

/* The image must outlive the object. False: no DWARF in it, or libdwarf refuses it. */
bool debug_object_open(struct debug_object *, struct image *);

/* The same with only one unit in .debug_info, which is then at offset 0. */
bool debug_object_open_unit(struct debug_object *, struct image *, size_t start, size_t len);
void debug_object_close(struct debug_object *);

/* A section by its plain name, decompressed; NULL when libdwarf does not get it either. */
const uint8_t *debug_object_section(const struct debug_object *, const char *name, size_t *len);

/* --- the search of one job: debug.c --------------------------------------------------------------------------------- */

struct debug_files {
    struct image *main; /* has .debug_info; may be the module itself or its separate debug file */
    struct image *alt;  /* dwz's common file, or NULL */
    const char *path;   /* of main, to find .dwo files */
};

enum debug_status { DEBUG_OK, DEBUG_CORRUPT, DEBUG_NO_SPLIT /* a .dwo file is missing */ };

/* Adds the frames of every PC that it knows. A frame may lack its function, file or line still. */
enum debug_status debug_resolve(const struct debug_files *, const struct symtab *, const uint64_t *pcs, size_t npcs,
                                struct answer *);

/* --- parts ---------------------------------------------------------------------------------------------------------- */

struct span {
    uint64_t start, end;
};

struct spans {
    struct span *v;
    size_t n, cap;
};

enum { NO_NODE = -1, MAX_DEPTH = 256 };

/* A function, or a call that was inlined into its parent. */
struct node {
    int32_t parent;
    uint32_t function, call_file, call_line; /* function and files are string numbers */
    uint32_t decl_file, decl_line;
    bool inlined, unmangled; /* unmangled: the name is not a linkage name */
};

/* A PC that lies in the unit. */
struct hit {
    size_t pc; /* its index in the job */
    uint64_t addr;
    int32_t node;
    bool has_row;
    uint32_t file, line;
};

/* What a DIE says about its function; the key is its offset. */
struct name_slot {
    uint64_t key;
    uint32_t function, decl_file, decl_line;
    bool unmangled;
};

struct search {
    const struct debug_files *files;
    struct debug_object object, alt;
    const struct symtab *symbols;
    const uint64_t *pcs;
    size_t npcs;
    struct answer *answer;
    struct spans spans; /* of the DIE at hand */
    struct hit *hits;   /* of the unit at hand, ascending by address */
    size_t nhits;
    struct node *nodes; /* of the unit at hand */
    size_t nnodes, nodes_cap;
    struct name_slot *names; /* by DIE offset, for the whole file */
    size_t nnames, names_cap;
    bool corrupt, failed, no_split;
};

struct unit {
    struct search *search;
    Dwarf_Debug dbg;       /* what holds its tree */
    Dwarf_Die die;         /* the unit's own DIE in dbg */
    Dwarf_Half version;
    Dwarf_Addr base;       /* DW_AT_low_pc of the unit */
    Dwarf_Sig8 id;         /* of a skeleton and its split unit, 0 if the header has none */
    Dwarf_Off start, end;  /* its bytes in .debug_info */
    Dwarf_Unsigned budget; /* DIEs that its bytes can hold at most: ends a walk in circles */
    bool names_mangled;    /* its language mangles: a name without linkage name may be better in the symbol table */
    Dwarf_Line_Context lines;
    bool has_lines;
    const char *comp_dir;
    uint32_t *files; /* string numbers by file number, 0 = not asked for yet */
    Dwarf_Signed first_file, end_file;
};

/* Forgets a libdwarf error; r is the call's result. Returns whether it was DW_DLV_OK. */
bool debug_ok(Dwarf_Debug, int r, Dwarf_Error);

/* The first hit at addr or after it. */
size_t debug_first_hit(const struct search *, uint64_t addr);

/* A small constant of a DIE, or 0. */
uint32_t debug_number(Dwarf_Debug, Dwarf_Die, Dwarf_Half attribute);

/* Fills search->spans with the addresses of a DIE; false when it has none. debug_ranges.c */
bool debug_spans(struct unit *, Dwarf_Die, Dwarf_Half version);

/* Reads the unit's line table; then the rows that hold its hits. debug_lines.c */
void debug_lines_open(struct unit *, Dwarf_Die with_lines);
void debug_lines_apply(struct unit *);
uint32_t debug_file(struct unit *, Dwarf_Unsigned number);
void debug_lines_close(struct unit *);

/* Finds the innermost node of each hit. everywhere: look into types, too. debug_tree.c */
void debug_tree_apply(struct unit *, bool everywhere);

/*
 * If the unit is a skeleton, makes it read its tree from its .dwo file until it is left. False: it is none, or the file is
 * not found, which search->no_split tells. debug_split.c
 */
struct debug_split {
    struct image image;
    struct debug_object object, skeleton;
};
bool debug_split_enter(struct unit *, struct debug_split *);
void debug_split_leave(struct unit *, struct debug_split *);

/* The function's name and declaration, which may be given by other DIEs. debug_name.c */
void debug_describe(struct unit *, Dwarf_Die, struct node *);

#endif
