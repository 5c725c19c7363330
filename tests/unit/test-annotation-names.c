/* The names of annotations: what is one name, and what becomes of too many, from several threads at once. */
#include "tests/unit/unit.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/wire/varint.h"
#include "preload/annotate/defined.h"
#include "preload/annotate/names.h"

static struct name *named(const char *text) { return name_intern(text, strlen(text)); }

static void the_same_text_is_the_same_name(void **state)
{
    char longest[1024];
    memset(longest, 'n', sizeof longest);
    assert_null(name_intern(NULL, 0));
    struct name *a = named("parse"), *b = named("parsed"), *c = name_intern("parsed", 5);
    assert_ptr_equal(a, c);
    assert_ptr_not_equal(a, b);
    assert_int_not_equal(a->number, b->number);
    assert_int_equal(a->len, 5);
    assert_memory_equal(a->text, "parse", 5);
    struct name *d = name_intern(longest, 1024);
    assert_ptr_equal(d, name_intern(longest, 1024));
    assert_ptr_not_equal(d, name_intern(longest, 1023));
    /* Bytes that are NUL count. */
    assert_ptr_not_equal(name_intern("a\0b", 3), name_intern("a\0c", 3));
    assert_ptr_not_equal(name_intern("\0", 1), name_intern("\0\0", 2));
}

/* What was at an address is believed as long as the text is there. */
static void a_hint_is_held_against_the_text(void **state)
{
    char buffer[2000] = "hinted", longest[1025] = "";
    struct name *a = named("hinted"), *b;
    assert_null(name_hinted(buffer));
    name_hint(buffer, a);
    assert_ptr_equal(name_hinted(buffer), a);
    strcpy(buffer, "hinted too");
    assert_null(name_hinted(buffer));
    strcpy(buffer, "hint");
    assert_null(name_hinted(buffer));
    /* Names beside each other: each ends where it ends. */
    strcpy(buffer, "12345678");
    b = named("12345678");
    named("next");
    name_hint(buffer, b);
    assert_ptr_equal(name_hinted(buffer), b);
    name_hint(NULL, NULL);
    assert_null(name_hinted(NULL));
    name_hint(NULL, a);
    assert_null(name_hinted(NULL));
    /* A text that was cut is none that is found again. */
    memset(longest, 'c', 1024);
    memset(buffer, 'c', 1500);
    name_hint(buffer, named(longest));
    assert_null(name_hinted(buffer));
}

enum { THREADS = 4, NAMES = 1500 };
static struct name *seen[THREADS][NAMES];

static void *names(void *arg)
{
    char text[24];
    struct name **mine = arg;
    for (int i = 0; i < NAMES; i++) {
        snprintf(text, sizeof text, "name %d", i);
        mine[i] = named(text);
    }
    return NULL;
}

static void threads_agree_on_names(void **state)
{
    pthread_t t[THREADS];
    char text[24];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&t[i], NULL, names, seen[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < NAMES; i++) {
        snprintf(text, sizeof text, "name %d", i);
        assert_int_equal(seen[0][i]->len, strlen(text));
        assert_memory_equal(seen[0][i]->text, text, strlen(text));
        for (int k = 1; k < THREADS; k++)
            assert_ptr_equal(seen[k][i], seen[0][i]);
    }
}

/* In a child, as afterwards there is no room: few names that are long are too many, too. */
static void names_that_are_too_long_together_share_one(void **state)
{
    int status;
    pid_t child = fork();
    if (!child) {
        static char text[1024];
        int made = 0;
        memset(text, 'l', sizeof text);
        do
            snprintf(text, 8, "%07d", made);
        while (name_intern(text, sizeof text)->number != NAMES_MAX && made++ < NAMES_MAX);
        _exit(made > 400 && made < 600 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* The last test: afterwards there is no room. */
static void too_many_names_share_one(void **state)
{
    char text[1024];
    struct name *before = named("parse"), *last = NULL, *too_many = NULL;
    int made = 0;
    memset(text, 'x', sizeof text);
    for (int i = 0; i < 2 * NAMES_MAX && !too_many; i++) {
        snprintf(text, sizeof text, "%d", i);
        struct name *n = named(text);
        if (n->number == NAMES_MAX)
            too_many = n;
        else
            last = n, made++;
    }
    assert_non_null(too_many);
    assert_in_range(made, 1, NAMES_MAX);
    assert_int_equal(last->number < NAMES_MAX, 1);
    assert_int_equal(too_many->len, strlen("[too many names]"));
    assert_memory_equal(too_many->text, "[too many names]", too_many->len);
    assert_ptr_equal(named("one more"), too_many);
    assert_ptr_equal(named("parse"), before);
    assert_null(name_intern(text, 0));
}

/* A name's ID is encoded by its number alone, for all that there may be. */
static void ids_are_encoded_as_integers_are(void **state)
{
    for (uint32_t number = 0; number <= NAMES_MAX + OWN_NAMES; number++) {
        const struct name n = {.number = number};
        uint8_t expected[VARINT_MAX] = {0}, bytes[sizeof(uint64_t)];
        uint64_t encoded = name_id_bytes(&n);
        assert_int_equal(varint_put(expected, name_id(&n)) - expected, NAME_ID_BYTES);
        memcpy(bytes, &encoded, sizeof bytes);
        assert_memory_equal(bytes, expected, sizeof bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_text_is_the_same_name),
        cmocka_unit_test(a_hint_is_held_against_the_text),
        cmocka_unit_test(threads_agree_on_names),
        cmocka_unit_test(names_that_are_too_long_together_share_one),
        cmocka_unit_test(too_many_names_share_one),
        cmocka_unit_test(ids_are_encoded_as_integers_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
