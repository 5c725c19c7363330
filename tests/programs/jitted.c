/*
 * jitted MAP-FOLDER: code made at run time, which only a perf map describes, calls a function that waits.
 * x86-64 only; elsewhere, it says so and does nothing.
 */
#include "program.h"

#include <stdint.h>
#include <sys/mman.h>

static NOINLINE void waits(void)
{
    milliseconds(20);
    NO_TAIL_CALL();
}

int main(int argc, char **argv)
{
#ifdef __x86_64__
    static const unsigned char code[] = {
        0x55,             /* push %rbp */
        0x48, 0x89, 0xe5, /* mov %rsp, %rbp */
        0xff, 0xd7,       /* call *%rdi */
        0x5d, 0xc3,       /* pop %rbp; ret */
    };
    char path[64];
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED);
    memcpy(page, code, sizeof code);
    CHECK(!mprotect(page, 4096, PROT_READ | PROT_EXEC));
    snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
    FILE *map = fopen(path, "wx");
    CHECK(map);
    fprintf(map, "%lx %zx made at run time\n", (unsigned long)(uintptr_t)page, sizeof code);
    CHECK(!fclose(map));
    ((void (*)(void (*)(void)))(uintptr_t)page)(waits);
    NO_TAIL_CALL();
    if (argc > 1)
        fprintf(stderr, "map %s\n", path);
    else
        unlink(path);
#else
    puts("no code for this machine");
#endif
    return 0;
}
