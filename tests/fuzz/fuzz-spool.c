/*
 * Any bytes as a spool: it is refused, or a trace is made of it that our own reader opens, and it is followed as if its
 * process still ran. Addresses get no names here, which fuzz-symbols looks after, and modules are not opened.
 *
 * The input is the file without its holes, as pieces: four bytes with the offset, four with the length, the bytes.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/finish/finish_write.h"
#include "cmd/finish/recording_read.h"
#include "cmd/finish/recording_symbols.h"
#include "cmd/finish/spool_read.h"
#include "cmd/top/follow.h"
#include "tests/fuzz/fuzz.h"

const char *const fuzz_corpora[] = {"spool", NULL};

enum { LARGEST = 80 << 20, HEADER = 8 };

static uint32_t le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static int unfold(const uint8_t *data, size_t size)
{
    int fd = memfd_create("spool", MFD_CLOEXEC);
    if (fd < 0)
        fuzz_fail("no memory");
    while (size >= HEADER) {
        uint32_t offset = le32(data), len = le32(data + 4);
        data += HEADER;
        size -= HEADER;
        if (len > size)
            len = (uint32_t)size;
        if (offset < LARGEST && pwrite(fd, data, len, offset) != (ssize_t)len)
            fuzz_fail("cannot write the spool");
        data += len;
        size -= len;
    }
    return fd;
}

/* Nothing that a spool names is looked up, but modules are distinguished as ever. */
static void forget_paths(struct recording *r)
{
    for (size_t i = 0; i < r->modules.n; i++) {
        free(r->modules.v[i].path);
        r->modules.v[i].path = strdup("/dev/null");
    }
}

static void finish(struct spool_file *f)
{
    static struct finish_summary sum;
    struct recording r;
    const char *err = recording_read(&r, f);
    if (!err) {
        uint64_t hz = finish_frequency(f->header);
        samples_bound(&r.samples, f->header, hz);
        trace_time_init(&r.time, hz);
        forget_paths(&r);
        r.exe = "/dev/null";
        err = recording_symbolize(&r, NULL);
    }
    memset(&sum, 0, sizeof sum);
    strcpy(sum.path, "/dev/null");
    if (!err)
        finish_write(f, &r, &sum);
    recording_free(&r);
}

static void follow(int fd)
{
    enum { GENERATIONS = 8 };
    struct follow f;
    struct spool_file file;
    const char *err = follow_open(&f, fd);
    if (!err)
        err = follow_read(&f);
    for (int i = 0; i < GENERATIONS && !err && follow_next(&f, &file, &err); i++) {
        struct recording r;
        recording_read(&r, &file);
        recording_free(&r);
        err = follow_next_end(&f, &file);
    }
    follow_close(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct spool_file f;
    setenv("THRACE_SYMBOL_CACHE", "0", 1);
    int fd = unfold(data, size);
    if (!spool_file_open(&f, fd)) {
        if (f.events.n)
            finish(&f);
        spool_file_close(&f);
    }
    follow(fd);
    close(fd);
    return 0;
}
