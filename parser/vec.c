#include "parser/vec.h"

bool vec_grow(void **v, size_t *cap, size_t size)
{
    size_t n = *cap ? *cap + *cap / 2 + 1 : 8;
    void *p = reallocarray(*v, n, size);
    if (!p)
        return false;
    *v = p;
    *cap = n;
    return true;
}
