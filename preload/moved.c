#include "preload/moved.h"

#include <stddef.h>
#include <sys/mman.h>

#include "lib/rawsys.h"
#include "preload/attributes.h"

enum { PLACES_MAX = 1 << 16 };

static struct place {
    uintptr_t at, pc;
    uintptr_t stack;
} *places;
static uint32_t added;

uint32_t moved_places; /* published */

void moved_add(uintptr_t at, uintptr_t pc, uintptr_t stack)
{
    if (!places) {
        long p = sys_mmap(PLACES_MAX * sizeof *places, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (sys_failed(p))
            return;
        places = (struct place *)p;
    }
    if (added < PLACES_MAX)
        places[added++] = (struct place){at, pc, stack};
}

static void sift(uint32_t at, uint32_t n)
{
    for (uint32_t child; (child = 2 * at + 1) < n; at = child) {
        child += child + 1 < n && places[child].at < places[child + 1].at;
        if (places[at].at >= places[child].at)
            return;
        struct place swap = places[at];
        places[at] = places[child];
        places[child] = swap;
    }
}

void moved_publish(void)
{
    for (uint32_t i = added / 2; i-- > 0;)
        sift(i, added);
    for (uint32_t i = added; i-- > 1;) {
        struct place swap = places[0];
        places[0] = places[i];
        places[i] = swap;
        sift(0, i);
    }
    moved_places = added;
}

OUT_OF_LINE void moved_back_slow(struct unwind_regs *regs)
{
    uintptr_t pc = regs->r[UNWIND_PC];
    uint32_t lo = 0, hi = moved_places;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (places[mid].at <= pc)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (!lo || !places[lo - 1].pc)
        return;
    regs->r[UNWIND_PC] = places[lo - 1].pc;
    regs->r[UNWIND_SP] += places[lo - 1].stack;
}
