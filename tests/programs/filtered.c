/*
 * filtered [COMMAND…]: runs the command, or makes such a call itself, under a filter that is there before the command is
 * executed, and kills for what a recorder might come to use, but sandboxes may leave out, and systemd's @system-service
 * does with most of it.
 */
#include "program.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif
#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#endif

static const int killing[] = {SYS_process_vm_readv, SYS_process_vm_writev, SYS_ptrace,         SYS_perf_event_open,
                              SYS_pidfd_getfd,      SYS_io_uring_setup,    SYS_bpf,            SYS_fanotify_init,
                              SYS_clock_settime,    SYS_mount,             SYS_syslog,         SYS_acct};
enum { CALLS = sizeof killing / sizeof killing[0] };

int main(int argc, char **argv)
{
    struct sock_filter filter[CALLS + 3] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    for (unsigned i = 0; i < CALLS; i++)
        filter[1 + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)killing[i],
                                                     (unsigned char)(CALLS - i), 0);
    filter[CALLS + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[CALLS + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    struct sock_fprog program = {CALLS + 3, filter};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
    if (argc == 1)
        syscall(killing[0], 0, 0, 0, 0, 0, 0);
    else
        execvp(argv[1], argv + 1);
    return 127;
}
