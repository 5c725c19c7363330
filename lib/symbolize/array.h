/* Arrays that grow at the end. */
#ifndef THRACE_LIB_SYMBOLIZE_ARRAY_H
#define THRACE_LIB_SYMBOLIZE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* Makes room for one more than n elements of that size in *array, a pointer to them; false when memory is short. */
static inline bool array_room(void *array, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return true;
    size_t bigger = *cap ? *cap * 2 : 16;
    void *p = realloc(*(void **)array, bigger * size);
    if (!p)
        return false;
    *(void **)array = p;
    *cap = bigger;
    return true;
}

#endif
