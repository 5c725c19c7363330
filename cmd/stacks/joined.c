#include "config.h"

#include "cmd/stacks/joined.h"

/*
 * In glibc 2.41 the word is the thread's number, in 2.43 a state, somewhere in struct pthread. That begins as the psABI
 * of x86-64 wants it where %fs points, with a pointer to itself, which is there once more behind another word.
 */
#if defined(__x86_64__)

enum { SIZE_MAX_OF_PTHREAD = 2304, ALIGNMENT = 64, SELF = 0, SELF_AGAIN = 16, TID = 720 };

static bool is_self(const struct process *p, uint64_t record, unsigned offset)
{
    uint64_t self;
    return process_load(p, record + offset, &self, sizeof self) && self == record;
}

pid_t joined_thread(const struct process *p, uint64_t word)
{
    int32_t tid;
    for (uint64_t record = word & ~(uint64_t)(ALIGNMENT - 1); word - record < SIZE_MAX_OF_PTHREAD; record -= ALIGNMENT)
        if (is_self(p, record, SELF) && is_self(p, record, SELF_AGAIN))
            return process_load(p, record + TID, &tid, sizeof tid) && tid > 0 ? tid : 0;
    return 0;
}

#else

pid_t joined_thread(const struct process *p, uint64_t word)
{
    (void)p, (void)word;
    return 0;
}

#endif
