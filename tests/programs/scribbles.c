/*
 * scribbles SECONDS: writes at random into what says where its code and its frames are: the headers of the program and
 * the table of its frames. Who looks at it from outside must not believe any of it.
 */
#include "program.h"

#include <link.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

static uint8_t *headers, *frames;
static size_t frames_size;

static int find(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    (void)arg;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        if (ph->p_type == PT_LOAD && ph->p_offset == 0)
            headers = (uint8_t *)(info->dlpi_addr + ph->p_vaddr);
        if (ph->p_type == PT_GNU_EH_FRAME) {
            frames = (uint8_t *)(info->dlpi_addr + ph->p_vaddr);
            frames_size = ph->p_memsz;
        }
    }
    return 1; /* the program comes first */
}

/* There may be code beside it. */
static void make_writable(uint8_t *from, size_t size)
{
    uintptr_t start = (uintptr_t)from & ~(uintptr_t)(PAGE - 1);
    uintptr_t end = ((uintptr_t)from + size + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    CHECK(mprotect((void *)start, end - start, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
}

static uint64_t random_word(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

int main(int argc, char **argv)
{
    CHECK(argc == 2 && dl_iterate_phdr(find, NULL) == 1 && headers && frames_size > 16);
    uint8_t good[1024];
    time_t until = time(NULL) + atoi(argv[1]);
    memcpy(good, headers, sizeof good);
    make_writable(headers, sizeof good);
    make_writable(frames, frames_size);
    puts("ready");
    fflush(stdout);
    for (uint64_t i = 0; time(NULL) < until; i++) {
        memcpy(headers, good, sizeof good);
        for (uint64_t n = random_word() % 4; n > 0; n--)
            headers[16 + random_word() % (sizeof good - 16)] = (uint8_t)random_word();
        for (uint64_t n = random_word() % 16; n > 0; n--)
            frames[random_word() % frames_size] = (uint8_t)random_word();
        if (i % 64 == 0)
            usleep(100);
    }
    _exit(0);
}
