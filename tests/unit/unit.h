/* What every cmocka test needs, in the order that cmocka wants it. */
#ifndef THRACE_TESTS_UNIT_H
#define THRACE_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* cmocka 2 has one for each kind of numbers, and warns of the older name. */
#ifdef assert_uint_in_range
#undef assert_in_range
#define assert_in_range assert_uint_in_range
#endif

/*
 * Ends a test for which something is missing. That is a failure where nothing may be missing (THRACE_MANDATORY), unless
 * the reason begins with "optional". cmocka's own skip() prints "not ok … # SKIP", which a TAP harness counts as a
 * failure.
 */
#define SKIP(why)                                                                                                      \
    do {                                                                                                               \
        const char *mandatory_ = getenv("THRACE_MANDATORY");                                                           \
        if (mandatory_ && *mandatory_ && strncmp(why, "optional", 8))                                                  \
            fail_msg("must not be skipped here: %s", why);                                                             \
        print_message("# skipped: %s\n", why);                                                                         \
        return;                                                                                                        \
    } while (0)

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
