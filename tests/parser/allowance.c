#include "tests/parser/allowance.h"

#include <errno.h>
#include <stddef.h>

unsigned long allowance = ULONG_MAX;
bool allowance_refuses_once;

static bool refused(void)
{
    if (!allowance) {
        allowance = allowance_refuses_once ? ULONG_MAX : 0;
        errno = ENOMEM;
        return true;
    }
    allowance--;
    return false;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_reallocarray(void *p, size_t n, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_reallocarray(void *p, size_t n, size_t size);

void *__wrap_malloc(size_t size) { return refused() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t n, size_t size) { return refused() ? NULL : __real_calloc(n, size); }
void *__wrap_realloc(void *p, size_t size) { return refused() ? NULL : __real_realloc(p, size); }
void *__wrap_reallocarray(void *p, size_t n, size_t size) { return refused() ? NULL : __real_reallocarray(p, n, size); }
