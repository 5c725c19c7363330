/*
 * jitted MAP-FOLDER: code made at run time, which only a perf map describes, calls a function that waits.
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
    static const unsigned char code[] = {
#ifdef __x86_64__
        0x55,             /* push %rbp */
        0x48, 0x89, 0xe5, /* mov %rsp, %rbp */
        0xff, 0xd7,       /* call *%rdi */
        0x5d, 0xc3,       /* pop %rbp; ret */
#else
        0xfd, 0x7b, 0xbf, 0xa9, /* stp x29, x30, [sp, #-16]! */
        0xfd, 0x03, 0x00, 0x91, /* mov x29, sp */
        0x00, 0x00, 0x3f, 0xd6, /* blr x0 */
        0xfd, 0x7b, 0xc1, 0xa8, /* ldp x29, x30, [sp], #16 */
        0xc0, 0x03, 0x5f, 0xd6, /* ret */
#endif
    };
    char path[64];
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED);
    memcpy(page, code, sizeof code);
    __builtin___clear_cache(page, page + sizeof code);
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
    return 0;
}
