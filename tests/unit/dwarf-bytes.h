/* DWARF made by hand: sections of bytes, entries with one attribute. */
#ifndef THRACE_TESTS_DWARF_BYTES_H
#define THRACE_TESTS_DWARF_BYTES_H

#include "tests/unit/unit.h"

#include "lib/symbolize/dwarf.h"
#include "lib/symbolize/dwarf_names.h"

static inline struct bytes bytes_of(const void *p, size_t len) { return (struct bytes){p, len}; }

static inline struct dwarf_die die_with(enum dwarf_attribute a, uint16_t form, uint64_t v)
{
    struct dwarf_die d = {.have = UINT32_C(1) << a};
    d.values[a] = (struct dwarf_value){v, form};
    return d;
}

#endif
