/* What is found in the spool of spool-fixture.h when it is read, and what is said of one that is refused. */
#ifndef THRACE_TESTS_UNIT_SPOOL_FOUND_H
#define THRACE_TESTS_UNIT_SPOOL_FOUND_H

#include "tests/unit/spool-fixture.h"

#include <stdio.h>

#include "cmd/finish/spool_claim.h"
#include "cmd/finish/spool_read.h"

/* As those who finish spools do. */
static inline const char *open_spool(struct spool_file *f, const char *path)
{
    struct spool_claim c;
    memset(f, 0, sizeof *f);
    const char *err = spool_claim_open(&c, path, false);
    if (!err)
        err = spool_file_open(f, c.fd);
    spool_claim_end(&c, path, false);
    return err;
}

/* The batches as "generation:m/time" in the order in which they are found. */
static inline const char *text(const struct spool_batches *b)
{
    static char buf[16 << 10];
    size_t at = 0;
    buf[0] = 0;
    for (size_t i = 0; i < b->n; i++)
        at += (size_t)snprintf(buf + at, sizeof buf - at, "%s%llu:%llu/%llu", i ? " " : "",
                               (unsigned long long)b->v[i].generation, (unsigned long long)b->v[i].m,
                               (unsigned long long)b->v[i].time);
    return buf;
}

static inline void assert_found(const struct spool_fixture *f, const char *events, const char *meta)
{
    struct spool_file file;
    assert_null(open_spool(&file, f->path));
    assert_string_equal(text(&file.events), events);
    assert_string_equal(text(&file.meta), meta);
    spool_file_close(&file);
}

static inline void assert_refused(const char *path, const char *why)
{
    struct spool_file file;
    const char *said = open_spool(&file, path);
    assert_non_null(said);
    if (!strstr(said, why))
        fail_msg("said \"%s\", not \"%s\"", said, why);
    assert_null(file.map);
}

#endif
