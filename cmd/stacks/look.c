#include "config.h"

#include "cmd/stacks/look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/finish/symbol_cache.h"
#include "cmd/stacks/core.h"

/* --- names -------------------------------------------------------------------------------------------------------- */

static bool is_file(const char *path, uint64_t inode)
{
    struct stat st;
    return !stat(path, &st) && st.st_ino == inode;
}

/*
 * Where the file of a module is for us. The kernel tells paths from the process's root or, if that is within ours, from
 * ours; and the program itself may have no path any more.
 */
static void find_file(const struct process *p, const struct module *m, char *path, size_t size)
{
    static const char gone[] = " (deleted)";
    size_t len = strlen(m->path), end = strlen(gone);
    if (!p->core && len > end && !strcmp(m->path + len - end, gone)) {
        snprintf(path, size, "/proc/%ld/exe", (long)p->pid);
        if (is_file(path, m->inode))
            return;
    }
    snprintf(path, size, "%s%s", p->root, m->path);
    if (*p->root && !is_file(path, m->inode) && (is_file(m->path, m->inode) || access(path, F_OK)))
        snprintf(path, size, "%s", m->path);
}

/* The kernel's code is in no file. False: memory is short. */
static bool copy_vdso(struct look *l, const struct module *m, struct symbolize_module *to)
{
    size_t size = (size_t)(m->end - m->start);
    l->vdso = malloc(size);
    if (!l->vdso)
        return false;
    to->kind = SYMBOLIZE_IMAGE;
    to->image = l->vdso;
    to->image_len = l->process.read(&l->process, m->start, l->vdso, size);
    return true;
}

static bool add_module(struct look *l, struct module *m)
{
    char path[PATH_MAX + 64];
    const struct symbolize_range range = {m->start, m->end, 0};
    struct symbolize_module module = {.kind = SYMBOLIZE_FILE,
                                      .path = path,
                                      .build_id = m->build_id,
                                      .build_id_len = m->build_id_len,
                                      .bias = m->bias,
                                      .ranges = &range,
                                      .nranges = 1};
    find_file(&l->process, m, path, sizeof path);
    if (*l->process.root)
        module.name = m->path;
    if (!strcmp(m->path, "[vdso]")) {
        module.path = m->path;
        if (!copy_vdso(l, m, &module))
            return false;
    }
    m->symbols = symbolize_add_module(l->symbolizer, &module);
    if (m->symbols >= 0 && !strcmp(l->process.exe, m->path))
        l->program = m->symbols;
    return m->symbols >= 0;
}

static bool ask_names(struct look *l)
{
    char cache[PATH_MAX];
    const struct process *p = &l->process;
    bool ok = p->core || symbolize_add_perf_map(l->symbolizer, p->root, (unsigned)p->own_pid, p->uid);
    for (size_t i = 0; i < l->modules.list.n && ok; i++)
        ok = add_module(l, &l->modules.list.v[i]);
    for (size_t i = 0; i < l->threads.list.n && ok; i++) {
        struct thread *t = &l->threads.list.v[i];
        for (int k = 0; k < t->npcs && ok; k++) {
            t->symbols[k] = symbolize_add_pc(l->symbolizer, SYMBOLIZE_BY_ADDRESS, t->pcs[k]);
            ok = t->symbols[k] >= 0;
        }
        ok = ok && wait_ask(&l->waits[i], &l->process, &l->modules, t, l->symbolizer);
    }
    if (ok && symbol_cache_folder(cache, sizeof cache))
        ok = !symbolize_set_cache(l->symbolizer, cache);
    return ok && !symbolize_run(l->symbolizer);
}

/* --- the look ----------------------------------------------------------------------------------------------------- */

/* At the process that was opened, if nothing was wrong with it. */
static const char *look_at_opened(struct look *l, enum stops stops, const char *wrong)
{
    l->program = -1;
    if (!wrong)
        wrong = modules_open(&l->modules, &l->process);
    if (!wrong && !l->modules.list.n)
        wrong = "there is no code in it that this command knows: it may be a program of 32 bits";
    if (!wrong)
        wrong = threads_look(&l->threads, &l->process, &l->modules, stops);
    if (wrong)
        return wrong;
    size_t n = l->threads.list.n;
    l->symbolizer = symbolize_new();
    l->waits = calloc(n + 1, sizeof *l->waits);
    l->next = calloc(n + 1, sizeof *l->next);
    l->in_circle = calloc(n + 1, sizeof *l->in_circle);
    if (!l->symbolizer || !l->waits || !l->next || !l->in_circle || !ask_names(l))
        return no_memory;
    for (size_t i = 0; i < n; i++)
        wait_tell(&l->waits[i], &l->process, &l->modules, &l->threads, &l->threads.list.v[i], l->symbolizer);
    return deadlocks_find(&l->process, &l->threads, l->waits, l->next, l->in_circle) ? NULL : no_memory;
}

const char *look_at(struct look *l, pid_t pid, enum stops stops)
{
    memset(l, 0, sizeof *l);
    return look_at_opened(l, stops, process_open(&l->process, pid));
}

const char *look_at_core(struct look *l, const char *path)
{
    memset(l, 0, sizeof *l);
    return look_at_opened(l, STOP_NONE, core_open(&l->process, path));
}

void look_free(struct look *l)
{
    symbolize_free(l->symbolizer);
    threads_free(&l->threads);
    modules_close(&l->modules);
    process_close(&l->process);
    core_close(l->process.core);
    free(l->vdso);
    free(l->waits);
    free(l->next);
    free(l->in_circle);
}
