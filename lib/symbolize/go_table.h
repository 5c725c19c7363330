/*
 * Functions, files and lines of the programs of Go 1.2 to 1.15, from their .gopclntab: the runtime itself reads it, so
 * that it is there however the program was stripped. No offset in it is trusted.
 */
#ifndef THRACE_LIB_SYMBOLIZE_GO_TABLE_H
#define THRACE_LIB_SYMBOLIZE_GO_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct go_table {
    const uint8_t *data;
    size_t size;
    uint64_t nfuncs, files; /* files is the offset of their table */
    unsigned word, quantum; /* bytes of a pointer, and what PCs are multiples of */
    uint64_t left;          /* so many steps may still be made: of a real table, some hundred for a PC */
};

/* The strings are in the table. */
struct go_line {
    const char *function, *file; /* file is NULL and line 0 when the table does not say */
    uint32_t line;
    bool is_first; /* it is the function's first instruction */
};

enum go_table_status {
    GO_TABLE_OK,
    GO_TABLE_NONE,    /* these bytes are none, or cut off */
    GO_TABLE_UNKNOWN, /* it is of Go 1.16 or later, or of another byte order */
};

/* The bytes must outlive the table. */
enum go_table_status go_table_open(struct go_table *, const uint8_t *data, size_t size);

/*
 * What the instruction at pc belongs to, as go tool addr2line has it: of a call that was inlined, the function that it
 * was inlined into and the line where the instruction is from. False: no function of the table holds it. A table that
 * would take minutes to answer has no files and lines from some time on.
 */
bool go_table_find(struct go_table *, uint64_t pc, struct go_line *);

#endif
