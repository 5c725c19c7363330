/*
 * The rows of one line-number program. Read by ourselves and not by libdwarf, which starts the file register of DWARF 5 at
 * 0 where the standard, gcc and clang have 1 (so rows get the wrong file), and allocates each row.
 */
#ifndef THRACE_LIB_SYMBOLIZE_LINE_PROGRAM_H
#define THRACE_LIB_SYMBOLIZE_LINE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line_row {
    uint64_t addr, file, line;
};

/*
 * Calls span for every two neighbouring rows of a sequence whose addresses grow: row covers [row->addr, end). Returns false
 * when the program at offset of .debug_line is not well-formed; the rows before the fault have been reported then.
 */
bool line_program_run(const uint8_t *section, size_t len, uint64_t offset,
                      void (*span)(void *arg, const struct line_row *row, uint64_t end), void *arg);

#endif
