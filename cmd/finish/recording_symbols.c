#include "config.h"

#include "cmd/finish/recording_symbols.h"

#include <string.h>

#include "cmd/finish/progress.h"
#include "cmd/finish/recording_locks.h"
#include "cmd/finish/recording_objects.h"
#include "cmd/finish/symbol_cache.h"
#include "lib/clock.h"
#include "lib/symbolize/symbolize.h"

static bool look_up(struct recording *r, struct rec_pc *p)
{
    const struct rec_modules *ms = &r->modules;
    const struct rec_module *m = rec_modules_find(ms, p->pc, p->generation, p->epoch);
    p->module = m ? (int)(m - ms->v) : -1;
    p->hook = recording_hook(r, p->pc);
    p->symbol = symbolize_add_pc(r->symbolizer, m ? ms->mappings[m->mapping].symbol_module : SYMBOLIZE_BY_ADDRESS,
                                 p->pc);
    return p->symbol >= 0;
}

/*
 * No record says where main is, but the program's symbol table may. Without one, the frame is main in the program's
 * file.
 */
static void find_main(struct recording *r)
{
    char path[PROCESS_ROOT_PATH];
    const char *exe = process_root_find(&r->root, r->exe, path);
    uint64_t main_pc = 0;
    for (size_t i = 0; i < r->modules.n && !main_pc; i++) {
        const struct rec_module *m = &r->modules.v[i];
        uint64_t address = strcmp(m->path, r->exe) ? 0 : symbolize_function_address(exe, "main");
        main_pc = address ? m->bias + address + 1 : 0;
    }
    for (size_t i = 0; i < r->nthreads && main_pc; i++) {
        struct rec_thread *t = &r->threads[i];
        if (!t->start_pc)
            t->start_pc = r->stacks.pcs[t->pc].pc = main_pc;
    }
}

static void show_progress(void *arg, size_t done, size_t total) { progress_update(arg, clock_mono_ns(), done, total); }

const char *recording_symbolize(struct recording *r, FILE *terminal)
{
    struct progress progress;
    char cache[4096];
    r->symbolizer = symbolize_new();
    bool ok = r->symbolizer && rec_modules_map(&r->modules, r->symbolizer, &r->root, r->pid);
    find_main(r);
    for (size_t i = 0; i < r->stacks.npcs && ok; i++)
        ok = look_up(r, &r->stacks.pcs[i]);
    ok = ok && recording_ask_objects(r);
    if (ok && symbol_cache_folder(cache, sizeof cache))
        ok = !symbolize_set_cache(r->symbolizer, cache);
    if (ok) {
        progress_start(&progress, terminal, "thrace: looking up symbols", clock_mono_ns());
        symbolize_on_progress(r->symbolizer, show_progress, &progress);
        ok = !symbolize_run(r->symbolizer);
        progress_end(&progress);
    }
    ok = ok && recording_name_objects(r);
    if (ok)
        recording_merge_locks(r);
    return ok ? NULL : "out of memory while looking up symbols";
}
