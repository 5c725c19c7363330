#include "config.h"

#include "lib/symbolize/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".symbols"

enum { MAX_BUILD_ID = 32, MAX_PCS = 1 << 16, MAX_FILES = 256 };
enum { MAX_SIZE = 8 << 20, MAX_TOTAL = 64 << 20 };

/* Then come the files, the PCs and the answer. Only the same version reads it again. */
struct header {
    char magic[32];
    uint64_t checksum; /* of all that follows */
    uint64_t nfiles, npcs, answer_len;
};

static const char magic[32] = "thrace symbols 3 " PACKAGE_VERSION;

static uint64_t hash(uint64_t h, const void *data, size_t len)
{
    const uint8_t *p = data;
    for (size_t i = 0; i < len; i++)
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return h;
}

#define HASH_START UINT64_C(0xcbf29ce484222325)

static bool choose_path(struct cache *c, const struct job *job)
{
    char id[2 * MAX_BUILD_ID + 1] = "";
    if (!job->cache_dir || job->kind != SYMBOLIZE_FILE || !job->build_id_len || job->build_id_len > MAX_BUILD_ID)
        return false;
    for (size_t i = 0; i < job->build_id_len; i++)
        sprintf(id + 2 * i, "%02x", job->build_id[i]);
    uint64_t where = hash(HASH_START, job->path, strlen(job->path) + 1);
    where = hash(where, job->name, strlen(job->name) + 1);
    where = hash(where, job->debug_root, strlen(job->debug_root));
    int n = snprintf(c->path, sizeof c->path, "%s/%s-%016" PRIx64 SUFFIX, job->cache_dir, id, where);
    if (n < 0 || (size_t)n >= sizeof c->path - 16)
        *c->path = 0;
    return *c->path;
}

/* The whole file if it is ours, malloc'ed; else NULL. */
static uint8_t *read_file(const char *path, size_t *len)
{
    struct stat st;
    uint8_t *data = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return NULL;
    if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 077) &&
        st.st_size >= (off_t)sizeof(struct header) && st.st_size <= MAX_SIZE && (data = malloc((size_t)st.st_size)))
        for (*len = 0; *len < (size_t)st.st_size;) {
            ssize_t n = read(fd, data + *len, (size_t)st.st_size - *len);
            if (n <= 0)
                break;
            *len += (size_t)n;
        }
    close(fd);
    return data;
}

static bool unchanged(const struct image_opened *then)
{
    struct image_opened now;
    image_look_at(then->path, &now);
    return !memcmp(&now.state, &then->state, sizeof now.state);
}

/* Every length is checked before it is used, whatever the checksum says. */
static bool parse(struct cache *c, const uint8_t *data, size_t len)
{
    struct header h;
    memcpy(&h, data, sizeof h);
    data += sizeof h;
    len -= sizeof h;
    if (memcmp(h.magic, magic, sizeof magic) || h.checksum != hash(HASH_START, data, len) || h.nfiles > IMAGE_LOG_MAX ||
        h.npcs > MAX_PCS || h.answer_len > len ||
        h.nfiles * sizeof(struct image_opened) + h.npcs * sizeof *c->pcs != len - h.answer_len)
        return false;
    for (size_t i = 0; i < h.nfiles; i++) {
        struct image_opened file;
        memcpy(&file, data + i * sizeof file, sizeof file);
        if (!memchr(file.path, 0, sizeof file.path) || !unchanged(&file))
            return false;
    }
    data += h.nfiles * sizeof(struct image_opened);
    c->pcs = malloc((h.npcs + 1) * sizeof *c->pcs);
    if (!c->pcs)
        return false;
    memcpy(c->pcs, data, h.npcs * sizeof *c->pcs);
    return answer_parse(&c->known, h.npcs, data + h.npcs * sizeof *c->pcs, h.answer_len);
}

static void copy_frames(struct answer *to, size_t to_pc, const struct answer *from, size_t from_pc)
{
    const struct answer_pc *pc = &from->pcs[from_pc];
    for (uint32_t i = 0; i < pc->n; i++) {
        const struct answer_frame *f = &from->frames[pc->first + i];
        const char *function = strings_get(&from->strings, f->function), *file = strings_get(&from->strings, f->file);
        uint32_t function_number = strings_add(&to->strings, function, strlen(function));
        uint32_t file_number = strings_add(&to->strings, file, strlen(file));
        answer_add(to, to_pc, (struct answer_frame){function_number, file_number, f->line});
    }
}

static void copy_message(struct answer *to, const struct answer *from)
{
    if (from->message)
        answer_say(to, from->advice, "%s", strings_get(&from->strings, from->message));
}

bool cache_answer(struct cache *c, const struct job *job, struct answer *out)
{
    size_t len = 0;
    *c = (struct cache){.pcs = NULL};
    if (!choose_path(c, job))
        return false;
    uint8_t *data = read_file(c->path, &len);
    bool good = data && len >= sizeof(struct header) && parse(c, data, len);
    free(data);
    if (!good) {
        answer_free(&c->known);
        return false;
    }
    size_t known = 0, found = 0;
    for (size_t pc = 0; pc < job->npcs && found == pc; pc++) {
        while (known < c->known.npcs && c->pcs[known] < job->pcs[pc])
            known++;
        bool is_object = job->pcs[pc] & OBJECT_BIT;
        if (known < c->known.npcs && c->pcs[known] == job->pcs[pc] && (c->known.pcs[known].n || is_object)) {
            copy_frames(out, pc, &c->known, known);
            found++;
        }
    }
    if (found == job->npcs) {
        copy_message(out, &c->known);
        return !out->failed;
    }
    size_t npcs = out->npcs;
    answer_free(out);
    answer_init(out, npcs);
    return false;
}

/* --- keeping ------------------------------------------------------------------------------------------------------ */

/* The oldest go when there are too many, or when they take too much room. */
static void make_room(const char *dir)
{
    for (int removed = 0; removed < MAX_FILES; removed++) {
        DIR *d = opendir(dir);
        if (!d)
            return;
        char oldest[256] = "";
        struct timespec age = {0};
        uint64_t files = 0, bytes = 0;
        for (const struct dirent *e; (e = readdir(d));) {
            struct stat st;
            size_t len = strlen(e->d_name);
            if (len < sizeof SUFFIX || len >= sizeof oldest || strcmp(e->d_name + len - (sizeof SUFFIX - 1), SUFFIX) ||
                fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW))
                continue;
            files++;
            bytes += (uint64_t)st.st_size;
            if (!*oldest || st.st_mtim.tv_sec < age.tv_sec ||
                (st.st_mtim.tv_sec == age.tv_sec && st.st_mtim.tv_nsec < age.tv_nsec)) {
                memcpy(oldest, e->d_name, len + 1);
                age = st.st_mtim;
            }
        }
        bool full = files >= MAX_FILES || bytes >= MAX_TOTAL;
        if (full && *oldest)
            unlinkat(dirfd(d), oldest, 0);
        closedir(d);
        if (!full)
            return;
    }
}

/* What was known and what is new, by PC. False: out of memory, or too much. */
static bool merge(const struct cache *c, const struct job *job, const struct answer *fresh, uint64_t **pcs,
                  struct answer *all)
{
    size_t nknown = c->known.npcs + job->npcs <= MAX_PCS ? c->known.npcs : 0, n = 0;
    *all = (struct answer){.npcs = 0};
    *pcs = malloc((nknown + job->npcs + 1) * sizeof **pcs);
    if (!*pcs || !answer_init(all, nknown + job->npcs))
        return false;
    for (size_t i = 0, k = 0; i < job->npcs || k < nknown; n++) {
        bool take_fresh = k == nknown || (i < job->npcs && job->pcs[i] <= c->pcs[k]);
        if (take_fresh && k < nknown && job->pcs[i] == c->pcs[k])
            k++;
        (*pcs)[n] = take_fresh ? job->pcs[i] : c->pcs[k];
        copy_frames(all, n, take_fresh ? fresh : &c->known, take_fresh ? i : k);
        i += take_fresh;
        k += !take_fresh;
    }
    all->npcs = n;
    copy_message(all, fresh);
    return !all->failed && !all->strings.failed && n <= MAX_PCS;
}

static bool write_all(int fd, const void *data, size_t len)
{
    return write(fd, data, len) == (ssize_t)len;
}

static bool write_file(int fd, const struct image_log *log, const uint64_t *pcs, const struct answer *all)
{
    struct header h = {.nfiles = log->n, .npcs = all->npcs};
    memcpy(h.magic, magic, sizeof magic);
    if (!write_all(fd, &h, sizeof h) || !write_all(fd, log->v, log->n * sizeof *log->v) ||
        !write_all(fd, pcs, all->npcs * sizeof *pcs))
        return false;
    off_t before = lseek(fd, 0, SEEK_CUR), end;
    if (!answer_write(all, fd) || (end = lseek(fd, 0, SEEK_CUR)) > MAX_SIZE || end < before)
        return false;
    size_t len = (size_t)end - sizeof h;
    uint8_t *written = malloc(len);
    bool good = written && pread(fd, written, len, sizeof h) == (ssize_t)len;
    h.answer_len = (uint64_t)(end - before);
    h.checksum = good ? hash(HASH_START, written, len) : 0;
    free(written);
    return good && pwrite(fd, &h, sizeof h, 0) == (ssize_t)sizeof h;
}

void cache_keep(const struct cache *c, const struct job *job, const struct answer *fresh, const struct image_log *log)
{
    struct answer all;
    uint64_t *pcs = NULL;
    char temp[sizeof c->path + 32];
    if (!*c->path || log->overflow || fresh->failed || job->npcs > MAX_PCS)
        return;
    /* A file that changed while it was read may have been read in two states. */
    for (size_t i = 0; i < log->n; i++)
        if (!unchanged(&log->v[i]))
            return;
    make_room(job->cache_dir);
    snprintf(temp, sizeof temp, "%s.%ld", c->path, (long)getpid());
    int fd = open(temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    bool good = merge(c, job, fresh, &pcs, &all) && write_file(fd, log, pcs, &all);
    if (close(fd) || !good || rename(temp, c->path))
        unlink(temp);
    free(pcs);
    answer_free(&all);
}

void cache_close(struct cache *c)
{
    free(c->pcs);
    answer_free(&c->known);
    *c = (struct cache){.pcs = NULL};
}
