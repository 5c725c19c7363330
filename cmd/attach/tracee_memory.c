/* What is written to a process whose thread is held. */
#include "config.h"

#include <sys/uio.h>

#include "cmd/attach/tracee.h"

#if defined(__x86_64__)

bool tracee_write(const struct tracee *t, uint64_t address, const void *from, size_t size)
{
    struct iovec here = {(void *)from, size}, there = {(void *)(uintptr_t)address, size};
    return process_vm_writev(t->tid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

uint64_t tracee_give(struct tracee *t, const void *from, size_t size)
{
    const uint64_t at = t->memory + TRACEE_TEXT + TRACEE_STACK;
    if (!size || t->size - TRACEE_TEXT - TRACEE_STACK < size || !tracee_write(t, at, from, size))
        return 0;
    t->size = TRACEE_TEXT + TRACEE_STACK;
    return at;
}

uint64_t tracee_put(struct tracee *t, size_t at, const void *text, size_t size)
{
    bool fits = at <= t->text_size && size <= t->text_size - at;
    return fits && tracee_write(t, t->text + at, text, size) ? t->text + at : 0;
}

#endif
