/*
 * Any bytes as the CFI of a program, and any as its stack. The input is 8 bytes of settings and then the segment that
 * holds .eh_frame_hdr, which comes first, and .eh_frame. Code is IMAGE_CODE behind it, where nothing is.
 *
 * Nothing outside the segment and the stack may be read, and what a memo or a recipe says must be what a walk says.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/unwind/unwind.h"
#include "tests/fuzz/fuzz.h"

const char *const fuzz_corpora[] = {"unwind", NULL};

enum { SETTINGS = 8, PAGE = 4096, WORDS = PAGE / 8, MAX = 64, LARGEST = 1 << 16 };
enum { IMAGE_CODE = 1 << 20, CODE_SIZE = 4096 };

static uintptr_t *stack;
static struct unwind_modules *modules;
static struct unwind_cache *kept, *fresh;
static struct unwind_recipes *fresh_recipes;

static void set_up(void)
{
    char *guarded = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack = (uintptr_t *)(guarded + PAGE);
    if (guarded == MAP_FAILED || mprotect(stack, PAGE, PROT_READ | PROT_WRITE))
        fuzz_fail("no memory");
    modules = malloc(unwind_modules_size(1));
    kept = calloc(1, sizeof *kept);
    kept->recipes = calloc(1, sizeof *kept->recipes);
    fresh = malloc(sizeof *fresh);
    fresh_recipes = malloc(sizeof *fresh_recipes);
}

/* Words that look like what is on a stack: addresses of code, addresses of the stack, and numbers. */
static void fill_stack(const uint8_t *data, size_t size, uintptr_t code)
{
    for (size_t i = 0; i < WORDS; i++) {
        uint8_t b = size ? data[i % size] : 0;
        if (b % 4 == 0)
            stack[i] = (uintptr_t)&stack[(i + b) % WORDS];
        else
            stack[i] = b % 4 == 1 ? b : code + (uintptr_t)b * i % CODE_SIZE;
    }
}

static void compare(const struct unwind_stack *a, const uintptr_t *a_pcs, const struct unwind_stack *b,
                    const uintptr_t *b_pcs, const char *what)
{
    if (a->n != b->n || a->flags != b->flags || memcmp(a_pcs, b_pcs, (size_t)a->n * sizeof *a_pcs))
        fuzz_fail("%s differ: %d and %d frames, flags %u and %u", what, a->n, b->n, a->flags, b->flags);
}

static void capture_every_way(struct unwind_request *q)
{
    uintptr_t pcs[MAX], again[MAX];
    struct unwind_stack first, other;
    memset(fresh, 0, sizeof *fresh);
    memset(fresh_recipes, 0, sizeof *fresh_recipes);
    fresh->recipes = fresh_recipes;
    unwind_capture(fresh, modules, q, pcs, &first);
    if (first.n < 0 || first.n > q->max)
        fuzz_fail("%d frames of at most %d", first.n, q->max);
    unwind_capture(kept, modules, q, again, &other);
    compare(&first, pcs, &other, again, "a cold walk and one");
    unwind_capture(kept, modules, q, again, &other);
    compare(&first, pcs, &other, again, "a walk and a memo");
    q->options = UNWIND_NO_MEMO;
    unwind_capture(kept, modules, q, again, &other);
    compare(&first, pcs, &other, again, "a walk by recipes and one");
    q->options = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint64_t generation;
    if (!stack)
        set_up();
    if (size < SETTINGS || size > LARGEST)
        return 0;
    size_t cfi_size = size - SETTINGS;
    uint8_t *cfi = malloc(cfi_size + 1);
    memcpy(cfi, data + SETTINGS, cfi_size);
    uintptr_t bias = (uintptr_t)cfi;
    ElfW(Phdr) phdr[] = {{.p_type = PT_LOAD, .p_flags = PF_R, .p_filesz = cfi_size},
                         {.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = IMAGE_CODE, .p_memsz = CODE_SIZE},
                         {.p_type = PT_GNU_EH_FRAME}};
    unwind_modules_init(modules, 1, ++generation);
    unwind_modules_add(modules, &(struct dl_phdr_info){.dlpi_addr = bias, .dlpi_phdr = phdr, .dlpi_phnum = 3});
    fill_stack(data, size, bias + IMAGE_CODE);

    bool known = data[0] & 1;
    struct unwind_request q = {.stack_lo = known ? (uintptr_t)stack : 0,
                               .stack_hi = known ? (uintptr_t)(stack + WORDS) : 0,
                               .max = data[1] % (MAX + 1),
                               .mode = data[0] >> 1 & 3,
                               .regs = {.known = UNWIND_KNOWN_MIN, .exact = data[0] & 8}};
    for (int i = 0; i < UNWIND_NREGS; i++)
        q.regs.r[i] = (uintptr_t)&stack[(data[i % SETTINGS] * 3u + (unsigned)i) % WORDS];
    if (data[0] & 16)
        q.regs.known = (UINT64_C(1) << UNWIND_NREGS) - 1;
    q.regs.r[UNWIND_SP] = (uintptr_t)&stack[data[2]];
    for (unsigned i = 0; i < 8; i++) {
        q.regs.r[UNWIND_PC] = bias + IMAGE_CODE + (data[3] * 16u + i * (data[4] + 1u)) % CODE_SIZE;
        capture_every_way(&q);
    }
    free(cfi);
    return 0;
}
