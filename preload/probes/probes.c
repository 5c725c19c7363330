/*
 * The modules of the program are gone through twice: what they have of probes, and then, when something is wanted and
 * the examiner is loaded, a module at a time, what becomes of these.
 */
#include "preload/probes/probes.h"

#include <string.h>
#include <sys/mman.h>

#include "lib/options/probes.h"
#include "preload/annotate/names.h"
#include "preload/moved.h"
#include "preload/probes/examiner.h"
#include "preload/probes/fire.h"
#include "preload/probes/lines.h"
#include "preload/probes/notes.h"
#include "preload/probes/patch.h"
#include "preload/recorder.h"
#include "preload/say.h"

#if defined(__x86_64__)

enum { MODULES_MAX = 128, NOTES_MAX = 4096, ACTS_MAX = 16384 };

struct found {
    struct probe_note note;
    uint32_t act, nacts; /* what is wanted of it */
};

/* For the time of the set-up, in memory that is given back. */
struct setup {
    struct probe_mapping mapping[PROBE_MAPPINGS_MAX];
    struct name *given[PROBE_MAPPINGS_MAX]; /* the names that they have */
    bool used[PROBE_MAPPINGS_MAX];
    unsigned nmappings;
    const char *exe;
    struct module {
        struct dl_phdr_info info;
        const char *path;
        struct notes_file file;
        uint32_t from, to; /* its notes, sorted by pc */
        bool wanted;
    } module[MODULES_MAX];
    unsigned nmodules;
    struct found found[NOTES_MAX];
    unsigned nfound;
    struct site site[NOTES_MAX];
    bool too_many;
};

/* What is done at probes: these last as long as the process. */
static struct probe_act *acts;
static unsigned nacts;

static void *allocate(size_t size)
{
    long p = sys_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return sys_failed(p) ? NULL : (void *)p;
}

/* --- what is wanted ----------------------------------------------------------------------------------------------- */

static void read_mappings(struct setup *s, const char *text)
{
    struct piece rest = piece_of(text);
    while (s->nmappings < PROBE_MAPPINGS_MAX && probe_mapping_take(&rest, &s->mapping[s->nmappings])) {
        struct piece given = s->mapping[s->nmappings].text;
        s->given[s->nmappings++] = given.len ? name_intern(given.text, name_length(given.text, given.len)) : NULL;
    }
}

/* "provider:name" */
static struct name *full_name(const struct probe_note *note)
{
    char text[512];
    size_t n = strnlen(note->provider, 255), m = strnlen(note->name, 255);
    memcpy(text, note->provider, n);
    text[n] = ':';
    memcpy(text + n + 1, note->name, m);
    return name_intern(text, n + 1 + m);
}

static void make_act(struct probe_act *a, const struct probe_mapping *m, struct name *given,
                     const struct probe_note *note)
{
    struct name *provider = name_intern(note->provider, name_length(note->provider, 255));
    *a = (struct probe_act){.action = (uint8_t)m->action, .n = (uint8_t)m->n, .name = given ? given : full_name(note),
                            .all = m->action == PROBE_LOG && !m->n, .provider = provider ? provider->number + 1 : 0};
    for (unsigned i = 0; i < m->n; i++) {
        a->argument[i].number = (uint8_t)(m->argument[i].number - 1);
        a->argument[i].string = m->argument[i].string;
    }
}

static void note_found(const struct probe_note *note, void *arg)
{
    struct setup *s = arg;
    if (s->nfound == NOTES_MAX) {
        s->too_many = true;
        return;
    }
    struct found *f = &s->found[s->nfound++];
    *f = (struct found){*note, nacts, 0};
    for (unsigned i = 0; i < s->nmappings; i++) {
        if (!probe_mapping_matches(&s->mapping[i], note->provider, note->name))
            continue;
        s->used[i] = true;
        s->too_many |= nacts == ACTS_MAX;
        if (nacts == ACTS_MAX)
            continue;
        make_act(&acts[nacts++], &s->mapping[i], s->given[i], note);
        f->nacts++;
        s->module[s->nmodules].wanted = true;
    }
}

static int visit_module(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct setup *s = arg;
    (void)size;
    if (s->nmodules == MODULES_MAX || is_in_library(info->dlpi_phdr))
        return 0;
    struct module *m = &s->module[s->nmodules];
    *m = (struct module){.info = *info, .from = s->nfound};
    /* The program comes first, without a name; the vdso has none, or one that is no path. */
    m->path = *info->dlpi_name ? info->dlpi_name : s->nmodules ? "" : s->exe;
    if (!strchr(m->path, '/') || !notes_open(&m->file, m->path, info))
        return 0;
    notes_visit(&m->file, info, note_found, s);
    m->to = s->nfound;
    if (m->wanted) {
        s->nmodules++;
    } else {
        s->nfound = m->from;
        notes_close(&m->file);
    }
    return 0;
}

/* --- a module ----------------------------------------------------------------------------------------------------- */

static void sort_by_pc(struct found *f, unsigned n)
{
    for (unsigned i = 1; i < n; i++)
        for (unsigned k = i; k && f[k].note.pc < f[k - 1].note.pc; k--) {
            struct found swap = f[k];
            f[k] = f[k - 1];
            f[k - 1] = swap;
        }
}

static void set_up_module(struct setup *s, const struct module *m, const struct examiner *e, struct lines *lines)
{
    struct found *f = &s->found[m->from];
    unsigned n = m->to - m->from, wanted = 0;
    struct patches patches;
    sort_by_pc(f, n);
    for (unsigned i = 0; i < n; i++) {
        s->site[i] = (struct site){.pc = f[i].note.pc, .wanted = f[i].nacts};
        wanted += s->site[i].wanted;
    }
    e->examine(&m->info, s->site, n);
    const char *why = patches_begin(&patches, &m->info, wanted);
    for (unsigned i = 0; i < n; i++) {
        if (!s->site[i].wanted)
            continue;
        const char *refused = why ? why : s->site[i].refused;
        struct patch p = {&m->file, &f[i].note, &s->site[i], &acts[f[i].act], f[i].nacts};
        bool unread = false;
        if (!refused)
            refused = patches_add(&patches, &p, &unread);
        if (refused)
            line_refused(lines, &f[i].note, m->path, &m->info, refused);
        else if (unread)
            line_arguments(lines, &f[i].note);
    }
    if (!why && (why = patches_end(&patches)))
        line_failed(lines, m->path, why);
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

static void report_unused(const struct setup *s)
{
    for (unsigned i = 0; i < s->nmappings; i++)
        if (!s->used[i])
            line_unused(&s->mapping[i]);
}

static void set_up(struct setup *s, bool alone, bool verbose)
{
    struct examiner e;
    struct lines lines = {.verbose = verbose};
    dl_iterate_phdr(visit_module, s);
    if (alone || verbose)
        report_unused(s);
    if (s->too_many)
        say("there are more probes than can be recorded", "");
    if (!s->nmodules)
        return;
    const char *why = patches_obstacle();
    why = why ? why : examiner_load(&e);
    if (why) {
        say("no probe is recorded: ", why);
        return;
    }
    for (unsigned i = 0; i < s->nmodules; i++)
        set_up_module(s, &s->module[i], &e, &lines);
    moved_publish();
    lines_end(&lines);
    examiner_unload(&e);
}

void probes_init(const char *mappings, const char *exe, bool alone, bool verbose)
{
    struct setup *s = mappings ? allocate(sizeof *s) : NULL;
    if (!mappings)
        return;
    acts = s ? allocate(ACTS_MAX * sizeof *acts) : NULL;
    if (!acts) {
        say("no probe is recorded: ", "memory ran out");
        return;
    }
    s->exe = exe;
    read_mappings(s, mappings);
    set_up(s, alone, verbose);
    for (unsigned i = 0; i < s->nmodules; i++)
        notes_close(&s->module[i].file);
    sys_munmap(s, sizeof *s);
}

#else

void probes_init(const char *mappings, const char *exe, bool alone, bool verbose)
{
    if (mappings)
        say("no probe is recorded: ", "that takes a processor of the x86-64 kind");
}

#endif
