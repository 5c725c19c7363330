/* An allocator of the program's own, which libc and all libraries use, too. */
#include <stddef.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void __libc_free(void *p);

#define EXPORT __attribute__((visibility("default")))

EXPORT void *malloc(size_t n) { return __libc_malloc(n); }
EXPORT void *calloc(size_t n, size_t size) { return __libc_calloc(n, size); }
EXPORT void *realloc(void *p, size_t n) { return __libc_realloc(p, n); }
EXPORT void free(void *p) { __libc_free(p); }
