/* Arrays that grow: a pointer, a length and a capacity, all fields of the caller. */
#ifndef THRACE_PARSER_VEC_H
#define THRACE_PARSER_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#define VEC(type)                                                                                                      \
    struct {                                                                                                           \
        type *v;                                                                                                       \
        size_t n, cap;                                                                                                 \
    }

/* Makes room for one more element; false when memory is short. */
#define VEC_ROOM(vec) ((vec)->n < (vec)->cap || vec_grow((void **)&(vec)->v, &(vec)->cap, sizeof *(vec)->v))

#define VEC_FREE(vec) (free((vec)->v), (vec)->v = NULL, (vec)->n = (vec)->cap = 0)

bool vec_grow(void **v, size_t *cap, size_t size);

#endif
