#include "config.h"

#include "lib/symbolize/perfmap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* START SIZE NAME, the numbers in hexadecimal; the name goes on to the end of the line. */
static bool parse_line(char *line, uint64_t *start, uint64_t *end, char **name)
{
    char *p;
    errno = 0;
    *start = strtoull(line, &p, 16);
    if (p == line || *p != ' ')
        return false;
    char *size = p;
    uint64_t len = strtoull(size, &p, 16);
    if (p == size || *p != ' ' || errno)
        return false;
    *end = *start + len;
    *name = p + 1;
    (*name)[strcspn(*name, "\r\n")] = 0;
    return *end > *start && **name;
}

/*
 * Anybody can put a file, or a FIFO, into /tmp under the name that a runtime would use: only the user's, or root's,
 * counts.
 */
static FILE *open_map(const char *path, uid_t user)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return NULL;
    bool ours = !fstat(fd, &st) && S_ISREG(st.st_mode) && (!st.st_uid || st.st_uid == user);
    FILE *f = ours ? fdopen(fd, "r") : NULL;
    if (!f)
        close(fd);
    if (!ours)
        errno = EACCES;
    return f;
}

/* Memory is reused for newer code, so later lines replace earlier ones. */
void perfmap_resolve(const char *path, uid_t user, const uint64_t *pcs, size_t npcs, struct answer *a)
{
    FILE *f = open_map(path, user);
    if (!f) {
        answer_say(a, SYMBOLIZE_NOT_READ,
                   "%s: %s; JIT-compiled code stays nameless (the runtime must write a perf map)", path,
                   strerror(errno));
        return;
    }
    uint32_t *names = calloc(npcs, sizeof *names);
    char line[4096], *name;
    uint64_t start, end;
    while (names && fgets(line, sizeof line, f))
        if (parse_line(line, &start, &end, &name))
            for (size_t pc = answer_first_pc(pcs, npcs, start); pc < npcs && pcs[pc] < end; pc++)
                names[pc] = strings_add(&a->strings, name, strlen(name));
    fclose(f);
    for (size_t pc = 0; names && pc < npcs; pc++)
        if (names[pc])
            answer_add(a, pc, (struct answer_frame){.function = names[pc]});
    a->failed |= !names;
    free(names);
}
