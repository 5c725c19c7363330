/*
 * slow-barriers COMMAND…: runs the command where the kernel takes for ever to register a process for membarrier(2), as
 * when its own threads starve: a filter hands that call to somebody who never answers.
 */
#include "program.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/membarrier.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

int main(int argc, char **argv)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    CHECK(argc > 1 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    long nobody = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
    if (nobody < 0)
        return 77; /* another filter has such a listener already */
    CHECK(fcntl((int)nobody, F_SETFD, 0) == 0);
    execvp(argv[1], argv + 1);
    return 127;
}
