/* A heap profile in a trace: its pieces, the types of its blocks by generation, and the file for pprof itself. */
#include "config.h"

#include "tests/unit/unit.h"

#include <stdbool.h>
#include <stdio.h>

#include "cmd/export/heap_in_trace.h"
#include "cmd/finish/heap_types.h"
#include "gotrace/raw.h"
#include "lib/wire/events.h"
#include "lib/wire/varint.h"

#if HAVE_PPROF
#include <zlib.h>

#include "cmd/export/heap_pprof.h"
#include "cmd/export/profile.pb-c.h"
#endif

enum { PIECE = 720, SIZE = 3 * PIECE + 100 };

static uint8_t profile[SIZE];

static struct gotrace_builder *begin_trace(uint64_t generation)
{
    struct gotrace_builder *b = gotrace_builder_new_memory(23);
    assert_int_equal(gotrace_builder_generation(b, generation), 0);
    assert_int_equal(gotrace_builder_sync(b, 1000000000, 1, 0, 0, 0), 0);
    return b;
}

/* --- pieces ------------------------------------------------------------------------------------------------------- */

static const char *error;
static size_t found_size;

static void *read_back(struct gotrace_builder *b)
{
    size_t size;
    int invalid;
    assert_int_equal(gotrace_builder_finish(b), 0);
    const void *bytes = gotrace_builder_bytes(b, &size);
    FILE *f = fmemopen((void *)(uintptr_t)bytes, size, "r");
    void *found = heap_in_trace_read(f, &found_size, &error, &invalid);
    assert_int_equal(invalid, error != NULL);
    fclose(f);
    gotrace_builder_free(b);
    return found;
}

static void a_profile_comes_back(void **state)
{
    static const size_t sizes[] = {1, 2, 3, 4, PIECE - 1, PIECE, PIECE + 1, SIZE};
    for (size_t i = 0; i < SIZE; i++)
        profile[i] = (uint8_t)(i * 7 + (i >> 8));
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        struct gotrace_builder *b = begin_trace(1);
        assert_int_equal(heap_in_trace_write(b, profile, sizes[i]), 0);
        void *found = read_back(b);
        assert_null(error);
        assert_int_equal(found_size, sizes[i]);
        assert_memory_equal(found, profile, sizes[i]);
        free(found);
    }
    assert_null(read_back(begin_trace(1))); /* there is none */
    assert_null(error);
}

/* 720 bytes in base64 are 960 digits. */
static void put_piece(struct gotrace_builder *b, const char *number, size_t digits)
{
    char text[1024];
    size_t n = (size_t)snprintf(text, sizeof text, "thrace heap.pb.gz %s ", number);
    memset(text + n, 'A', digits);
    assert_int_not_equal(gotrace_builder_string(b, text, n + digits), 0);
}

static void assert_damaged(int n, const char *const *numbers, size_t last)
{
    struct gotrace_builder *b = begin_trace(1);
    for (int i = 0; i < n; i++)
        put_piece(b, numbers[i], i + 1 < n ? 960 : last);
    assert_null(read_back(b));
    if (!error)
        fail_msg("%s … of %d is taken for whole", numbers[0], n);
    assert_non_null(strstr(error, "damaged"));
}

#define DAMAGED(last, ...)                                                                                             \
    assert_damaged(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), (const char *[]){__VA_ARGS__}, last)

static void pieces_must_be_all_there_and_once(void **state)
{
    struct gotrace_builder *b = begin_trace(1);
    put_piece(b, "1/2", 4);
    put_piece(b, "0/2", 960); /* in any order */
    free(read_back(b));
    assert_null(error);
    assert_int_equal(found_size, PIECE + 3);
    DAMAGED(960, "0/2");
    DAMAGED(4, "1/2");
    DAMAGED(964, "0/3", "2/3", "0/3");
    DAMAGED(956, "0/3", "2/3", "0/3");
    DAMAGED(4, "0/2", "1/3");
    DAMAGED(960, "0/2", "1/3"); /* of another profile */
    DAMAGED(4, "0/2", "2/2");
    DAMAGED(956, "1/2", "0/2"); /* too short for one that others follow */
    DAMAGED(5, "0/2", "1/2");
    DAMAGED(0, "0/2", "1/2");
    DAMAGED(964, "0/1");
    DAMAGED(4, "0/999999999");
    DAMAGED(4, "x/2");
}

/* It would hide that one is missing. */
static void the_same_piece_twice_is_no_other(void **state)
{
    struct gotrace_builder *b = begin_trace(1);
    put_piece(b, "0/2", 960);
    put_piece(b, "00/2", 960); /* the builder keeps equal strings once */
    assert_null(read_back(b));
    assert_non_null(error);
}

/* --- types -------------------------------------------------------------------------------------------------------- */

/* The sizes that a trace's batches of types name, as "64 100 ", in the order of the batches. */
static const char *types_of(struct gotrace_builder *b, unsigned *infos)
{
    static char text[4096];
    struct gotrace_raw_event ev;
    size_t size, n = 0;
    assert_int_equal(gotrace_builder_finish(b), 0);
    const void *bytes = gotrace_builder_bytes(b, &size);
    struct gotrace_raw_reader *r = gotrace_raw_reader_open_memory(GOTRACE_RAW_BYTES, bytes, size);
    text[0] = 0;
    *infos = 0;
    while (gotrace_raw_reader_next(r, &ev) > 0) {
        if (ev.id != EV_ExperimentalBatch)
            continue;
        const uint8_t *p = ev.data + 1, *end = ev.data + ev.size;
        *infos += ev.data[0] == 1;
        while (ev.data[0] == 0 && p < end) {
            uint64_t v[5];
            for (int i = 0; i < 5; i++)
                p = varint_get(p, end, &v[i]);
            assert_int_equal(v[0], v[2]);
            p += v[4];
            n += (size_t)snprintf(text + n, sizeof text - n, "%u ", (unsigned)v[0]);
        }
    }
    gotrace_raw_reader_free(r);
    gotrace_builder_free(b);
    return text;
}

static void each_generation_names_its_own_types(void **state)
{
    static const char *const wanted[] = {"", "64 ", "100 ", ""};
    struct heap_types t = {0};
    unsigned infos;
    assert_true(heap_types_add(&t, 1, 64));
    assert_true(heap_types_add(&t, 2, 100));
    assert_true(heap_types_add(&t, 1, 64));
    assert_int_equal(t.n, 2);
    for (uint64_t generation = 1; generation <= 3; generation++) {
        struct gotrace_builder *b = begin_trace(generation);
        assert_int_equal(heap_types_write(&t, b, generation, 5), 0);
        assert_string_equal(types_of(b, &infos), wanted[generation]);
        assert_int_equal(infos, generation < 3);
    }
    heap_types_free(&t);
}

static void many_types_are_kept(void **state)
{
    enum { MANY = 6000 };
    struct heap_types t = {0};
    struct gotrace_raw_event ev;
    size_t size, batches = 0, n = 0;
    for (uint64_t i = 1; i <= MANY; i++)
        assert_true(heap_types_add(&t, 1 + i % 2, i));
    assert_int_equal(t.n, MANY);
    struct gotrace_builder *b = begin_trace(1);
    assert_int_equal(heap_types_write(&t, b, 1, 5), 0);
    assert_int_equal(gotrace_builder_finish(b), 0);
    const void *bytes = gotrace_builder_bytes(b, &size);
    struct gotrace_raw_reader *r = gotrace_raw_reader_open_memory(GOTRACE_RAW_BYTES, bytes, size);
    while (gotrace_raw_reader_next(r, &ev) > 0) {
        if (ev.id != EV_ExperimentalBatch || ev.data[0])
            continue;
        batches++;
        assert_in_range(ev.size, 2, 32 << 10);
        for (size_t i = 0; i + 5 <= ev.size; i++)
            n += !memcmp(ev.data + i, "bytes", 5);
    }
    assert_true(batches > 0);
    assert_int_equal(n, MANY / 2);
    gotrace_raw_reader_free(r);
    gotrace_builder_free(b);
    heap_types_free(&t);
}

/* --- the file for pprof ------------------------------------------------------------------------------------------- */

static void the_file_says_what_was_measured(void **state)
{
#if HAVE_PPROF
    static uint8_t data[1 << 16];
    struct gotrace_builder_frame frames[] = {{0x1000, "leaf", "/src/a.c", 7}, {0x2000, "root", "libc.so.6", 1}};
    const struct heap_site sites[] = {{frames, 2, 10.4, 1000.6, 4, 400, 1}, {frames + 1, 1, 1, 2, 3, 4, 1}};
    void *file = NULL;
    size_t size;
    assert_null(heap_pprof_make(sites, 2, 8192, UINT64_C(1700000000123456789), 98765432100, &file, &size));
    z_stream z = {.next_in = file, .avail_in = (uInt)size, .next_out = data, .avail_out = sizeof data};
    assert_int_equal(inflateInit2(&z, MAX_WBITS + 16), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    Thrace__Pprof__Profile *p = thrace__pprof__profile__unpack(NULL, z.total_out, data);
    assert_non_null(p);
    assert_true(p->time_nanos == 1700000000123456789);
    assert_true(p->duration_nanos == 98765432100);
    assert_int_equal(p->period, 8192);
    assert_string_equal(p->string_table[p->default_sample_type], "inuse_space");
    assert_string_equal(p->string_table[p->sample_type[0]->type], "alloc_objects");
    assert_string_equal(p->string_table[p->sample_type[1]->unit], "bytes");
    assert_int_equal(p->n_sample, 2);
    static const int64_t wanted[2][4] = {{10, 1001, 4, 400}, {1, 2, 3, 4}};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 4; k++)
            assert_true(p->sample[i]->value[k] == wanted[i][k]);
    assert_int_equal(p->n_location, 2); /* a PC once */
    assert_int_equal(p->sample[0]->n_location_id, 2);
    assert_true(p->sample[0]->location_id[1] == p->sample[1]->location_id[0]);
    const Thrace__Pprof__Location *leaf = p->location[p->sample[0]->location_id[0] - 1];
    assert_true(leaf->address == 0x1000 && leaf->line[0]->line == 7);
    assert_string_equal(p->string_table[p->function[leaf->line[0]->function_id - 1]->name], "leaf");
    assert_string_equal(p->string_table[p->function[leaf->line[0]->function_id - 1]->filename], "/src/a.c");
    assert_int_equal(p->location[p->sample[1]->location_id[0] - 1]->line[0]->line, 0); /* a library has no line */
    thrace__pprof__profile__free_unpacked(p, NULL);
    inflateEnd(&z);
    free(file);
#else
    SKIP("built without protobuf-c");
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_profile_comes_back),
        cmocka_unit_test(pieces_must_be_all_there_and_once),
        cmocka_unit_test(the_same_piece_twice_is_no_other),
        cmocka_unit_test(the_same_piece_twice_is_no_other),
        cmocka_unit_test(each_generation_names_its_own_types),
        cmocka_unit_test(many_types_are_kept),
        cmocka_unit_test(the_file_says_what_was_measured),
    };
    return cmocka_run_group_tests_name("heap in trace", tests, NULL, NULL);
}
