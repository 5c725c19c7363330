/* What a recording's records become: modules by address and time, threads, names and frames. */
#include "tests/unit/recording-file.h"

#include <stdio.h>
#include <unistd.h>

#include "cmd/finish/recording_frames.h"
#include "cmd/finish/recording_read.h"
#include "cmd/finish/recording_switches.h"
#include "cmd/finish/recording_symbols.h"
#include "gotrace/raw.h"
#include "lib/objects.h"
#include "lib/sched.h"
#include "lib/symbolize/symbolize.h"
#include "lib/wire/events.h"

static const char *path_at(const struct recording *r, uint64_t pc, uint64_t generation)
{
    const struct rec_module *m = rec_modules_find(&r->modules, pc, generation, 0);
    return m ? m->path : "none";
}

static void modules_are_found_by_address_and_time(void **state)
{
    struct recording r;
    begin_file();
    add_module(1, 100, 0x1000, 0x2000, "/no/program");
    add_module(1, 100, 0x5000, 0x6000, "/no/first");
    add_module(2, 200, 0x5800, 0x7000, "/no/second");
    add_module(2, 200, 0x1000, 0x2000, "/no/program");
    add_module(3, 300, 0x5000, 0x6000, "/no/first");
    assert_null(recording_read(&r, &file));
    r.symbolizer = symbolize_new();
    assert_true(rec_modules_map(&r.modules, r.symbolizer, &r.root, r.pid));
    assert_int_equal(r.modules.v[0].mapping, r.modules.v[3].mapping);
    assert_int_equal(r.modules.v[1].mapping, r.modules.v[4].mapping);
    assert_int_not_equal(r.modules.v[1].mapping, r.modules.v[2].mapping);
    for (uint64_t g = 1; g <= 3; g++) {
        assert_string_equal(path_at(&r, 0x1000, g), "none");
        assert_string_equal(path_at(&r, 0x1001, g), "/no/program");
        assert_string_equal(path_at(&r, 0x2000, g), "/no/program");
        assert_string_equal(path_at(&r, 0x2001, g), "none");
        assert_string_equal(path_at(&r, 0x5001, g), "/no/first");
        assert_string_equal(path_at(&r, 0x7000, g), "/no/second"); /* not there in the first, but who else */
    }
    assert_string_equal(path_at(&r, 0x5900, 1), "/no/first");
    assert_string_equal(path_at(&r, 0x5900, 2), "/no/second");
    assert_string_equal(path_at(&r, 0x5900, 3), "/no/first");
    assert_string_equal(path_at(&r, 0x7001, 3), "none");
    recording_free(&r);
}

static const char *path_then(const struct recording *r, uint64_t pc, uint64_t time)
{
    const struct rec_module *m = rec_modules_find(&r->modules, pc, 1, rec_modules_epoch(&r->modules, time));
    return m ? m->path : "none";
}

/* All in one generation: dlclose is seen before and after, dlopen some time later. */
static void modules_of_samples_are_found_by_their_time(void **state)
{
    struct recording r;
    begin_file();
    add_module(1, 100, 0x1000, 0x2000, "/no/program");
    add_module(1, 200, 0x1000, 0x2000, "/no/program");
    add_module(1, 200, 0x5000, 0x6000, "/no/first");
    add_module(1, 210, 0x1000, 0x2000, "/no/program");
    add_module(1, 300, 0x1000, 0x2000, "/no/program");
    add_module(1, 300, 0x5000, 0x6000, "/no/second");
    add_module(1, 310, 0x1000, 0x2000, "/no/program");
    assert_null(recording_read(&r, &file));
    r.symbolizer = symbolize_new();
    assert_true(rec_modules_map(&r.modules, r.symbolizer, &r.root, r.pid));
    static const struct {
        uint64_t time;
        const char *path;
    } wanted[] = {{150, "/no/first"}, {200, "/no/first"}, {209, "/no/first"}, {210, "/no/second"}, {250, "/no/second"},
                  {300, "/no/second"}, {305, "/no/second"}};
    for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
        assert_string_equal(path_then(&r, 0x5001, wanted[i].time), wanted[i].path);
        assert_string_equal(path_then(&r, 0x1001, wanted[i].time), "/no/program");
        assert_string_equal(path_then(&r, 0x3000, wanted[i].time), "none");
    }
    assert_string_not_equal(path_then(&r, 0x5001, 50), "none");
    assert_string_not_equal(path_then(&r, 0x5001, 400), "none");
    recording_free(&r);
}

static void assert_damaged(size_t cut)
{
    struct recording r;
    meta[0].size -= cut;
    assert_string_equal(recording_read(&r, &file), "the spool's records are damaged");
    recording_free(&r);
}

static void records_that_are_not_whole_are_refused(void **state)
{
    for (size_t cut = 1; cut < 8; cut++) {
        begin_file();
        add_module(1, 100, 0x1000, 0x2000, "/no/program");
        assert_damaged(cut);
    }
    begin_file();
    struct meta_record *m = begin_record(META_HOOK);
    meta_int(m, 0x1000);
    meta_int(m, UINT64_C(1) << 63); /* the length of a text */
    end_record(m, 1);
    assert_damaged(0);
}

/* --- threads and frames ------------------------------------------------------------------------------------------- */

/* A thread that could not be made leaves its goroutine to the next one, which starts elsewhere. */
static void the_last_record_of_a_goroutine_counts(void **state)
{
    struct recording r;
    begin_file();
    add_thread(5, 0x1005);
    add_thread(4, 0x1004);
    add_thread(5, 0x2005);
    add_thread(6, 0x1006);
    add_thread(5, 0x3005);
    assert_null(recording_read(&r, &file));
    assert_int_equal(r.nthreads, 3);
    static const uint64_t wanted[] = {0x1004, 0x3005, 0x1006};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(r.threads[i].g, 4 + i);
        assert_int_equal(r.threads[i].start_pc, wanted[i]);
        assert_int_equal(r.stacks.pcs[r.threads[i].pc].pc, wanted[i]);
    }
    recording_free(&r);
}

static void the_name_that_was_set_last_counts(void **state)
{
    struct recording r;
    begin_file();
    add_name(4, 20, "late");
    add_thread(4, 0x1004);
    add_name(4, 10, "early");
    add_name(9, 10, "nobody's");
    assert_null(recording_read(&r, &file));
    assert_string_equal(r.threads[0].name, "late");
    recording_free(&r);
}

static void add_status(uint64_t generation, uint64_t g, uint64_t frames)
{
    struct meta_record *r = begin_record(META_STATUS);
    meta_int(r, g);
    meta_int(r, 7);
    meta_int(r, 1);
    meta_int(r, OBJECT_PIPE);
    meta_int(r, 77);
    meta_text(r, "pipe 5", 6);
    meta_int(r, frames);
    for (uint64_t i = 1; i <= frames; i++)
        meta_int(r, 0x1000 * i);
    end_record(r, generation);
}

/* A flight recorder writes them in each generation; later ones follow from the events. */
static void statuses_are_those_of_the_first_generation(void **state)
{
    struct recording r;
    begin_file();
    add_status(1, 4, 0);
    add_status(2, 4, 2);
    add_status(3, 5, 2);
    add_status(1, 6, 2);
    assert_null(recording_read(&r, &file));
    assert_int_equal(r.nstatuses, 2);
    assert_int_equal(r.statuses[0].g, 4);
    assert_int_equal(r.statuses[0].stack_id, 0);
    setenv("THRACE_SYMBOL_CACHE", "0", 1);
    assert_null(recording_symbolize(&r, NULL));
    struct gotrace_builder_frame frames[STACK_MAX_FRAMES];
    assert_int_equal(recording_frames(&r, 1, r.statuses[1].stack_id, frames), 3);
    assert_string_equal(frames[0].function, "pipe 5");
    assert_int_equal(frames[2].pc, 0x2000);
    recording_free(&r);
}

static void add_lock_note(uint64_t m, uint64_t time, uint64_t address, uint64_t note)
{
    struct meta_record *r = begin_record(META_LOCK_NOTE);
    meta_int(r, m);
    meta_int(r, time);
    meta_int(r, address);
    meta_int(r, note);
    end_record(r, 1);
}

/* Their objects are numbered; of one time, a mutex comes before the condition that is waited for with it. */
static void notes_of_locks_are_in_order(void **state)
{
    static const struct {
        uint32_t thread, object;
        uint8_t note;
    } expected[] = {{8, 3, MUTEX_IS_UNLOCKED}, {7, 2, MUTEX_IS_AWAITED}, {7, 1, COND_IS_AWAITED},
                    {8, 1, COND_IS_SIGNALLED}};
    struct recording r;
    begin_file();
    add_lock_note(7, 2000, 0x3000, COND_IS_AWAITED);
    add_lock_note(7, 2000, 0x4000, MUTEX_IS_AWAITED);
    add_lock_note(8, 3000, 0x3000, COND_IS_SIGNALLED);
    add_lock_note(8, 1000, 0x5000, MUTEX_IS_UNLOCKED);
    add_lock_note(8, 4000, 0x6000, LOCK_NOTES); /* there is none such */
    add_lock_note(8, 4000, 0, MUTEX_IS_UNLOCKED);
    assert_null(recording_read(&r, &file));
    trace_time_init(&r.time, 1000000000);
    recording_sort_switches(&r);
    assert_int_equal(r.switches.n, ARRAY_SIZE(expected));
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
        assert_int_equal(r.switches.v[i].kind, SWITCH_LOCK_NOTE);
        assert_int_equal(r.switches.v[i].thread, expected[i].thread);
        assert_int_equal(r.switches.v[i].waker, expected[i].object);
        assert_int_equal(r.switches.v[i].context, expected[i].note);
    }
    assert_true(recording_add_begin(&r));
    assert_int_equal(r.switches.n, ARRAY_SIZE(expected));
    recording_free(&r);
}

/* The PCs of a stack as the trace has them. */
static size_t frames_of(const struct recording *r, uint64_t id, uint64_t *pcs)
{
    static struct gotrace_builder_frame v[STACK_MAX_FRAMES];
    size_t n = recording_frames(r, 1, id, v);
    for (size_t i = 0; i < n; i++)
        pcs[i] = v[i].pc;
    return n;
}

/* What libc runs before a start routine, and before main, is not the program's; a wait in libc itself stays. */
static void libc_is_not_shown_first(const char *libc)
{
    static const uint64_t routine[] = {0x1100, 0x1200, 0x5100}, two[] = {0x1100, 0x5100, 0x5200}, only[] = {0x5100},
                          started[] = {0x1100, 0x5100, 0x1300}, middle[] = {0x5100, 0x1100};
    static char exe[] = "/no/program";
    struct recording r;
    uint64_t pcs[STACK_MAX_FRAMES];
    begin_file();
    strcpy(header.exe, exe);
    add_module(1, 100, 0x1000, 0x2000, "/no/program");
    add_module(1, 100, 0x5000, 0x6000, libc);
    add_stack(1, 3, routine);
    add_stack(2, 3, two);
    add_stack(3, 1, only);
    add_stack(4, 3, started);
    add_stack(5, 2, middle);
    assert_null(recording_read(&r, &file));
    setenv("THRACE_SYMBOL_CACHE", "0", 1);
    assert_null(recording_symbolize(&r, NULL));
    assert_int_equal(frames_of(&r, 1, pcs), 2);
    assert_int_equal(pcs[1], 0x1200);
    assert_int_equal(frames_of(&r, 2, pcs), 1);
    struct gotrace_builder_frame in_libc;
    assert_int_equal(recording_frames(&r, 1, 3, &in_libc), 1);
    assert_non_null(strstr(in_libc.function, libc + strlen("/no/")));
    assert_int_equal(frames_of(&r, 4, pcs), 1); /* _start, without a name, calls libc, which calls main */
    assert_int_equal(pcs[0], 0x1100);
    assert_int_equal(frames_of(&r, 5, pcs), 2);
    assert_int_equal(frames_of(&r, 6, pcs), 0);
    recording_free(&r);
    header.exe[0] = 0;
}

static void what_libc_runs_first_is_not_shown(void **state)
{
    libc_is_not_shown_first("/no/libc.so.6");
    libc_is_not_shown_first("/no/libc-2.31.so"); /* before glibc 2.34 */
}

/* A reader keeps one frame a PC: another file at the same address must have another one, and so a thread's start. */
static void no_two_frames_share_a_pc(void **state)
{
    static const uint64_t pc[] = {0x5100};
    struct recording r;
    struct gotrace_raw_event ev;
    size_t size, n = 0, starts = 0;
    uint64_t seen[16];
    begin_file();
    add_module(1, 100, 0x5000, 0x6000, "/no/first");
    add_module(2, 200, 0x5000, 0x6000, "/no/second");
    add_stack(1, 1, pc);
    add_stack(1, 1, pc);
    meta[file.meta.n - 1].generation = 2;
    add_thread(4, 0x5100);
    add_thread(5, 0x5100);
    add_name(4, 10, "four");
    add_name(5, 10, "five");
    assert_null(recording_read(&r, &file));
    setenv("THRACE_SYMBOL_CACHE", "0", 1);
    assert_null(recording_symbolize(&r, NULL));
    trace_time_init(&r.time, 1000000000);
    struct gotrace_builder_frame first, second;
    assert_int_equal(recording_frames(&r, 1, 1, &first), 1);
    assert_int_equal(recording_frames(&r, 2, 1, &second), 1);
    assert_true(first.pc != second.pc);
    struct gotrace_builder *b = gotrace_builder_new_memory(22);
    assert_int_equal(gotrace_builder_generation(b, 1), 0);
    assert_int_equal(gotrace_builder_sync(b, 1000000000, 1, 0, 0, 0), 0);
    assert_int_equal(recording_write_tables(&r, b, 1), 0);
    assert_int_equal(gotrace_builder_finish(b), 0);
    const void *trace = gotrace_builder_bytes(b, &size);
    struct gotrace_raw_reader *in = gotrace_raw_reader_open_memory(GOTRACE_RAW_BYTES, trace, size);
    while (gotrace_raw_reader_next(in, &ev) > 0)
        if (ev.id == EV_Stack) {
            for (size_t i = 0; i < ev.args[1]; i++)
                seen[n++] = ev.frames[i].pc;
            starts += ev.args[0] >= START_STACK_BASE;
        }
    assert_int_equal(n, 3);
    assert_int_equal(starts, 2);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            assert_true(seen[i] != seen[k]);
    gotrace_raw_reader_free(in);
    gotrace_builder_free(b);
    recording_free(&r);
}

/* A JIT compiler lists in /tmp what it made, where others can make a file of that name. */
static bool is_called(const char *name)
{
    static const uint64_t pc[] = {0x7101};
    struct recording r;
    struct gotrace_builder_frame frame;
    begin_file();
    add_stack(1, 1, pc);
    assert_null(recording_read(&r, &file));
    assert_null(recording_symbolize(&r, NULL));
    assert_int_equal(recording_frames(&r, 1, 1, &frame), 1);
    bool is = !strcmp(frame.function, name);
    recording_free(&r);
    return is;
}

static void only_the_users_own_map_of_jitted_code_is_believed(void **state)
{
    enum { SOMEBODY = 54321 };
    static const char text[] = "7100 100 jitted\n";
    char path[64], other[64];
    setenv("THRACE_SYMBOL_CACHE", "0", 1);
    header.pid = (uint32_t)getpid();
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    snprintf(other, sizeof other, "/tmp/perf-%ld.map.other", (long)getpid());
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    bool own = is_called("jitted"), theirs = !geteuid() && !chown(path, SOMEBODY, SOMEBODY) && is_called("jitted");
    bool back = geteuid() || !chown(path, geteuid(), getegid());
    bool linked = !rename(path, other) && !symlink(other, path) && is_called("jitted");
    unlink(path);
    unlink(other);
    header.pid = 0;
    assert_true(own && back);
    assert_false(theirs);
    assert_false(linked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_record_of_a_goroutine_counts),
        cmocka_unit_test(the_name_that_was_set_last_counts),
        cmocka_unit_test(statuses_are_those_of_the_first_generation),
        cmocka_unit_test(notes_of_locks_are_in_order),
        cmocka_unit_test(what_libc_runs_first_is_not_shown),
        cmocka_unit_test(no_two_frames_share_a_pc),
        cmocka_unit_test(only_the_users_own_map_of_jitted_code_is_believed),
        cmocka_unit_test(records_that_are_not_whole_are_refused),
        cmocka_unit_test(modules_are_found_by_address_and_time),
        cmocka_unit_test(modules_of_samples_are_found_by_their_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
