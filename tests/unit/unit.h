/* What every cmocka test needs, in the order that cmocka wants it. */
#ifndef THRACE_TESTS_UNIT_H
#define THRACE_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
