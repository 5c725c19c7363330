#include "config.h"

#include "lib/symbolize/demangle.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>
#else
/* libstdc++'s, which knows C++ only; declared here because its header is one for C++. */
char *__cxa_demangle(const char *name, char *buf, size_t *len, int *status);
#endif

enum { MAX_NAME = 1 << 16 };

/* A malloc'ed string, or NULL. */
static char *library_demangle(const char *name)
{
#ifdef HAVE_LIBIBERTY
    return cplus_demangle(name, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
#else
    int status;
    return __cxa_demangle(name, NULL, NULL, &status);
#endif
}

uint32_t demangle(struct strings *pool, const char *name, size_t len)
{
    if (len >= 2 && len < MAX_NAME && name[0] == '_' && (name[1] == 'Z' || name[1] == 'R')) {
        char *copy = strndup(name, len);
        char *plain = copy ? library_demangle(copy) : NULL;
        free(copy);
        if (plain) {
            uint32_t number = strings_add(pool, plain, strlen(plain));
            free(plain);
            return number;
        }
    }
    return strings_add(pool, name, len);
}
