/*
 * The modules of a process, and copies of what describes their frames, so that lib/unwind can walk its stacks here.
 *
 * lib/unwind reads the memory that it is given addresses of. So each module has a place of its own, in a range of ours
 * where the process has nothing mapped, and so has the stack that is walked. In the copy of a stack each word that
 * points into the stack or into a module is changed to point into the copy: a walk then finds its way as if it were in
 * the process. Only the call frame information of a module is copied, from the memory of the process, whatever became
 * of the file.
 */
#ifndef THRACE_CMD_STACKS_MODULES_H
#define THRACE_CMD_STACKS_MODULES_H

#include "cmd/stacks/process.h"
#include "lib/unwind/unwind.h"

enum { BUILD_ID_MAX = 64, STACK_COPY_MAX = 1 << 20 };

struct module {
    uint64_t start, end; /* all of it in the process */
    uint64_t bias;       /* of its addresses there over those in the file */
    uint64_t moved;      /* added to an address there: its place here */
    char *path;          /* the mapping's, and … */
    uint64_t inode;      /* … of which file */
    uint8_t build_id[BUILD_ID_MAX];
    size_t build_id_len;
    int symbols; /* its number with the symbolizer, -1: not there yet */
};

struct modules {
    VEC(struct module) list; /* by address */
    uint8_t *place;          /* of ours: the stack's copy, and then the modules */
    size_t place_size;
    struct unwind_modules *unwind;
    struct unwind_recipes *recipes;
    struct unwind_cache *cache;
};

/* Finds them by p's mappings. NULL, or why not. */
const char *modules_open(struct modules *ms, const struct process *p);
void modules_close(struct modules *ms);

/* The module that holds the address in the process, or NULL. */
struct module *modules_find(const struct modules *ms, uint64_t address);

/* A stack of the process, from its pointer on, as far as it was copied. */
struct stack_copy {
    struct unwind_regs regs; /* as they are there */
    uint64_t start;          /* of the copy, there: the stack pointer or a bit below */
    size_t size;
    uint8_t *bytes;
};

/*
 * Walks the stack. The pcs, max at most, are addresses in the process as lib/unwind stores them: the first as if it
 * were a return address. Flags are those of struct unwind_stack.
 */
int modules_unwind(struct modules *ms, const struct stack_copy *stack, uintptr_t *pcs, int max, unsigned *flags);

#endif
