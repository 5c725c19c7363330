#include "config.h"

#include "cmd/top/find_spool.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char is_not_recorded[] = "it is not recorded now: thrace record starts it so, and thrace start a recording of a"
                               " program that was started with --control";

static bool is_of(int fd, pid_t pid, const struct process_stat *s)
{
    static struct spool_header h;
    return pread(fd, &h, sizeof h, 0) == sizeof h && !memcmp(h.magic, SPOOL_MAGIC, sizeof h.magic) &&
           h.pid == (s->innermost ? s->innermost : (uint32_t)pid) && h.pid_start == s->start &&
           h.state == SPOOL_RECORDING;
}

const char *find_spool_at(struct spool_claim *claim, const char *path, pid_t pid, const struct process_stat *s)
{
    const char *wrong = spool_claim_open(claim, path, true);
    if (!wrong && is_of(claim->fd, pid, s))
        return NULL;
    spool_claim_end(claim, path, false);
    return wrong ? wrong : "";
}

/* At that path, or where the process has another root, at that path there. */
static const char *try_path(struct spool_claim *claim, char there[FOUND_SPOOL_SIZE], const char *path, pid_t pid,
                            const struct process_stat *s)
{
    const char *refused = NULL;
    char folder[PROCESS_FOLDER];
    process_folder(folder, pid);
    for (int i = 0; i < 2; i++) {
        snprintf(there, FOUND_SPOOL_SIZE, "%s%s%s", i ? folder : "", i ? "/root" : "", path);
        const char *wrong = find_spool_at(claim, there, pid, s);
        if (!wrong)
            return NULL;
        if (*wrong && !claim->gone)
            refused = wrong;
    }
    return refused ? refused : "";
}

const char *find_spool(struct spool_claim *claim, char found[FOUND_SPOOL_SIZE], pid_t pid,
                       const struct process_stat *s)
{
    static const char suffix[] = ".spool";
    char folder[PROCESS_FOLDER], maps[64], *line = NULL, before[FOUND_SPOOL_SIZE] = "";
    size_t size = 0;
    const char *wrong = "";
    process_folder(folder, pid);
    snprintf(maps, sizeof maps, "%s/maps", folder);
    FILE *f = fopen(maps, "re");
    if (!f)
        return errno != EACCES ? strerror(errno)
               : geteuid()     ? "it belongs to another user: be that user, or root"
                               : "the kernel does not let us look into it";
    while (getline(&line, &size, f) > 0) {
        char *path = strchr(line, '/');
        if (!path)
            continue;
        path[strcspn(path, "\n")] = 0;
        size_t n = strlen(path);
        if (n < sizeof suffix || n >= PATH_MAX || strcmp(path + n - (sizeof suffix - 1), suffix) != 0 ||
            !strcmp(path, before))
            continue;
        snprintf(before, sizeof before, "%s", path);
        const char *why = try_path(claim, found, path, pid, s);
        if (!why) {
            wrong = NULL;
            break;
        }
        wrong = *why ? why : wrong;
    }
    free(line);
    fclose(f);
    return wrong && !*wrong ? is_not_recorded : wrong;
}
