/* Prints what an object must be called: its address in the file, the name by the types, the line, the symbol's name. */
#ifndef THRACE_TESTS_SYMBOLIZE_VARIABLES_H
#define THRACE_TESTS_SYMBOLIZE_VARIABLES_H

#include <link.h>
#include <stdint.h>
#include <stdio.h>

/* On the line of the variable. */
#define LINE_OF(variable) enum { line_of_##variable = __LINE__ }

static inline int keep_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
    (void)size;
    *(uintptr_t *)bias = info->dlpi_addr;
    return 1;
}

static inline void must_be(const char *name, int line, const void *object, const char *symbol, const void *variable)
{
    uintptr_t bias, at = (uintptr_t)object;
    dl_iterate_phdr(keep_bias, &bias);
    printf("%jx\t%s\t%d\t%s", (uintmax_t)(at - bias), name, line, symbol);
    if (object != variable)
        printf("+0x%jx", (uintmax_t)(at - (uintptr_t)variable));
    printf("\n");
}

#define SAME(variable)                                                                                                \
    must_be(#variable, line_of_##variable, (const void *)&variable, #variable, (const void *)&variable)

/* The object is called as one writes it. */
#define IN(variable, path)                                                                                            \
    must_be(#variable #path, line_of_##variable, (const void *)&variable path, #variable, (const void *)&variable)

/* The object begins where another one does, or inside of it. */
#define IN_AS(variable, path, name)                                                                                   \
    must_be(name, line_of_##variable, (const void *)&variable path, #variable, (const void *)&variable)

#endif
