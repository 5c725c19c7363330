/* What the records of a recording's waits say of what was waited for. */
#include "tests/unit/recording-file.h"

#include <stdlib.h>

#include "cmd/finish/recording_frames.h"
#include "cmd/finish/recording_read.h"
#include "cmd/finish/recording_symbols.h"
#include "lib/objects.h"

struct wait_stack {
    uint64_t generation, id, base;
    enum object_kind kind;
    uint64_t address;
    const char *text;
    uint64_t site;  /* 0: none */
    uint64_t local; /* PC of its frame; 0: it is on no stack */
};

static void add_wait_stack(struct wait_stack w)
{
    struct meta_record *r = begin_record(META_WAIT_STACK);
    meta_int(r, WAIT_STACK_BASE + w.id);
    meta_int(r, w.base);
    meta_int(r, w.kind);
    meta_int(r, w.address);
    meta_text(r, w.text, w.text ? strlen(w.text) : 0);
    meta_int(r, w.site > 0);
    if (w.site)
        meta_int(r, w.site);
    meta_int(r, w.local ? 3 : 0);
    for (uint64_t i = 0; w.local && i < 3; i++)
        meta_int(r, w.local + i);
    end_record(r, w.generation);
}

static struct gotrace_builder_frame object_of(const struct recording *r, uint64_t generation, uint64_t id, size_t frames)
{
    static struct gotrace_builder_frame v[STACK_MAX_FRAMES];
    assert_int_equal(recording_frames(r, generation, WAIT_STACK_BASE + id, v), frames);
    return v[0];
}

static void an_object_is_in_front_of_its_stack(void **state)
{
    static const uint64_t pcs[] = {0x1100, 0x1200};
    struct recording r;
    begin_file();
    add_module(1, 100, 0x1000, 0x2000, "/no/program");
    add_wait_stack((struct wait_stack){1, 1, 1, OBJECT_MUTEX, 0x700010, "journal", 0, 0});
    add_wait_stack((struct wait_stack){1, 2, 1, OBJECT_MUTEX, 0x700020, NULL, 0x1300, 0});
    add_wait_stack((struct wait_stack){1, 3, 1, OBJECT_COND, 0x700030, NULL, 0, 0});
    add_wait_stack((struct wait_stack){1, 4, 1, OBJECT_SOCKET, 77, "socket :80", 0, 0});
    add_wait_stack((struct wait_stack){1, 5, 1, OBJECT_THREAD, 4, NULL, 0, 0});
    add_wait_stack((struct wait_stack){1, 6, 1, OBJECT_SEM, 0, NULL, 0, 0});
    add_wait_stack((struct wait_stack){1, 7, 9, OBJECT_SEM, 0x700040, NULL, 0, 0}); /* of a stack that is not there */
    add_wait_stack((struct wait_stack){1, 8, 1, OBJECT_KINDS, 5, NULL, 0, 0});      /* of a kind that is none */
    add_stack(1, 2, pcs);
    add_thread(4, 0x1101);
    add_name(4, 10, "four\nth");
    assert_null(recording_read(&r, &file));
    setenv("THRACE_SYMBOL_CACHE", "0", 1);
    assert_null(recording_symbolize(&r, NULL));
    struct gotrace_builder_frame f = object_of(&r, 1, 1, 3);
    assert_string_equal(f.function, "mutex journal");
    assert_int_equal(f.pc, 0x700010);
    assert_string_equal(object_of(&r, 1, 2, 3).function, "mutex initialised in program+0x2ff (0x700020)");
    assert_string_equal(object_of(&r, 1, 3, 3).function, "condition waited for in program+0xff (0x700030)");
    assert_string_equal(object_of(&r, 1, 4, 3).function, "socket :80");
    assert_string_equal(object_of(&r, 1, 5, 3).function, "thread four?th 4");
    assert_string_equal(object_of(&r, 1, 6, 3).function, "semaphore (any)");
    assert_string_equal(object_of(&r, 1, 7, 1).function, "semaphore at 0x700040");
    assert_int_equal(object_of(&r, 1, 8, 2).pc, 0x1100);
    recording_free(&r);
}

/* Memory and numbers are used again: each object has a PC of its own, and the same one in every generation. */
static void objects_are_told_apart(void **state)
{
    static const uint64_t pcs[] = {0x1100};
    struct recording r;
    begin_file();
    add_stack(1, 1, pcs);
    add_wait_stack((struct wait_stack){1, 1, 1, OBJECT_SOCKET, 77, "socket :80", 0, 0});
    add_wait_stack((struct wait_stack){1, 2, 1, OBJECT_SOCKET, 77, "socket :81", 0, 0});
    add_wait_stack((struct wait_stack){1, 3, 1, OBJECT_MUTEX, 0x700010, NULL, 0x1300, 0});
    add_wait_stack((struct wait_stack){1, 4, 1, OBJECT_MUTEX, 0x700010, NULL, 0x1400, 0});
    add_wait_stack((struct wait_stack){1, 5, 1, OBJECT_COND, 0x700010, NULL, 0, 0});
    add_wait_stack((struct wait_stack){1, 6, 1, OBJECT_MUTEX, 0, NULL, 0, 0});
    add_wait_stack((struct wait_stack){1, 7, 1, OBJECT_COND, 0, NULL, 0, 0});
    add_wait_stack((struct wait_stack){1, 8, 1, OBJECT_PIPE, 77, NULL, 0, 0});
    add_wait_stack((struct wait_stack){2, 1, 0, OBJECT_MUTEX, 0x700010, NULL, 0x1300, 0});
    add_wait_stack((struct wait_stack){2, 3, 0, OBJECT_PIPE, 78, NULL, 0, 0}); /* somebody else has said what it is */
    add_wait_stack((struct wait_stack){2, 2, 0, OBJECT_PIPE, 78, "pipe 5", 0, 0});
    assert_null(recording_read(&r, &file));
    setenv("THRACE_SYMBOL_CACHE", "0", 1);
    assert_null(recording_symbolize(&r, NULL));
    uint64_t seen[8];
    for (uint64_t id = 1; id <= 8; id++) {
        seen[id - 1] = object_of(&r, 1, id, 2).pc;
        for (uint64_t k = 1; k < id; k++)
            assert_true(seen[k - 1] != seen[id - 1]);
    }
    assert_int_equal(object_of(&r, 2, 1, 1).pc, seen[2]);
    assert_string_equal(object_of(&r, 1, 8, 2).function, "pipe (unknown)");
    assert_string_equal(object_of(&r, 2, 3, 1).function, "pipe 5");
    assert_int_equal(object_of(&r, 2, 3, 1).pc, object_of(&r, 2, 2, 1).pc);
    recording_free(&r);
}

/* Whose variable nobody knows, an object on a stack is what it would be elsewhere. */
static void an_object_may_be_on_a_stack(void **state)
{
    static const uint64_t pcs[] = {0x1100};
    struct recording r;
    begin_file();
    add_module(1, 100, 0x1000, 0x2000, "/no/program");
    add_stack(1, 1, pcs);
    add_wait_stack((struct wait_stack){1, 1, 1, OBJECT_MUTEX, 0x7ff00010, NULL, 0, 0x1200});
    add_wait_stack((struct wait_stack){1, 2, 1, OBJECT_MUTEX, 0x7ff00020, NULL, 0x1300, 0x1200});
    assert_null(recording_read(&r, &file));
    assert_int_equal(r.objects.v[0].local.pc, 0x1200);
    assert_int_equal(r.objects.v[0].local.below_cfa, 0x1201);
    assert_int_equal(r.objects.v[0].local.above_sp, 0x1202);
    setenv("THRACE_SYMBOL_CACHE", "0", 1);
    assert_null(recording_symbolize(&r, NULL));
    assert_string_equal(object_of(&r, 1, 1, 2).function, "mutex waited for in program+0xff (0x7ff00010)");
    assert_string_equal(object_of(&r, 1, 2, 2).function, "mutex initialised in program+0x2ff (0x7ff00020)");
    recording_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_object_is_in_front_of_its_stack),
        cmocka_unit_test(objects_are_told_apart),
        cmocka_unit_test(an_object_may_be_on_a_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
