/*
 * heap-held N: a block of 32 MiB that goes again, N times 64 blocks of 16 KiB, all written to, and mappings that come,
 * grow, shrink and go. Prints what it mapped, what libc says of its heap and what the kernel says of the process.
 */
#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>

#include "program.h"

enum { BLOCKS = 64, BLOCK = 16 << 10, MIB = 1 << 20 };

static void *volatile kept;

static long held(void)
{
    long size = 0, resident = 0, shared = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    CHECK(f && fscanf(f, "%ld %ld %ld", &size, &resident, &shared) == 3);
    fclose(f);
    return (resident - shared) * sysconf(_SC_PAGESIZE);
}

static long mapped(void)
{
    char *a = mmap(NULL, 50 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *b = mmap(NULL, 20 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(a != MAP_FAILED && b != MAP_FAILED);
    memset(a, 1, 20 * MIB);
    CHECK(!munmap(a + 20 * MIB, 30 * MIB));
    CHECK(mremap(b, 20 * MIB, 25 * MIB, MREMAP_MAYMOVE) != MAP_FAILED);
    CHECK(mmap(NULL, SIZE_MAX / 2, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    return 45 * MIB;
}

static size_t in_use(void)
{
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 1;
    printf("live 0\n"); /* stdout's buffer is there from here on */
    free(kept = malloc(32 * MIB));
    size_t before = in_use();
    for (long i = 0; i < n * BLOCKS; i++)
        memset(kept = malloc(BLOCK), 1, BLOCK);
    printf("mapped %ld\n", n ? mapped() : 0);
    printf("libc %zu\n", in_use() - before);
    printf("held %ld\n", held());
    return 0;
}
