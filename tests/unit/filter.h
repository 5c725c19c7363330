/* System calls that fail on demand: a seccomp filter for the rest of the process's life. */
#ifndef THRACE_TESTS_FILTER_H
#define THRACE_TESTS_FILTER_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>

enum { ANY_FIRST_ARGUMENT = -1 };

/*
 * From now on system call nr, if its first argument is first, ends as action says (SECCOMP_RET_ERRNO | error,
 * SECCOMP_RET_TRAP). False where the kernel, or a container, allows no filters.
 */
static inline bool filter_syscall(long nr, int first, uint32_t action)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | (first < 0 ? BPF_JGE : BPF_JEQ) | BPF_K, first < 0 ? 0 : (uint32_t)first, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof code / sizeof code[0], code};
    return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#endif
