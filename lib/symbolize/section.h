/* A section of an ELF file. */
#ifndef THRACE_LIB_SYMBOLIZE_SECTION_H
#define THRACE_LIB_SYMBOLIZE_SECTION_H

#include <stddef.h>
#include <stdint.h>

struct section {
    const char *name; /* "" when it has none */
    uint32_t type;
    uint64_t flags, addr, entsize;
    uint32_t link, info;
    const uint8_t *data; /* as in the file, NULL for NOBITS and for what lies outside of it */
    size_t len;
    uint64_t size; /* in memory */
    uint8_t *unpacked; /* owned: the decompressed contents, once asked for */
    size_t unpacked_len;
};

#endif
