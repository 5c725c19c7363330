/* Line-number programs of DWARF 2 to 5: their rows, and the names of the files in their headers. */
#ifndef THRACE_LIB_SYMBOLIZE_LINE_PROGRAM_H
#define THRACE_LIB_SYMBOLIZE_LINE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/symbolize/cursor.h"

struct line_header {
    struct cursor tables; /* directories and files */
    struct cursor code;
    unsigned version, word, min_length, max_ops, line_range, opcode_base;
    int line_base;
    const uint8_t *operands; /* number of operands of standard opcode i at [i - 1] */
};

/* The header at offset of .debug_line; false when it is not well-formed. */
bool line_header_read(struct line_header *, const uint8_t *section, size_t len, uint64_t offset);

struct line_row {
    uint64_t addr, file, line;
};

/*
 * Calls span for every two neighbouring rows of a sequence whose addresses grow: row covers [row->addr, end). Returns
 * false when the program at offset of .debug_line is not well-formed; the rows before the fault have been reported
 * then.
 */
bool line_program_run(const uint8_t *section, size_t len, uint64_t offset,
                      void (*span)(void *arg, const struct line_row *row, uint64_t end), void *arg);

struct dwarf_unit;

/* Number of a directory that is not in the table: the compilation directory. */
#define LINE_NO_DIR UINT64_MAX

struct line_file {
    const char *name;
    uint64_t dir;
};

/* The numbers of files are indices, from first on. The strings belong to the sections. */
struct line_files {
    const char **dirs;
    struct line_file *files;
    size_t ndirs, dirs_cap, nfiles, files_cap, first;
};

/* False: malformed, or out of memory; what was read before is there. */
bool line_files_read(struct line_files *, const struct dwarf_unit *, uint64_t offset);
void line_files_free(struct line_files *);

#endif
