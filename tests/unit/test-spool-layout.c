/* docs/spool.md against the structures: every field of the header and of a chunk is there, at its place, and no other. */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "lib/lock_stats.h"
#include "lib/spool.h"

struct field {
    const char *name;
    size_t offset, size;
    size_t elements; /* 1: an integer */
};

#define FIELD(of, name) {#name, offsetof(struct of, name), sizeof ((struct of *)0)->name, 1}
#define TEXT(of, name) {#name, offsetof(struct of, name), 1, sizeof ((struct of *)0)->name}

#define ARRAY(of, name)                                                                                                \
    {#name, offsetof(struct of, name), sizeof ((struct of *)0)->name[0],                                               \
     sizeof ((struct of *)0)->name / sizeof ((struct of *)0)->name[0]}

/* In the order of the file. Padding has no name. */
static const struct field header_fields[] = {
    TEXT(spool_header, magic),
    FIELD(spool_header, version),
    FIELD(spool_header, header_size),
    FIELD(spool_header, chunk_size),
    FIELD(spool_header, max_chunks),
    FIELD(spool_header, nchunks),
    FIELD(spool_header, state),
    FIELD(spool_header, log_end),
    FIELD(spool_header, seal_count),
    FIELD(spool_header, start_realtime_ns),
    FIELD(spool_header, pid_start),
    FIELD(spool_header, pid),
    FIELD(spool_header, trace_version),
    FIELD(spool_header, clock.origin),
    FIELD(spool_header, clock.source),
    FIELD(spool_header, clock.shift),
    FIELD(spool_header, first.ticks),
    FIELD(spool_header, first.mono_ns),
    FIELD(spool_header, last.ticks),
    FIELD(spool_header, last.mono_ns),
    FIELD(spool_header, lost_events),
    FIELD(spool_header, lost_stacks),
    FIELD(spool_header, last_generation),
    FIELD(spool_header, last_g),
    FIELD(spool_header, nthreads),
    FIELD(spool_header, launcher),
    FIELD(spool_header, session),
    FIELD(spool_header, owners_hidden),
    FIELD(spool_header, ring_size),
    FIELD(spool_header, log_start),
    FIELD(spool_header, first_generation),
    TEXT(spool_header, out),
    TEXT(spool_header, exe),
    FIELD(spool_header, samples.hz),
    FIELD(spool_header, samples.taken),
    FIELD(spool_header, samples.lost),
    FIELD(spool_header, samples.repeats),
    FIELD(spool_header, samples.missed),
    FIELD(spool_header, samples.cpu_ns),
    FIELD(spool_header, samples.threads_by_timer),
    FIELD(spool_header, samples.threads_by_perf),
    FIELD(spool_header, samples.threads_unsampled),
    FIELD(spool_header, samples.perf_error),
    FIELD(spool_header, heap.state),
    FIELD(spool_header, heap.pad),
    FIELD(spool_header, heap.live),
    FIELD(spool_header, heap.peak),
    FIELD(spool_header, heap.mapped),
    FIELD(spool_header, heap.interval),
    FIELD(spool_header, unseen.threads),
    FIELD(spool_header, unseen.go),
    FIELD(spool_header, unseen.execs),
    FIELD(spool_header, unseen.pad),
    FIELD(spool_header, pid_namespace),
    TEXT(spool_header, boot_id),
    FIELD(spool_header, show_cpus),
    FIELD(spool_header, locks.counted),
    FIELD(spool_header, locks.chunks),
    FIELD(spool_header, locks.others),
    FIELD(spool_header, locks.missed),
    ARRAY(spool_header, lost),
    FIELD(spool_header, lost_most),
    FIELD(spool_header, lost_most_g),
    FIELD(spool_header, suspensions.n),
    FIELD(spool_header, suspensions.pad),
    {"suspensions.v", offsetof(struct spool_header, suspensions.v), sizeof(uint64_t), 4 * SUSPENSIONS_MAX},
};

static const struct field chunk_fields[] = {
    FIELD(chunk, state),
    FIELD(chunk, used),
    FIELD(chunk, meta_used),
    FIELD(chunk, next),
    FIELD(chunk, packed),
    FIELD(chunk, pad),
    FIELD(chunk, sealed),
    FIELD(chunk, log_pos),
    FIELD(chunk, generation),
    FIELD(chunk, m),
    FIELD(chunk, time),
    {"data", offsetof(struct chunk, data), 0, 0},
};

static const struct field lock_fields[] = {
    FIELD(lock_entry, address),
    FIELD(lock_entry, since),
    FIELD(lock_entry, taken),
    FIELD(lock_entry, contended),
    FIELD(lock_entry, held),
    FIELD(lock_entry, longest),
    FIELD(lock_entry, what),
    FIELD(lock_entry, depth),
    FIELD(lock_entry, pad),
    FIELD(lock_entry, generation),
    FIELD(lock_entry, longest_g),
    FIELD(lock_entry, nsite),
    FIELD(lock_entry, nlongest),
    FIELD(lock_entry, replaced),
    TEXT(lock_entry, pad2),
    FIELD(lock_entry, pad3),
    ARRAY(lock_entry, site),
    ARRAY(lock_entry, where),
    ARRAY(lock_entry, holds),
};

/* The next row of a table: offset, type and name, of which the last two may be empty. False: the table is over. */
static bool next_row(FILE *f, size_t *offset, char type[static 32], char name[static 64])
{
    char line[1024];
    if (!fgets(line, sizeof line, f) || *line != '|')
        return false;
    *type = *name = 0;
    assert_int_equal(sscanf(line, "| %zu |", offset), 1);
    const char *at = strchr(line + 1, '|') + 1;
    sscanf(at, " %31[^| ]", type);
    at = strchr(at, '|') + 1;
    sscanf(at, " %63[^| ]", name);
    return true;
}

static void skip_to(FILE *f, const char *wanted)
{
    char line[1024];
    while (fgets(line, sizeof line, f))
        if (!strncmp(line, wanted, strlen(wanted)))
            return;
    fail_msg("docs/spool.md has no line %s", wanted);
}

static void has_fields(const char *heading, const struct field *fields, size_t n)
{
    const char *top = getenv("top_srcdir");
    char path[4096], type[32], name[64], wanted[48];
    size_t offset, end = 0;
    snprintf(path, sizeof path, "%s/docs/spool.md", top ? top : ".");
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    skip_to(f, heading);
    skip_to(f, "| offset | type |");
    skip_to(f, "|---:|");
    for (size_t i = 0; i < n; i++) {
        const struct field *want = &fields[i];
        if (!next_row(f, &offset, type, name))
            fail_msg("%s: the table ends before %s", heading, want->name);
        if (strcmp(name, strstr(want->name, "pad") ? "" : want->name) || offset != want->offset)
            fail_msg("%s: %s at %zu, where %s at %zu should be", heading, name, offset, want->name, want->offset);
        assert_int_equal(want->offset, end); /* else a field is missing above */
        end += want->size * want->elements;
        if (want->elements > 1 && want->size > 1)
            snprintf(wanted, sizeof wanted, "u%zu[%zu]", want->size * 8, want->elements);
        else if (want->elements > 1)
            snprintf(wanted, sizeof wanted, "char[%zu]", want->elements);
        else
            snprintf(wanted, sizeof wanted, "%zu", want->size * 8);
        if (want->size && strcmp(want->elements > 1 ? type : type + 1, wanted))
            fail_msg("%s: %s is of type %s, not of %s", heading, want->name, type, wanted);
    }
    assert_false(next_row(f, &offset, type, name));
    fclose(f);
}

static void the_header_is_as_it_is_described(void **state)
{
    has_fields("## Header", header_fields, sizeof header_fields / sizeof header_fields[0]);
    const struct field *last = &header_fields[sizeof header_fields / sizeof header_fields[0] - 1];
    assert_true(sizeof(struct spool_header) - (last->offset + last->size * last->elements) < sizeof(uint64_t));
}

static void a_chunk_is_as_it_is_described(void **state)
{
    has_fields("## Chunks", chunk_fields, sizeof chunk_fields / sizeof chunk_fields[0]);
}

static void an_entry_of_a_lock_is_as_it_is_described(void **state)
{
    has_fields("**Entries of locks.**", lock_fields, sizeof lock_fields / sizeof lock_fields[0]);
    assert_int_equal(sizeof(struct lock_entry), 448);
}

static void its_version_is_the_one_that_is_described(void **state)
{
    const char *top = getenv("top_srcdir");
    char path[4096], line[1024], version[32], row[64];
    bool in_text = false, in_table = false;
    snprintf(path, sizeof path, "%s/docs/spool.md", top ? top : ".");
    snprintf(version, sizeof version, "**version %d**", SPOOL_VERSION);
    snprintf(row, sizeof row, "| 8 | u32 | version | %d |", SPOOL_VERSION);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        in_text |= strstr(line, version) != NULL;
        in_table |= !strncmp(line, row, strlen(row));
    }
    fclose(f);
    assert_true(in_text);
    assert_true(in_table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_header_is_as_it_is_described),
        cmocka_unit_test(a_chunk_is_as_it_is_described),
        cmocka_unit_test(an_entry_of_a_lock_is_as_it_is_described),
        cmocka_unit_test(its_version_is_the_one_that_is_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
