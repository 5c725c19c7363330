/*
 * quota BYTES COMMAND…: runs the command where the kernel allocates no more for a spool than its first MiB, and that
 * many bytes of its log: as with a disk quota, with which the same calls fail in the same way. 0: nothing at all.
 */
#include "program.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>

enum { EXTENT = 1 << 20, LOG = (64 << 20) + (16 << 10) };

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define LOAD_LOW(arg) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[arg]))
#define IF(op, value, yes, no) BPF_JUMP(BPF_JMP | BPF_##op | BPF_K, value, yes, no)
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, value)

int main(int argc, char **argv)
{
    CHECK(argc > 2);
    uint32_t bytes = (uint32_t)atol(argv[1]);
    struct sock_filter filter[] = {
        LOAD(nr),
        IF(JEQ, SYS_fallocate, 2, 0),
        IF(JEQ, SYS_pwritev, 3, 0),
        RETURN(SECCOMP_RET_ALLOW),
        LOAD_LOW(2),
        IF(JGE, bytes ? EXTENT : 0, 3, 2),
        LOAD_LOW(3),
        IF(JGE, LOG + bytes, 1, 0),
        RETURN(SECCOMP_RET_ALLOW),
        RETURN(SECCOMP_RET_ERRNO | EDQUOT),
    };
    struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
    execvp(argv[2], argv + 2);
    return 127;
}
