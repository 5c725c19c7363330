/*
 * The search for a job's PCs and objects in the DWARF of one file and the companions it may have (a dwz file, a .dwo,
 * a .dwp). Internal to lib/symbolize; debug_resolve() is what the rest calls.
 *
 * A unit is read only if it holds a wanted PC, and then once: its line program in one merge with the sorted PCs, its
 * tree of functions and inlined calls in one walk that leaves out what holds none. Variables are looked for in a walk
 * of their own, in the units where the address of a wanted one stands.
 */
#ifndef THRACE_LIB_SYMBOLIZE_DEBUG_H
#define THRACE_LIB_SYMBOLIZE_DEBUG_H

#include "lib/symbolize/answer.h"
#include "lib/symbolize/dwarf.h"
#include "lib/symbolize/line_program.h"
#include "lib/symbolize/objects.h"
#include "lib/symbolize/symtab.h"
#include "lib/symbolize/type_path.h"

struct debug_files {
    struct image *main; /* has .debug_info; may be the module itself or its separate debug file */
    struct image *alt;  /* dwz's common file, or NULL */
    const char *path;   /* of main, to find .dwo files */
    const char *module; /* path of the module, to find its .dwp */
};

enum debug_status { DEBUG_OK, DEBUG_CORRUPT, DEBUG_NO_SPLIT /* a .dwo file is missing */ };

/* Adds the frames of every PC, local and object that it knows; the locals are behind the PCs. A frame may lack its function, file or line still. */
enum debug_status debug_resolve(const struct debug_files *, const struct symtab *, const uint64_t *pcs, size_t npcs,
                                struct objects *, struct answer *);

/* --- parts -------------------------------------------------------------------------------------------------------- */

enum { NO_NODE = -1 };

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
    struct dwarf_file main, alt;
    struct image package_image; /* the .dwp file, looked for when the first skeleton is met */
    struct dwarf_file package;
    bool package_sought;
    const struct symtab *symbols;
    const uint64_t *pcs;
    size_t npcs;
    size_t first_local, nlocals; /* pcs[first_local …] are locals */
    struct objects *objects;
    struct type_origins origins;
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

/* The unit at hand. */
struct unit {
    struct search *search;
    struct dwarf_unit *outer; /* in the main file; a skeleton, perhaps */
    struct dwarf_unit *tree;  /* what holds its functions: outer, or its split unit */
    struct dwarf_die die;     /* outer's own */
    bool names_mangled; /* its language mangles: a name without linkage name may be better in the symbol table */
    struct line_files lines;
    const char *comp_dir;
    uint32_t *files; /* string numbers by file number, 0 = not asked for yet */
};

/* The first hit at addr or after it. */
size_t debug_first_hit(const struct search *, uint64_t addr);

/* Reads the unit's file names; then the rows that hold its hits. debug_lines.c */
void debug_lines_open(struct unit *);
void debug_lines_apply(struct unit *);
uint32_t debug_file(struct unit *, uint64_t number);
void debug_lines_close(struct unit *);

/*
 * Visits the unit's DIEs, from its own children on. A visit reads the DIE to its end, says by *good whether that is
 * possible, and returns whether its children are to be visited. debug_tree.c
 */
enum { DEBUG_MAX_DEPTH = 1024 };
typedef bool debug_visit_fn(void *arg, struct unit *, struct dwarf_die *, int depth, bool *good);
void debug_walk(struct unit *, debug_visit_fn *, void *arg);

/* Finds the innermost node of each hit. everywhere: look into types and nested functions, too. debug_tree.c */
void debug_tree_apply(struct unit *, bool everywhere);

/*
 * If the unit is a skeleton, makes it read its tree from a package or its .dwo file until it is left. False: it is
 * no skeleton, or neither is found, and search->no_split is set. debug_split.c
 */
struct debug_split {
    struct image image;
    struct dwarf_file file;
};
bool debug_split_enter(struct unit *, struct debug_split *);
void debug_split_leave(struct unit *, struct debug_split *);
void debug_split_close_package(struct search *);

/* Whether the unit may define a variable that is wanted; then names those that are. debug_objects.c */
bool debug_objects_wanted(const struct unit *);
void debug_objects_apply(struct unit *);

/* The same for variables on stacks; asked with the unit's spans at hand. debug_locals.c */
bool debug_locals_wanted(const struct unit *);
void debug_locals_apply(struct unit *);

/* A variable: what its DIE says, and those that this one refers to. */
struct variable {
    struct dwarf_die die;       /* the last one of these, which stands where the variable was declared */
    struct dwarf_unit *unit;    /* that one's */
    const char *linkage, *name; /* NULL: not known */
    uint32_t line;
    struct dwarf_unit *file_unit; /* whose line table knows the file of that number; NULL: it is not known */
    uint64_t file;
    struct type type;
};

/* debug_variable.c. The file is a string number; the text becomes the variable's full name. */
void debug_variable_read(struct unit *, const struct dwarf_die *, struct variable *);
uint32_t debug_variable_file(struct unit *, const struct variable *);
void debug_variable_name(struct unit *, struct variable *, const struct symbol *, struct text *);

/* Whether its code is named with linkage names that tell the scope. */
bool debug_language_mangles(const struct dwarf_die *unit);

/* The function's name and declaration, which may be given by other DIEs. debug_name.c */
void debug_describe(struct unit *, const struct dwarf_die *, struct node *);

#endif
