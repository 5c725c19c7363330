#include "config.h"

#include "cmd/target.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127, MAX_INTERPRETERS = 5 };

static bool is_file(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

static bool search_path(struct target *t, const char *command)
{
    const char *dirs = getenv("PATH");
    for (const char *d = dirs ? dirs : "/usr/bin:/bin"; d; d = strchr(d, ':') ? strchr(d, ':') + 1 : NULL) {
        int len = (int)strcspn(d, ":");
        int n = snprintf(t->path, sizeof t->path, "%.*s%s%s", len, d, len ? "/" : "", command);
        if (n < (int)sizeof t->path && is_file(t->path))
            return true;
    }
    return false;
}

static void fail(struct target *t, int status, const char *command, const char *why)
{
    t->error = status;
    snprintf(t->problem, sizeof t->problem, "%s: %s", command, why);
}

static bool locate(struct target *t, const char *command)
{
    struct stat st;
    if (!strchr(command, '/')) {
        if (search_path(t, command))
            return true;
        fail(t, NOT_FOUND, command, "no such command in PATH");
        return false;
    }
    snprintf(t->path, sizeof t->path, "%s", command);
    if (stat(command, &st))
        fail(t, errno == ENOENT || errno == ENOTDIR ? NOT_FOUND : NOT_EXECUTABLE, command, strerror(errno));
    else if (S_ISDIR(st.st_mode))
        fail(t, NOT_EXECUTABLE, command, "is a directory");
    else if (access(command, X_OK))
        fail(t, NOT_EXECUTABLE, command, "is not executable; chmod +x makes it so");
    return !t->error;
}

#if defined(__x86_64__)
enum { OUR_MACHINE = EM_X86_64 };
#else
enum { OUR_MACHINE = EM_AARCH64 };
#endif

static bool has_interpreter(int fd, const Elf64_Ehdr *e)
{
    for (int i = 0; i < e->e_phnum; i++) {
        Elf64_Phdr ph;
        if (pread(fd, &ph, sizeof ph, (off_t)(e->e_phoff + (uint64_t)i * sizeof ph)) != sizeof ph)
            break;
        if (ph.p_type == PT_INTERP)
            return true;
    }
    return false;
}

/* Why the loader would not load the shim into this executable, or NULL. */
static const char *obstacle(int fd, const Elf64_Ehdr *e)
{
    struct stat st;
    if (e->e_ident[EI_CLASS] != ELFCLASS64)
        return "it is a 32-bit program and thrace is 64-bit";
    if (e->e_machine != OUR_MACHINE)
        return "it is a program for another architecture";
    if (!has_interpreter(fd, e))
        return "it is statically linked, LD_PRELOAD does not reach it";
    if (!fstat(fd, &st) && (((st.st_mode & S_ISUID) && st.st_uid != geteuid()) ||
                            ((st.st_mode & S_ISGID) && st.st_gid != getegid())))
        return "it is set-user-ID or set-group-ID, the loader ignores LD_PRELOAD";
    return NULL;
}

/* "#! interpreter argument": the interpreter, in place. */
static char *interpreter(char *line)
{
    char *p = line + 2 + strspn(line + 2, " \t");
    p[strcspn(p, " \t\n")] = 0;
    return *p ? p : NULL;
}

void target_find(struct target *t, const char *command)
{
    char path[PATH_MAX], head[PATH_MAX];
    memset(t, 0, sizeof *t);
    if (!locate(t, command))
        return;
    snprintf(path, sizeof path, "%s", t->path);
    for (int i = 0; i < MAX_INTERPRETERS; i++) {
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t n = fd < 0 ? -1 : pread(fd, head, sizeof head - 1, 0);
        const char *why = NULL;
        head[n < 0 ? 0 : n] = 0;
        char *next = n > 2 && !memcmp(head, "#!", 2) ? interpreter(head) : NULL;
        if (n >= (ssize_t)sizeof(Elf64_Ehdr) && !memcmp(head, ELFMAG, SELFMAG))
            why = obstacle(fd, (const Elf64_Ehdr *)(void *)head);
        if (fd >= 0)
            close(fd);
        if (why)
            snprintf(t->problem, sizeof t->problem, "%s runs without being recorded: %s", path, why);
        if (!next)
            return;
        memmove(path, next, strlen(next) + 1);
    }
}
