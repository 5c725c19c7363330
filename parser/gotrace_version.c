/* Versions: of the library, and of traces. */
#include "config.h"

#include "gotrace/version.h"
#include "lib/wire/version.h"

#define TEXT(x) #x
#define DOTTED(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

_Static_assert(!__builtin_strcmp(GOTRACE_VERSION, PACKAGE_VERSION), "the header has the version of configure.ac");
_Static_assert(!__builtin_strcmp(GOTRACE_VERSION,
                                 DOTTED(GOTRACE_VERSION_MAJOR, GOTRACE_VERSION_MINOR, GOTRACE_VERSION_PATCH)),
               "its numbers are those of its string");

const char *gotrace_version(void)
{
    return GOTRACE_VERSION;
}

bool gotrace_version_known(int version)
{
    return wire_version((uint64_t)version) != NULL;
}
