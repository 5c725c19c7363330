/*
 * privileges WAY: root drops something by a system call that the kernel does for the calling thread alone, and no other
 * thread of the process keeps it. WAY: user, groups, capabilities, libcap, nnp, nnp-prctl, all, passing.
 */
#include "program.h"

#include <dirent.h>
#include <linux/capability.h>
#include <sys/prctl.h>

int capset(void *header, const void *data);

static const char *const fields[] = {"Uid:", "Gid:", "Groups:", "CapPrm:", "CapEff:", "NoNewPrivs:"};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static void read_status(const char *tid, char lines[FIELDS][256])
{
    char path[300], line[256];
    snprintf(path, sizeof path, "/proc/self/task/%s/status", tid);
    FILE *f = fopen(path, "r");
    CHECK(f != NULL);
    while (fgets(line, sizeof line, f))
        for (int i = 0; i < FIELDS; i++)
            if (!strncmp(line, fields[i], strlen(fields[i])))
                strcpy(lines[i], line);
    fclose(f);
}

/* The process has one thread of its own. */
static void all_are_equal(void)
{
    char own[FIELDS][256], other[FIELDS][256], tid[16];
    snprintf(tid, sizeof tid, "%d", (int)getpid());
    read_status(tid, own);
    DIR *d = opendir("/proc/self/task");
    CHECK(d != NULL);
    for (struct dirent *e; (e = readdir(d));) {
        if (*e->d_name == '.')
            continue;
        read_status(e->d_name, other);
        for (int i = 0; i < FIELDS; i++)
            if (strcmp(own[i], other[i]) != 0)
                printf("thread %s\n  has %s  not %s", strcmp(e->d_name, tid) > 0 ? "of another" : "", other[i], own[i]);
    }
    closedir(d);
}

static void drop_capabilities(bool by_libc)
{
    struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
    none[0].permitted = none[0].effective = 1u << CAP_KILL;
    CHECK((by_libc ? capset(&h, none) : syscall(SYS_capset, &h, none)) == 0);
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    bool all = !strcmp(way, "all");
    if (!strcmp(way, "passing")) {
        CHECK(syscall(SYS_setresuid, -1, 65534, -1) == 0 && syscall(SYS_setresuid, -1, 0, -1) == 0);
    }
    if (all || !strcmp(way, "groups")) {
        const gid_t groups[] = {65534, 65533};
        CHECK(syscall(SYS_setgroups, 2, groups) == 0 && syscall(SYS_setresgid, 65534, 65534, 65534) == 0);
    }
    if (all || !strcmp(way, "user")) {
        CHECK(prctl(PR_SET_KEEPCAPS, all, 0, 0, 0) == 0 && syscall(SYS_setresuid, 65534, 65534, 65534) == 0);
    }
    if (all || !strcmp(way, "capabilities"))
        drop_capabilities(false);
    if (!strcmp(way, "libcap"))
        drop_capabilities(true);
    if (all || !strcmp(way, "nnp"))
        CHECK(syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    if (!strcmp(way, "nnp-prctl"))
        CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    all_are_equal();
    puts("done");
    return 0;
}
