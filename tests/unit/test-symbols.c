/* symbols.c finds the functions that the loader finds. */
#include "tests/unit/unit.h"

#include <dlfcn.h>
#include <unistd.h>

#include "preload/real.h"
#include "preload/symbols.h"

#define THRACE_REAL(ret, name, symbol, version, params, args) {symbol, version},
#define THRACE_REAL_VOID(name, symbol, version, params, args) {symbol, version},
static const struct {
    const char *name, *version;
} names[] = {
#include "preload/real.def"
    /* of several versions, chosen at run time, of other modules, and none */
    {"memcpy", ""},
    {"memcpy", "GLIBC_2.14"},
    {"memcpy", "GLIBC_2.2.5"},
    {"memcpy", "GLIBC_9.9"},
    {"strlen", ""},
    {"time", ""},
    {"clock_gettime", ""},
    {"malloc", ""},
    {"pthread_cond_wait", ""},
    {"__tls_get_addr", ""},
    {"cmocka_set_message_output", ""},
    {"_Znwm", ""},
    {"", ""},
    {"no_such_function", ""},
};
#undef THRACE_REAL
#undef THRACE_REAL_VOID

/* Before glibc 2.36, RTLD_NEXT finds the oldest of several versions, and not the one that all are bound to. */
static void *const behind_us = __GLIBC_PREREQ(2, 36) ? RTLD_NEXT : RTLD_DEFAULT;

static void next_is_what_dlsym_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *version = *names[i].version ? names[i].version : NULL;
        void *theirs = version ? dlvsym(RTLD_NEXT, names[i].name, version) : dlsym(behind_us, names[i].name);
        void *ours = symbol_next(names[i].name, version).address;
        if (ours != theirs)
            fail_msg("%s@%s: %p instead of %p", names[i].name, names[i].version, ours, theirs);
    }
}

/* The program's own, before that of libc. */
__attribute__((visibility("default"))) void swab(const void *from, void *to, ssize_t n)
{
    memset(to, 0, (size_t)n);
}

static void what_the_program_has_is_first_and_not_next(void **state)
{
    (void)state;
    assert_ptr_equal(symbol_first("swab").address, dlsym(RTLD_DEFAULT, "swab"));
    assert_ptr_not_equal(symbol_first("swab").address, symbol_next("swab", NULL).address);
    assert_ptr_equal(symbol_next("swab", NULL).address, dlsym(RTLD_NEXT, "swab"));
}

/* A sanitizer has functions in the program itself, such as malloc, which come first: so it asks for another one. */
static void first_and_next_differ_in_what_the_program_has(void **state)
{
    (void)state;
    assert_ptr_equal(symbol_first("getsubopt").address, dlsym(RTLD_DEFAULT, "getsubopt"));
    assert_ptr_equal(symbol_first("getsubopt").module, symbol_next("mblen", NULL).module);
    assert_ptr_not_equal(symbol_next("malloc", NULL).module, symbol_next("cmocka_set_message_output", NULL).module);
}

static void a_scope_goes_on_to_what_is_needed(void **state)
{
    (void)state;
    struct symbol_scope scope;
    symbol_scope_of(dlsym(RTLD_DEFAULT, "cmocka_set_message_output"), &scope);
    assert_int_equal(scope.n, 1);
    assert_ptr_equal(symbol_in(&scope, "getsubopt").address, dlsym(RTLD_DEFAULT, "getsubopt"));
    assert_null(symbol_in(&scope, "no_such_function").address);
    assert_true(scope.n > 1 && scope.asked == scope.n);
}

/* A library that is loaded late, for itself alone, is found by who was not linked with it, and by itself. */
static void late_ones_are_found(void **state)
{
    (void)state;
    if (dlopen("libstdc++.so.6", RTLD_NOW | RTLD_NOLOAD))
        SKIP("optional: libstdc++ is here from the start, for a sanitizer");
    void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL), *new = library ? dlsym(library, "_Znwm") : NULL;
    struct symbol_scope scope;
    if (!new)
        SKIP("no libstdc++");
    assert_null(symbol_next("_Znwm", NULL).address);
    assert_ptr_equal(symbol_anywhere("_Znwm").address, new);
    symbol_scope_of((const char *)new + 1, &scope);
    assert_ptr_equal(symbol_in(&scope, "_Znwm").address, new);
    assert_ptr_equal(symbol_in(&scope, "getsubopt").address, dlsym(RTLD_DEFAULT, "getsubopt"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(next_is_what_dlsym_says),
        cmocka_unit_test(what_the_program_has_is_first_and_not_next),
        cmocka_unit_test(first_and_next_differ_in_what_the_program_has),
        cmocka_unit_test(a_scope_goes_on_to_what_is_needed),
        cmocka_unit_test(late_ones_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
