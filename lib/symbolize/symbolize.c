#include "config.h"

#include "lib/symbolize/symbolize.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/symbolize/array.h"
#include "lib/symbolize/debugfile.h"
#include "lib/symbolize/pool.h"

/* A file with at least this many PCs for each CPU is given to several workers. */
enum { WORTH_SHARING = 2000, NO_FILE = -1 };

/* Modules that are the same file, mapped several times, are resolved together. */
struct file {
    struct symbolize_module is; /* path, name, build_id and image only; owned */
    int first_module;
    size_t npcs;
    bool said;
};

struct module {
    int file;
    uint64_t bias;
    struct symbolize_range *ranges;
    size_t nranges;
};

struct pc {
    uint64_t addr; /* to look up, in the file, or absolute without a file */
    int file;
    bool object; /* or a local */
    uint32_t task, index; /* where the answer is */
};

struct symbolizer {
    struct file *files;
    size_t nfiles, files_cap;
    struct module *modules;
    size_t nmodules, modules_cap;
    struct pc *pcs;
    size_t npcs, pcs_cap;
    struct task *tasks;
    struct symbolize_frame **frames; /* by task */
    size_t ntasks;
    uint64_t *addrs; /* sorted, what the jobs point into */
    struct symbolize_message *messages;
    size_t nmessages;
    char *debug_root, *cache_dir;
    void (*report)(void *arg, size_t done, size_t total);
    void *report_arg;
    size_t ndone, ntotal;
};

static void free_copies(struct symbolize_module *m)
{
    free((void *)m->path);
    free((void *)m->name);
    free((void *)m->build_id);
    free((void *)m->image);
}

struct symbolizer *symbolize_new(void) { return calloc(1, sizeof(struct symbolizer)); }

void symbolize_free(struct symbolizer *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->nfiles; i++)
        free_copies(&s->files[i].is);
    for (size_t i = 0; i < s->nmodules; i++)
        free(s->modules[i].ranges);
    for (size_t i = 0; i < s->ntasks; i++) {
        answer_free(&s->tasks[i].answer);
        if (s->frames)
            free(s->frames[i]);
    }
    free(s->files);
    free(s->modules);
    free(s->pcs);
    free(s->tasks);
    free(s->frames);
    free(s->addrs);
    free(s->messages);
    free(s->debug_root);
    free(s->cache_dir);
    free(s);
}

/* malloc'ed even when there is nothing to copy, so that NULL means out of memory. */
static void *copy(const void *p, size_t len)
{
    void *to = malloc(len ? len : 1);
    if (to && len)
        memcpy(to, p, len);
    return to;
}

static bool same_file(const struct symbolize_module *a, const struct symbolize_module *b)
{
    return a->kind == b->kind && !strcmp(a->path, b->path) && a->build_id_len == b->build_id_len &&
           (!a->build_id_len || !memcmp(a->build_id, b->build_id, a->build_id_len)) && a->image_len == b->image_len &&
           (!a->image_len || !memcmp(a->image, b->image, a->image_len));
}

static int find_file(struct symbolizer *s, const struct symbolize_module *m)
{
    for (size_t i = s->nfiles; i-- > 0;)
        if (same_file(&s->files[i].is, m))
            return (int)i;
    if (!array_room(&s->files, s->nfiles, &s->files_cap, sizeof *s->files))
        return NO_FILE;
    struct file f = {.first_module = (int)s->nmodules};
    f.is = (struct symbolize_module){.kind = m->kind, .build_id_len = m->build_id_len, .image_len = m->image_len,
                                     .user = m->user};
    f.is.path = copy(m->path, strlen(m->path) + 1);
    f.is.name = copy(m->name, strlen(m->name) + 1);
    f.is.build_id = copy(m->build_id, m->build_id_len);
    f.is.image = copy(m->image, m->image_len);
    if (!f.is.path || !f.is.name || !f.is.build_id || !f.is.image) {
        free_copies(&f.is);
        return NO_FILE;
    }
    s->files[s->nfiles] = f;
    return (int)s->nfiles++;
}

int symbolize_add_module(struct symbolizer *s, const struct symbolize_module *given)
{
    struct symbolize_module m = *given;
    if (!m.path)
        m.path = "";
    if (!m.name)
        m.name = m.path;
    if (!array_room(&s->modules, s->nmodules, &s->modules_cap, sizeof *s->modules))
        return -1;
    struct module added = {.file = find_file(s, &m), .bias = m.bias, .nranges = m.nranges};
    if (added.file == NO_FILE)
        return -1;
    added.ranges = copy(m.ranges, m.nranges * sizeof *m.ranges);
    if (!added.ranges)
        return -1;
    s->modules[s->nmodules] = added;
    return (int)s->nmodules++;
}

bool symbolize_add_perf_map(struct symbolizer *s, const char *root, unsigned pid, uid_t user)
{
    const struct symbolize_range everywhere = {1, UINT64_MAX, 0};
    char path[96];
    struct stat st;
    snprintf(path, sizeof path, "%s/tmp/perf-%u.map", root, pid);
    if (lstat(path, &st) || !S_ISREG(st.st_mode) || st.st_uid != user || access(path, R_OK))
        return true;
    return symbolize_add_module(s, &(struct symbolize_module){.kind = SYMBOLIZE_PERF_MAP,
                                                                .path = path,
                                                                .user = user,
                                                                .ranges = &everywhere,
                                                                .nranges = 1}) >= 0;
}

static const struct module *module_at(const struct symbolizer *s, uint64_t addr)
{
    for (size_t i = s->nmodules; i-- > 0;)
        for (size_t j = 0; j < s->modules[i].nranges; j++)
            if (addr >= s->modules[i].ranges[j].start && addr < s->modules[i].ranges[j].end)
                return &s->modules[i];
    return NULL;
}

static const struct module *module_of(const struct symbolizer *s, int number, uint64_t addr)
{
    if (number >= 0 && (size_t)number < s->nmodules)
        return &s->modules[number];
    return number == SYMBOLIZE_BY_ADDRESS ? module_at(s, addr) : NULL;
}

static int64_t add(struct symbolizer *s, struct pc added)
{
    if (s->npcs == UINT32_MAX || !array_room(&s->pcs, s->npcs, &s->pcs_cap, sizeof *s->pcs))
        return -1;
    s->pcs[s->npcs] = added;
    return (int64_t)s->npcs++;
}

static int64_t add_address(struct symbolizer *s, const struct module *m, uint64_t addr, bool object)
{
    uint64_t in_file = m ? addr - m->bias : 0;
    if (!m || in_file & (OBJECT_BIT | LOCAL_BIT))
        return add(s, (struct pc){.addr = addr, .file = NO_FILE, .object = object});
    return add(s, (struct pc){.addr = in_file | (object ? OBJECT_BIT : 0), .file = m->file, .object = object});
}

int64_t symbolize_add_pc(struct symbolizer *s, int module, uint64_t pc)
{
    return add_address(s, module_of(s, module, pc - 1), pc - 1, false);
}

int64_t symbolize_add_object(struct symbolizer *s, int module, uint64_t address)
{
    return add_address(s, module_of(s, module, address), address, true);
}

int64_t symbolize_add_local(struct symbolizer *s, int module, uint64_t pc, enum symbolize_from from, uint64_t distance)
{
    const struct module *m = module_of(s, module, pc - 1);
    uint64_t code = m ? pc - 1 - m->bias : 0;
    uint64_t key = LOCAL_BIT | code << LOCAL_SHIFT | distance / LOCAL_UNIT;
    if (!m || code >= LOCAL_FROM_SP >> LOCAL_SHIFT || distance % LOCAL_UNIT ||
        distance / LOCAL_UNIT >= UINT64_C(1) << LOCAL_SHIFT)
        return INT64_MAX;
    return add(s, (struct pc){from == SYMBOLIZE_ABOVE_SP ? key | LOCAL_FROM_SP : key, .file = m->file, .object = true});
}

void symbolize_on_progress(struct symbolizer *s, void (*report)(void *arg, size_t done, size_t total), void *arg)
{
    s->report = report;
    s->report_arg = arg;
}

static int set_string(char **to, const char *value)
{
    char *copied = strdup(value);
    if (!copied)
        return -1;
    free(*to);
    *to = copied;
    return 0;
}

int symbolize_set_debug_root(struct symbolizer *s, const char *dir) { return set_string(&s->debug_root, dir); }
int symbolize_set_cache(struct symbolizer *s, const char *dir) { return set_string(&s->cache_dir, dir); }

static int by_file_and_addr(const void *a, const void *b)
{
    const struct pc *x = *(struct pc *const *)a, *y = *(struct pc *const *)b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Puts the distinct addresses of each file side by side, and leaves in every PC the index of its own. */
static bool sort_pcs(struct symbolizer *s)
{
    struct pc **order = malloc((s->npcs + 1) * sizeof *order);
    s->addrs = malloc((s->npcs + 1) * sizeof *s->addrs);
    if (!order || !s->addrs) {
        free(order);
        return false;
    }
    for (size_t i = 0; i < s->npcs; i++)
        order[i] = &s->pcs[i];
    qsort(order, s->npcs, sizeof *order, by_file_and_addr);
    const struct pc *last = NULL;
    for (size_t i = 0; i < s->npcs; last = order[i++]) {
        struct pc *pc = order[i];
        if (!last || last->file != pc->file || last->addr != pc->addr) {
            s->addrs[s->ntotal++] = pc->addr;
            if (pc->file != NO_FILE)
                s->files[pc->file].npcs++;
        }
        pc->index = (uint32_t)(s->ntotal - 1);
    }
    free(order);
    return true;
}

static size_t shares(const struct file *f)
{
    size_t n = f->npcs / WORTH_SHARING, cpus = pool_size();
    return !f->npcs ? 0 : n < 1 ? 1 : n < cpus ? n : cpus;
}

/* The PCs that belong to no module come first in the order, as a task that needs no worker. */
static bool make_tasks(struct symbolizer *s, size_t *nunknown)
{
    size_t n = 1, known = 0;
    for (size_t i = 0; i < s->nfiles; i++) {
        n += shares(&s->files[i]);
        known += s->files[i].npcs;
    }
    *nunknown = s->ntotal - known;
    s->tasks = calloc(n, sizeof *s->tasks);
    s->frames = calloc(n, sizeof *s->frames);
    if (!s->tasks || !s->frames)
        return false;
    s->ntasks = n;
    s->tasks[0].job = (struct job){.path = JOB_UNKNOWN, .name = JOB_UNKNOWN, .pcs = s->addrs, .npcs = *nunknown};
    size_t task = 1, at = *nunknown;
    for (size_t i = 0; i < s->nfiles; i++) {
        const struct file *f = &s->files[i];
        size_t parts = shares(f);
        for (size_t part = 0; part < parts; part++) {
            size_t first = f->npcs * part / parts, end = f->npcs * (part + 1) / parts;
            s->tasks[task++].job = (struct job){
                .kind = f->is.kind, .path = f->is.path, .name = f->is.name, .build_id = f->is.build_id,
                .build_id_len = f->is.build_id_len, .image = f->is.image, .image_len = f->is.image_len,
                .user = f->is.user, .pcs = s->addrs + at + first, .npcs = end - first, .cache_dir = s->cache_dir,
                .debug_root = s->debug_root ? s->debug_root : DEBUGFILE_ROOT};
        }
        at += f->npcs;
    }
    return true;
}

static void place_pcs(struct symbolizer *s)
{
    for (size_t i = 0; i < s->npcs; i++) {
        size_t a = 0, b = s->ntasks;
        const uint64_t *at = s->addrs + s->pcs[i].index;
        while (b - a > 1) {
            size_t m = a + (b - a) / 2;
            if (s->tasks[m].job.pcs <= at)
                a = m;
            else
                b = m;
        }
        s->pcs[i].task = (uint32_t)a;
        s->pcs[i].index = (uint32_t)(at - s->tasks[a].job.pcs);
    }
}

static void task_done(void *arg, const struct task *task)
{
    struct symbolizer *s = arg;
    s->ndone += task ? task->job.npcs : 0;
    if (s->report)
        s->report(s->report_arg, s->ndone, s->ntotal);
}

static bool collect(struct symbolizer *s)
{
    s->messages = calloc(s->nfiles + 1, sizeof *s->messages);
    if (!s->messages)
        return false;
    for (size_t i = 0; i < s->ntasks; i++) {
        const struct answer *a = &s->tasks[i].answer;
        if (a->failed || a->strings.failed || !a->pcs)
            return false;
        struct symbolize_frame *frames = s->frames[i] = malloc((a->nframes + 1) * sizeof *frames);
        if (!frames)
            return false;
        for (size_t j = 0; j < a->nframes; j++)
            frames[j] = (struct symbolize_frame){strings_get(&a->strings, a->frames[j].function),
                                                 strings_get(&a->strings, a->frames[j].file), a->frames[j].line};
    }
    return true;
}

static void collect_messages(struct symbolizer *s)
{
    for (size_t i = 1; i < s->ntasks; i++) {
        const struct task *task = &s->tasks[i];
        for (size_t j = 0; j < s->nfiles; j++) {
            struct file *f = &s->files[j];
            if (task->job.path != f->is.path || f->said || !task->answer.message)
                continue;
            f->said = true;
            s->messages[s->nmessages++] = (struct symbolize_message){
                task->answer.advice, f->first_module, strings_get(&task->answer.strings, task->answer.message)};
        }
    }
}

int symbolize_run(struct symbolizer *s)
{
    size_t nunknown;
    if (s->tasks || !sort_pcs(s) || !make_tasks(s, &nunknown))
        return -1;
    place_pcs(s);
    if (answer_init(&s->tasks[0].answer, nunknown))
        job_fill_unknown(&s->tasks[0].job, &s->tasks[0].answer);
    task_done(s, &s->tasks[0]);
    pool_run(s->tasks + 1, s->ntasks - 1, task_done, s);
    if (!collect(s))
        return -1;
    collect_messages(s);
    return 0;
}

const struct symbolize_frame *symbolize_frames(const struct symbolizer *s, int64_t pc, size_t *n)
{
    static const struct symbolize_frame none = {JOB_UNKNOWN, JOB_UNKNOWN, 1};
    *n = pc != INT64_MAX;
    if (pc < 0 || (uint64_t)pc >= s->npcs || !s->messages)
        return &none;
    const struct pc *p = &s->pcs[pc];
    const struct answer_pc *at = &s->tasks[p->task].answer.pcs[p->index];
    if (p->object && (!at->n || p->file == NO_FILE)) {
        *n = 0;
        return &none;
    }
    if (!at->n)
        return &none;
    *n = at->n;
    return s->frames[p->task] + at->first;
}

const struct symbolize_message *symbolize_message(const struct symbolizer *s, size_t i)
{
    return i < s->nmessages ? &s->messages[i] : NULL;
}
