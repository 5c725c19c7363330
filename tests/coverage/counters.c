/*
 * A build with --enable-coverage links this into each program and library. gcov's runtime writes its counters at exit,
 * with malloc, stdio and file locks: too late for a process that is killed or executes, and nothing that a preloaded
 * library may do. Here the counters are a file from the start, shared by all processes that run the same program or
 * library, and gcov's runtime sleeps. scripts/line-coverage wakes it once for each when all tests are through, and has
 * it write what is in the file then.
 */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/rawsys.h"

#define HIDDEN __attribute__((visibility("hidden")))

/* From counters.ld and the linker. */
extern char gcov_counters_start[] HIDDEN, gcov_counters_end[] HIDDEN;
extern const ElfW(Ehdr) __ehdr_start HIDDEN;

/* The linker's --wrap gives these names to what gcc's destructors call, and to gcov's own. */
void __wrap___gcov_exit(void) HIDDEN;
void __real___gcov_exit(void);

/* The link's own number names the file, since a program may be copied or installed. */
static const ElfW(Nhdr) *find_build_id(void)
{
    const char *base = (const char *)&__ehdr_start;
    const ElfW(Phdr) *headers = (const ElfW(Phdr) *)(base + __ehdr_start.e_phoff);
    for (int i = 0; i < __ehdr_start.e_phnum; i++) {
        if (headers[i].p_type != PT_NOTE)
            continue;
        const char *p = base + headers[i].p_offset, *end = p + headers[i].p_filesz;
        while (p < end) {
            const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)p;
            if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4)
                return note;
            p += sizeof *note + ((note->n_namesz + 3) & ~3u) + ((note->n_descsz + 3) & ~3u);
        }
    }
    return NULL;
}

enum { ID_MAX = 32 };

static bool name_file(char *path)
{
    const ElfW(Nhdr) *note = find_build_id();
    if (!note || note->n_descsz > ID_MAX)
        return false;
    const unsigned char *id = (const unsigned char *)(note + 1) + 4;
    path += strlen(path);
    for (unsigned i = 0; i < note->n_descsz; i++) {
        *path++ = "0123456789abcdef"[id[i] >> 4];
        *path++ = "0123456789abcdef"[id[i] & 15];
    }
    return true;
}

/* Without folder or file the counts of this process are lost, and the program does not notice. */
static void share_counters(void)
{
    char path[sizeof COUNTERS_FOLDER + 1 + 2 * ID_MAX] = COUNTERS_FOLDER "/";
    size_t size = (size_t)(gcov_counters_end - gcov_counters_start);
    if (!name_file(path))
        return;
    int fd = (int)sys_openat(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return;
    raw_syscall(SYS_fchmod, fd, 0666, 0, 0, 0, 0); /* a program may run as somebody else later */
    long shared = sys_failed(raw_syscall(SYS_ftruncate, fd, (long)size, 0, 0, 0, 0))
                      ? -1
                      : sys_mmap(size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (!sys_failed(shared)) {
        uint64_t *sums = (uint64_t *)shared;
        const uint64_t *counted = (const uint64_t *)gcov_counters_start; /* by constructors that ran before */
        for (size_t i = 0; i < size / sizeof *sums; i++)
            if (counted[i])
                __atomic_fetch_add(&sums[i], counted[i], __ATOMIC_RELAXED);
        raw_syscall(SYS_mmap, (long)gcov_counters_start, (long)size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
                    0);
        sys_munmap(sums, size);
    }
    sys_close(fd);
}

void __wrap___gcov_exit(void) {}

/* By now gcc's constructors, at 100, have registered with gcov's runtime what there is to write. */
__attribute__((constructor(101))) static void begin(void)
{
    share_counters();
    if (getenv("THRACE_WRITE_COVERAGE")) {
        __real___gcov_exit();
        raw_syscall(SYS_exit_group, 0, 0, 0, 0, 0, 0);
    }
}
