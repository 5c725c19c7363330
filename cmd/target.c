#include "config.h"

#include "cmd/target.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
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

/* The path of the loader; "" if it has one that cannot be read. False: it has none. */
static bool find_loader(int fd, const Elf64_Ehdr *e, char path[PATH_MAX])
{
    for (int i = 0; i < e->e_phnum; i++) {
        Elf64_Phdr ph;
        if (pread(fd, &ph, sizeof ph, (off_t)(e->e_phoff + (uint64_t)i * sizeof ph)) != sizeof ph)
            break;
        if (ph.p_type != PT_INTERP)
            continue;
        size_t size = ph.p_filesz < PATH_MAX ? ph.p_filesz : 0;
        ssize_t n = pread(fd, path, size, (off_t)ph.p_offset);
        path[n > 0 && (size_t)n == size ? n : 0] = 0;
        return true;
    }
    return false;
}

static bool is_called(const char *loader, const char *what)
{
    const char *slash = strrchr(loader, '/');
    return !strncmp(slash ? slash + 1 : loader, what, strlen(what));
}

/* Bionic's loader or uClibc's would end the program, as it cannot load any library of ours. */
static bool is_of_another_libc(const char *loader)
{
    return is_called(loader, "linker") || is_called(loader, "ld-uClibc");
}

/* The file's bytes at a virtual address, and how many follow; NULL when no segment has it. */
static const char *at_address(const char *map, size_t size, uint64_t address, size_t *left)
{
    const Elf64_Ehdr *e = (const Elf64_Ehdr *)(const void *)map;
    if (e->e_phoff > size || (size - e->e_phoff) / sizeof(Elf64_Phdr) < e->e_phnum)
        return NULL;
    const Elf64_Phdr *ph = (const Elf64_Phdr *)(const void *)(map + e->e_phoff);
    for (int i = 0; i < e->e_phnum; i++, ph++) {
        if (ph->p_type != PT_LOAD || address < ph->p_vaddr || address - ph->p_vaddr >= ph->p_filesz)
            continue;
        uint64_t offset = ph->p_offset + (address - ph->p_vaddr);
        *left = offset < size ? size - offset : 0;
        return offset < size ? map + offset : NULL;
    }
    return NULL;
}

static const Elf64_Dyn *dynamic_section(const char *map, size_t size, size_t *n)
{
    const Elf64_Ehdr *e = (const Elf64_Ehdr *)(const void *)map;
    for (int i = 0; i < e->e_phnum; i++) {
        uint64_t at = e->e_phoff + (uint64_t)i * sizeof(Elf64_Phdr);
        if (at + sizeof(Elf64_Phdr) > size)
            break;
        const Elf64_Phdr *ph = (const Elf64_Phdr *)(const void *)(map + at);
        if (ph->p_type != PT_DYNAMIC || ph->p_offset > size || size - ph->p_offset < ph->p_filesz)
            continue;
        *n = ph->p_filesz / sizeof(Elf64_Dyn);
        return (const Elf64_Dyn *)(const void *)(map + ph->p_offset);
    }
    return NULL;
}

static bool needs_library(const char *map, size_t size, const char *name)
{
    size_t n = 0, left = 0;
    const Elf64_Dyn *dyn = dynamic_section(map, size, &n);
    const char *strings = NULL;
    for (size_t i = 0; dyn && i < n; i++)
        if (dyn[i].d_tag == DT_STRTAB)
            strings = at_address(map, size, dyn[i].d_un.d_ptr, &left);
    for (size_t i = 0; strings && i < n; i++)
        if (dyn[i].d_tag == DT_NEEDED && dyn[i].d_un.d_val < left &&
            !strncmp(strings + dyn[i].d_un.d_val, name, strnlen(name, left - dyn[i].d_un.d_val)))
            return true;
    return false;
}

/* The run-time library of a sanitizer insists on being loaded first, and ends the program when it is not. */
static bool is_sanitized(int fd)
{
    static const char *const runtimes[] = {"libasan.so", "libtsan.so", "libhwasan.so"};
    struct stat st;
    if (fstat(fd, &st) || st.st_size < (off_t)sizeof(Elf64_Ehdr))
        return false;
    char *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        return false;
    bool found = false;
    for (size_t i = 0; i < sizeof runtimes / sizeof runtimes[0]; i++)
        found |= needs_library(map, (size_t)st.st_size, runtimes[i]);
    munmap(map, (size_t)st.st_size);
    return found;
}

static bool gains_nothing(void) { return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1; }

/* Whether the kernel reports file capabilities to the loader. With the effective bit it does even if it grants none. */
static bool has_capabilities(int fd)
{
    struct vfs_cap_data caps = {0};
    char value[sizeof(struct vfs_ns_cap_data)];
    ssize_t n = fgetxattr(fd, "security.capability", value, sizeof value);
    if (!getuid() || n < (ssize_t)(sizeof caps.magic_etc + sizeof caps.data[0]))
        return false;
    memcpy(&caps, value, (size_t)n < sizeof caps ? (size_t)n : sizeof caps);
    return (caps.magic_etc & VFS_CAP_FLAGS_EFFECTIVE) ||
           ((caps.data[0].permitted || caps.data[1].permitted) && !gains_nothing());
}

static bool changes_user(const struct stat *st)
{
    bool other = ((st->st_mode & S_ISUID) && st->st_uid != getuid()) ||
                 ((st->st_mode & S_ISGID) && st->st_gid != getgid());
    return other && !gains_nothing();
}

/* On a file system that is mounted nosuid, neither of these counts. */
static const char *privileges(int fd)
{
    struct stat st;
    struct statvfs fs;
    if (fstat(fd, &st) || (!fstatvfs(fd, &fs) && (fs.f_flag & ST_NOSUID)))
        return NULL;
    if (changes_user(&st))
        return "it is set-user-ID or set-group-ID, the loader ignores LD_PRELOAD";
    if (has_capabilities(fd))
        return "it has file capabilities (getcap shows them), the loader ignores LD_PRELOAD";
    return NULL;
}

/* Why the loader would not load the shim into this executable, or NULL. */
static const char *obstacle(int fd, const Elf64_Ehdr *e, enum libc *libc)
{
    if (e->e_ident[EI_CLASS] != ELFCLASS64)
        return "it is a 32-bit program and thrace is 64-bit";
    if (e->e_machine != OUR_MACHINE)
        return "it is a program for another architecture";
    static char loader[PATH_MAX];
    if (!find_loader(fd, e, loader))
        return "it is statically linked, LD_PRELOAD does not reach it";
    if (is_of_another_libc(loader))
        return "it is built for another C library than glibc and musl, where thrace's cannot be loaded";
    *libc = is_called(loader, "ld-musl") ? LIBC_MUSL : LIBC_GLIBC;
    const char *secure = privileges(fd);
    if (secure)
        return secure;
    if (is_sanitized(fd))
        return "it is built with a sanitizer, whose library must be loaded first";
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
    static char path[PATH_MAX];
    static _Alignas(Elf64_Ehdr) char head[PATH_MAX];
    memset(t, 0, sizeof *t);
    if (!locate(t, command))
        return;
    snprintf(path, sizeof path, "%s", t->path);
    for (int i = 0; i < MAX_INTERPRETERS; i++) {
        int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        ssize_t n = fd < 0 ? -1 : pread(fd, head, sizeof head - 1, 0);
        const char *why = NULL;
        head[n < 0 ? 0 : n] = 0;
        char *next = n > 2 && !memcmp(head, "#!", 2) ? interpreter(head) : NULL;
        if (n >= (ssize_t)sizeof(Elf64_Ehdr) && !memcmp(head, ELFMAG, SELFMAG))
            why = obstacle(fd, (const Elf64_Ehdr *)(void *)head, &t->libc);
        if (fd >= 0)
            close(fd);
        if (why)
            snprintf(t->problem, sizeof t->problem, "%s runs without being recorded: %s", path, why);
        if (!next)
            return;
        memmove(path, next, strlen(next) + 1);
    }
}
