#include "preload/probes/trampoline.h"

#if defined(__x86_64__)

#include <string.h>
#include <sys/mman.h>

#include "preload/moved.h"
#include "preload/recorder.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

enum { PAGE = 4096, TRAMPOLINE_MAX = 256, HEAD = 16 };

/* --- memory ------------------------------------------------------------------------------------------------------- */

/* As far as 32 bits reach, with room for how large modules are. */
#define FAR_ENOUGH (UINT64_C(1) << 30)
#define STRIDE (UINT64_C(1) << 20)

static uint8_t *map_at(uintptr_t at, size_t size)
{
    long p = raw_syscall(SYS_mmap, (long)at, (long)size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (sys_failed(p))
        return NULL;
    if ((uintptr_t)p == at)
        return (uint8_t *)p;
    sys_munmap((void *)p, size); /* a kernel that does not know the flag */
    return NULL;
}

/* Below the module first: above it the heap may grow. */
static uint8_t *map_near(uintptr_t from, uintptr_t to, size_t size)
{
    uint8_t *p;
    for (uintptr_t gap = 0; gap < FAR_ENOUGH; gap += STRIDE)
        if (from > gap + size + STRIDE / 16 && (p = map_at(from - gap - size, size)))
            return p;
    for (uintptr_t gap = STRIDE; gap < FAR_ENOUGH; gap += STRIDE)
        if ((p = map_at(to + gap, size)))
            return p;
    return NULL;
}

/* The call is through a pointer at their beginning: the library may be further away. */
const char *trampolines_begin(struct trampolines *t, const struct dl_phdr_info *module, unsigned n)
{
    uintptr_t from = UINTPTR_MAX, to = 0;
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &module->dlpi_phdr[i];
        if (ph->p_type != PT_LOAD)
            continue;
        uintptr_t start = module->dlpi_addr + ph->p_vaddr, end = start + ph->p_memsz;
        from = start < from ? start : from;
        to = end > to ? end : to;
    }
    from &= ~(uintptr_t)(PAGE - 1);
    to = (to + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    if (from >= to || to - from > FAR_ENOUGH / 2)
        return "its module is too large for jumps";
    size_t size = (HEAD + (size_t)n * TRAMPOLINE_MAX + PAGE - 1) & ~(size_t)(PAGE - 1);
    t->from = map_near(from, to, size);
    if (!t->from)
        return "there is no memory near its module";
    t->end = t->from + size;
    t->next = t->from + HEAD;
    uintptr_t entry = (uintptr_t)probe_entry;
    memcpy(t->from, &entry, sizeof entry);
    return NULL;
}

const char *trampolines_end(struct trampolines *t)
{
    size_t size = (size_t)(t->end - t->from);
    if (!sys_failed(raw_syscall(SYS_mprotect, (long)t->from, (long)size, PROT_READ | PROT_EXEC, 0, 0, 0)))
        return NULL;
    sys_munmap(t->from, size);
    return "the system lets no process make code";
}

/* --- code --------------------------------------------------------------------------------------------------------- */

struct code {
    uint8_t *p;
    bool too_far;
};

static void put(struct code *c, const void *bytes, size_t n)
{
    memcpy(c->p, bytes, n);
    c->p += n;
}

#define PUT(c, ...) put(c, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void put_address(struct code *c, const void *p) { put(c, &p, sizeof p); }

/* The distance from the end of the instruction, which ends `more` bytes behind these four. */
static void put_distance(struct code *c, uintptr_t to, size_t more)
{
    int64_t distance = (int64_t)(to - ((uintptr_t)c->p + 4 + more));
    int32_t half = (int32_t)distance;
    c->too_far |= half != distance;
    put(c, &half, sizeof half);
}

/* What comes next, for who looks at a thread that is interrupted there. */
static void stands_for(const struct code *c, uintptr_t pc, uintptr_t stack) { moved_add((uintptr_t)c->p, pc, stack); }

static void put_moved(struct code *c, const struct moved_instruction *m)
{
    stands_for(c, m->from, 0);
    switch ((enum moved)m->how) {
    case MOVED_PLAIN:
        put(c, m->bytes, m->len);
        break;
    case MOVED_RELATIVE: {
        size_t behind = (size_t)m->len - m->displacement - 4;
        put(c, m->bytes, m->displacement);
        put_distance(c, m->target, behind);
        put(c, m->bytes + m->displacement + 4, behind);
        break;
    }
    case MOVED_JUMP:
        PUT(c, 0xe9);
        put_distance(c, m->target, 0);
        break;
    case MOVED_BRANCH:
        PUT(c, 0x0f, 0x80 | m->opcode);
        put_distance(c, m->target, 0);
        break;
    }
}

/*
 * The flags are kept, and rax; the 128 bytes below rsp may be in use. Nothing is called while nothing is recorded, nor
 * may be.
 */
static void put_call(struct code *c, const struct trampolines *t, const struct site *s, const struct probe *probe)
{
    stands_for(c, s->pc, 0);
    PUT(c, 0x48, 0x8d, 0x64, 0x24, 0x80); /* lea -128(%rsp), %rsp */
    stands_for(c, s->pc, 128);
    PUT(c, 0x9c);                         /* pushfq */
    stands_for(c, s->pc, 136);
    PUT(c, 0x50);                         /* push %rax */
    stands_for(c, s->pc, 144);
    PUT(c, 0x48, 0xb8);                   /* movabs $hooked, %rax */
    put_address(c, &recorder.owner->hooked);
    PUT(c, 0x83, 0x38, 0x00);             /* cmpl $0, (%rax) */
    PUT(c, 0x74, 16);                     /* je over the call */
    PUT(c, 0x48, 0xb8);                   /* movabs $probe, %rax */
    put_address(c, probe);
    PUT(c, 0xff, 0x15);                   /* call *entry(%rip) */
    put_distance(c, (uintptr_t)t->from, 0);
    PUT(c, 0x58);                         /* pop %rax */
    stands_for(c, s->pc, 136);
    PUT(c, 0x9d);                         /* popfq */
    stands_for(c, s->pc, 128);
    PUT(c, 0x48, 0x8d, 0xa4, 0x24, 0x80, 0x00, 0x00, 0x00); /* lea 128(%rsp), %rsp */
}

const uint8_t *trampoline_write(struct trampolines *t, const struct site *s, const struct probe *probe)
{
    uint8_t *from = t->next;
    struct code c = {from, false};
    if ((size_t)(t->end - from) < TRAMPOLINE_MAX)
        return NULL;
    for (unsigned i = 0; i < s->before; i++)
        put_moved(&c, &s->instruction[i]);
    put_call(&c, t, s, probe);
    for (unsigned i = s->before; i < s->n; i++)
        put_moved(&c, &s->instruction[i]);
    stands_for(&c, s->to, 0);
    PUT(&c, 0xe9);
    put_distance(&c, s->to, 0);
    stands_for(&c, 0, 0);
    if (c.too_far)
        return NULL;
    t->next = from + (((size_t)(c.p - from) + 15) & ~(size_t)15);
    return from;
}

/* --- the jump ----------------------------------------------------------------------------------------------------- */

static uint8_t *copy_of(const uint8_t *pages, size_t size)
{
    long p = sys_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!sys_failed(p))
        memcpy((void *)p, pages, size);
    return sys_failed(p) ? NULL : (uint8_t *)p;
}

/*
 * The pages are replaced as a whole by copies, so that there is no moment without code, and whatever fails leaves all
 * as it was. Nor are they pages of the file any more: the kernel's uprobes, which put a trap where they know of a nop,
 * leave them alone. With the jump there they would go on in the middle of it.
 */
bool trampoline_enter(const struct site *s, const uint8_t *trampoline)
{
    uint8_t *page = (uint8_t *)(s->from & ~(uintptr_t)(PAGE - 1));
    size_t at = s->from % PAGE, size = at + SITE_JUMP > PAGE ? 2 * PAGE : PAGE;
    uint8_t jump[SITE_JUMP] = {0xe9};
    int64_t distance = (int64_t)((uintptr_t)trampoline - (s->from + SITE_JUMP));
    int32_t half = (int32_t)distance;
    if (half != distance)
        return false;
    memcpy(jump + 1, &half, sizeof half);
    uint8_t *copy = copy_of(page, size);
    if (!copy)
        return false;
    memcpy(copy + at, jump, sizeof jump);
    if (!sys_failed(raw_syscall(SYS_mprotect, (long)copy, (long)size, PROT_READ | PROT_EXEC, 0, 0, 0)) &&
        (uint8_t *)raw_syscall(SYS_mremap, (long)copy, (long)size, (long)size, MREMAP_MAYMOVE | MREMAP_FIXED,
                               (long)page, 0) == page)
        return true;
    sys_munmap(copy, size);
    return false;
}

#endif
