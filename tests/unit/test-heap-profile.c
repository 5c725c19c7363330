/* The profile of a recording's sampled blocks: by stack, estimated for all blocks, the largest holders first. */
#include "config.h"

#include "tests/unit/unit.h"

#include <stdio.h>

#include "cmd/finish/heap_profile.h"
#include "cmd/finish/recording_frames.h"
#include "lib/wire/events.h"

#if HAVE_PPROF
#include <zlib.h>

#include "cmd/export/profile.pb-c.h"
#endif

enum { STACKS = 3, DEEP = 7 };

/* In place of a recording's own: stack 1 is as deep as is reported, stack 2 deeper, and stack 3 begins as they do. */
size_t recording_frames(const struct recording *r, uint64_t generation, uint64_t stack_id,
                        struct gotrace_builder_frame *v)
{
    static const size_t depths[STACKS + 1] = {0, DEEP - 1, DEEP, 1};
    size_t n = stack_id <= STACKS ? depths[stack_id] : 0;
    for (size_t i = 0; i < n; i++)
        v[i] = (struct gotrace_builder_frame){0x1000 + i, i ? "outer" : "leaf", "/src/a.c", 10 + i};
    return n;
}

static struct heap_profile *profile_of(struct rec_block *blocks, size_t n, uint64_t interval)
{
    struct recording r = {.blocks = blocks, .nblocks = n};
    static struct spool_header h;
    h.heap.interval = interval;
    h.start_realtime_ns = 5;
    h.first.mono_ns = 1000;
    h.last.mono_ns = 4000;
    struct heap_profile *p = heap_profile_new(&r, &h);
    assert_non_null(p);
    return p;
}

static const char *reported(const struct heap_profile *p, size_t n)
{
    static char text[4096];
    FILE *f = fmemopen(text, sizeof text, "w");
    memset(text, 0, sizeof text);
    heap_profile_report(p, f, n);
    fclose(f);
    return text;
}

#define LEAF " leaf@a.c:10"
#define SIX LEAF " < outer@a.c:11 < outer@a.c:12 < outer@a.c:13 < outer@a.c:14 < outer@a.c:15"

static void who_holds_the_most_comes_first(void **state)
{
    struct rec_block blocks[] = {{.id = 1, .bytes = 10, .stack_id = 1},
                                 {.id = 2, .bytes = 70, .stack_id = 2},
                                 {.id = 3, .bytes = 20, .stack_id = 3},
                                 {.id = 4, .bytes = 900, .stack_id = 3, .freed = true},
                                 {.id = 5, .bytes = 30, .stack_id = 1}};
    struct heap_profile *p = profile_of(blocks, ARRAY_SIZE(blocks), 1);
    assert_string_equal(reported(p, 5), "thrace: still in use: about 70 bytes in 1 block (1 sample):" SIX " < …\n"
                                    "thrace: still in use: about 40 bytes in 2 blocks (2 samples):" SIX "\n"
                                    "thrace: still in use: about 20 bytes in 1 block (1 sample):" LEAF "\n");
    assert_string_equal(reported(p, 1), "thrace: still in use: about 70 bytes in 1 block (1 sample):" SIX " < …\n");
    heap_profile_free(p);
}

static void what_is_freed_is_not_held(void **state)
{
    struct rec_block blocks[] = {{.id = 1, .bytes = 10, .stack_id = 1, .freed = true}, {.id = 2, .stack_id = 2}};
    struct heap_profile *p = profile_of(blocks, ARRAY_SIZE(blocks), 1);
    assert_string_equal(reported(p, 5), "");
    heap_profile_free(p);
    heap_profile_free(profile_of(NULL, 0, 1));
}

/* With one block in 1000 bytes, one of 100 bytes stands for 1 / (1 - exp(-0.1)) = 10.508. */
static void a_sample_stands_for_those_that_were_none(void **state)
{
    struct rec_block blocks[] = {{.id = 1, .bytes = 100, .stack_id = 3}};
    struct heap_profile *p = profile_of(blocks, 1, 1000);
    assert_string_equal(reported(p, 5), "thrace: still in use: about 1051 bytes in 11 blocks (1 sample):" LEAF "\n");
    heap_profile_free(p);
}

static void the_file_has_all_of_it(void **state)
{
#if HAVE_PPROF
    static uint8_t data[1 << 16];
    struct rec_block blocks[] = {{.id = 1, .bytes = 0, .stack_id = 3},
                                 {.id = 2, .bytes = 60, .stack_id = 3, .freed = true},
                                 {.id = 3, .bytes = 40, .stack_id = 3},
                                 {.id = 4, .bytes = 50, .stack_id = 1, .freed = true}};
    static const int64_t wanted[2][4] = {{3, 100, 2, 40}, {1, 50, 0, 0}};
    struct heap_profile *p = profile_of(blocks, ARRAY_SIZE(blocks), 1);
    void *file = NULL;
    size_t size;
    assert_null(heap_profile_make(p, &file, &size));
    z_stream z = {.next_in = file, .avail_in = (uInt)size, .next_out = data, .avail_out = sizeof data};
    assert_int_equal(inflateInit2(&z, MAX_WBITS + 16), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    Thrace__Pprof__Profile *made = thrace__pprof__profile__unpack(NULL, z.total_out, data);
    assert_non_null(made);
    assert_true(made->time_nanos == 5 && made->duration_nanos == 3000 && made->period == 1);
    assert_int_equal(made->n_sample, 2);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 4; k++)
            assert_int_equal(made->sample[i]->value[k], wanted[i][k]);
    thrace__pprof__profile__free_unpacked(made, NULL);
    inflateEnd(&z);
    free(file);
    heap_profile_free(p);

    /* No block of no bytes is sampled but where every one is; a damaged spool may have it all the same. */
    blocks[0].freed = false;
    p = profile_of(blocks, 1, 1000);
    assert_string_equal(reported(p, 5), "");
    assert_null(heap_profile_make(p, &file, &size));
    z = (z_stream){.next_in = file, .avail_in = (uInt)size, .next_out = data, .avail_out = sizeof data};
    assert_int_equal(inflateInit2(&z, MAX_WBITS + 16), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    made = thrace__pprof__profile__unpack(NULL, z.total_out, data);
    assert_in_range(made->sample[0]->value[0], 1000, 1001);
    thrace__pprof__profile__free_unpacked(made, NULL);
    inflateEnd(&z);
    free(file);
    heap_profile_free(p);
#else
    SKIP("built without protobuf-c");
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_holds_the_most_comes_first),
        cmocka_unit_test(what_is_freed_is_not_held),
        cmocka_unit_test(a_sample_stands_for_those_that_were_none),
        cmocka_unit_test(the_file_has_all_of_it),
    };
    return cmocka_run_group_tests_name("heap profile", tests, NULL, NULL);
}
