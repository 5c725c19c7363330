#include "config.h"

#include "lib/symbolize/job.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/symbolize/debug.h"
#include "lib/symbolize/debugfile.h"
#include "lib/symbolize/demangle.h"
#include "lib/symbolize/objects.h"
#include "lib/symbolize/perfmap.h"
#include "lib/symbolize/symtab.h"
#include "lib/symbolize/unpack.h"

enum { MAX_NAME = 4096, MAX_MINI_DEBUG = 256 << 20 };

/* One file's sources of names, in the order in which they are asked. */
struct sources {
    const struct job *job;
    struct answer *answer;
    struct image image;    /* the module itself */
    struct debugfile debug; /* its separate debug file; the image is empty if there is none */
    struct debugfile alt;
    struct image mini; /* .gnu_debugdata, with mini_bytes behind it */
    uint8_t *mini_bytes;
    struct symtab symbols, stubs, variables;
    struct objects objects;
};

size_t job_first_local(const struct job *job) { return answer_first_pc(job->pcs, job->npcs, LOCAL_BIT); }
size_t job_first_object(const struct job *job) { return answer_first_pc(job->pcs, job->npcs, OBJECT_BIT); }

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static uint32_t offset_name(const struct job *job, struct answer *a, size_t pc)
{
    char name[MAX_NAME];
    const char *module = *job->name ? base_name(job->name) : "[unnamed]";
    int n = snprintf(name, sizeof name, "%s+0x%" PRIx64, module, job->pcs[pc]);
    return strings_add(&a->strings, name, n < 0 ? 0 : (size_t)n);
}

/* An address that is in no file at all. */
static uint32_t unknown_name(const struct job *job, struct answer *a, size_t pc)
{
    char name[64];
    int n = snprintf(name, sizeof name, JOB_UNKNOWN " 0x%" PRIx64, job->pcs[pc]);
    return strings_add(&a->strings, name, (size_t)n);
}

static uint32_t symbol_name(const struct sources *s, uint64_t addr)
{
    if (!s)
        return 0;
    struct strings *strings = &s->answer->strings;
    const struct symbol *stub = symtab_find(&s->stubs, addr);
    const struct symbol *symbol = stub ? stub : symtab_find(&s->symbols, addr);
    if (!symbol)
        return 0;
    uint32_t number = demangle(strings, symbol->name, symbol->name_len);
    if (!stub)
        return number;
    char name[MAX_NAME];
    int n = snprintf(name, sizeof name, "%.*s@plt", MAX_NAME - 8, strings_get(strings, number));
    return strings_add(strings, name, (size_t)n);
}

/* Closes the gaps: a frame for every PC, not for objects and locals, and in every frame a function, a file and a line. */
static void fill(const struct sources *s, const struct job *job, struct answer *a)
{
    const char *name = *job->name ? job->name : "[unnamed]";
    uint32_t file = strings_add(&a->strings, name, strlen(name));
    size_t first_local = job_first_local(job);
    for (size_t pc = 0; pc < job->npcs && !a->failed; pc++) {
        if (!a->pcs[pc].n && pc >= first_local)
            continue;
        if (!a->pcs[pc].n)
            answer_add(a, pc, (struct answer_frame){0});
        struct answer_frame *frames = a->frames + a->pcs[pc].first;
        for (size_t i = a->pcs[pc].n; i-- > 0 && !a->failed;) {
            struct answer_frame *f = &frames[i];
            if (!f->function)
                f->function = symbol_name(s, job->pcs[pc]);
            if (!f->function)
                f->function = offset_name(job, a, pc);
            if (!f->file) {
                f->file = file;
                f->line = 0;
            }
            if (!f->line)
                f->line = 1;
        }
    }
}

void job_fill_offsets(const struct job *job, struct answer *a) { fill(NULL, job, a); }

void job_fill_unknown(const struct job *job, struct answer *a)
{
    uint32_t file = strings_add(&a->strings, JOB_UNKNOWN, strlen(JOB_UNKNOWN));
    for (size_t pc = 0; pc < job->npcs && !a->failed; pc++)
        if (!a->pcs[pc].n)
            answer_add(a, pc, (struct answer_frame){unknown_name(job, a, pc), file, 1});
}

static bool open_module(struct sources *s)
{
    const struct job *job = s->job;
    enum image_status status = job->kind == SYMBOLIZE_IMAGE ? image_parse(&s->image, job->image, job->image_len)
                                                            : image_open(&s->image, job->path);
    switch (status) {
    case IMAGE_OK:
        break;
    case IMAGE_UNREADABLE:
        answer_say(s->answer, SYMBOLIZE_NOT_READ, "%s: %s; its functions stay nameless", job->name, strerror(errno));
        return false;
    case IMAGE_NOT_ELF:
        answer_say(s->answer, SYMBOLIZE_NOT_READ, "%s: not a 64-bit ELF file; its functions stay nameless", job->name);
        return false;
    case IMAGE_TOO_LARGE:
        answer_say(s->answer, SYMBOLIZE_NOT_READ, "%s: larger than 2 GB; its functions stay nameless", job->name);
        return false;
    case IMAGE_NO_MEMORY:
        s->answer->failed = true;
        return false;
    }
    if (job->build_id_len && !image_has_build_id(&s->image, job->build_id, job->build_id_len)) {
        answer_say(s->answer, SYMBOLIZE_CHANGED,
                   "%s: changed since it was recorded (its build-id is another one); its functions stay nameless",
                   job->name);
        return false;
    }
    return true;
}

static void open_mini_debug(struct sources *s)
{
    struct section *section = image_section(&s->image, ".gnu_debugdata");
    size_t len;
    if (!section || !section->data)
        return;
    s->mini_bytes = unpack_xz(section->data, section->len, MAX_MINI_DEBUG, &len);
    if (!s->mini_bytes || image_parse(&s->mini, s->mini_bytes, len) != IMAGE_OK)
        return;
    symtab_add_image(&s->symbols, &s->mini);
    if (s->variables.of_objects)
        symtab_add_image(&s->variables, &s->mini);
}

static void read_symbols(struct sources *s)
{
    s->variables.of_objects = job_first_object(s->job) < s->job->npcs;
    symtab_add_image(&s->symbols, &s->image);
    if (s->debug.image.bytes)
        symtab_add_image(&s->symbols, &s->debug.image);
    if (s->variables.of_objects) {
        symtab_add_image(&s->variables, &s->image);
        symtab_add_image(&s->variables, &s->debug.image);
    }
    open_mini_debug(s);
    symtab_seal(&s->symbols);
    plt_add_image(&s->stubs, &s->image);
    symtab_seal(&s->stubs);
    symtab_seal(&s->variables);
}

static void say_no_debug_info(const struct sources *s)
{
    char id[2 * 32 + 1] = "none";
    for (size_t i = 0; i < s->image.build_id_len && i < 32; i++)
        sprintf(id + 2 * i, "%02x", s->image.build_id[i]);
    if (s->debug.refused == IMAGE_TOO_LARGE)
        answer_say(s->answer, SYMBOLIZE_BAD_DEBUG_INFO,
                   "%s: its debug file is larger than 2 GB and is not read; no lines", s->job->name);
    else
        answer_say(s->answer, SYMBOLIZE_NO_DEBUG_INFO,
                   "%s: no debug info, so no lines and no inlined functions; compile it with -g, or install its "
                   "-dbgsym or -dbg package (build-id %s)",
                   s->job->name, id);
}

static void read_dwarf(struct sources *s)
{
    const struct job *job = s->job;
    const char *shown = job->name;
    struct debug_files files = {.main = &s->image, .path = job->path, .module = job->path};
    if (!image_has_dwarf(&s->image)) {
        if (!s->debug.image.bytes || !image_has_dwarf(&s->debug.image)) {
            if (job->kind == SYMBOLIZE_FILE)
                say_no_debug_info(s);
            return;
        }
        files = (struct debug_files){.main = &s->debug.image, .path = s->debug.path, .module = job->path};
        shown = s->debug.path;
    }
    if (job->without_dwarf) {
        answer_say(s->answer, SYMBOLIZE_BAD_DEBUG_INFO, "%s: its debug info is corrupt; no lines", shown);
        return;
    }
    if (debugfile_wants_alt(files.main)) {
        if (debugfile_find_alt(&s->alt, files.main, files.path, job->debug_root))
            files.alt = &s->alt.image;
        else
            answer_say(s->answer, SYMBOLIZE_BAD_DEBUG_INFO,
                       "%s: a part of its debug info is in a dwz file that is not installed; names may be missing",
                       shown);
    }
    if (job->before_dwarf)
        job->before_dwarf(files.main->len + (files.alt ? files.alt->len : 0));
    switch (debug_resolve(&files, &s->symbols, job->pcs, job_first_object(job), &s->objects, s->answer)) {
    case DEBUG_OK:
        break;
    case DEBUG_CORRUPT:
        answer_say(s->answer, SYMBOLIZE_BAD_DEBUG_INFO, "%s: its debug info is corrupt in parts; lines may be missing",
                   shown);
        break;
    case DEBUG_NO_SPLIT:
        answer_say(s->answer, SYMBOLIZE_NO_DEBUG_INFO,
                   "%s: a .dwo file of its split debug info is not where it was built; inlined functions are missing",
                   shown);
        break;
    }
}

static void resolve_elf(const struct job *job, struct answer *a)
{
    struct sources s = {.job = job, .answer = a};
    if (!open_module(&s)) {
        fill(NULL, job, a);
        image_close(&s.image);
        return;
    }
    if (!image_has_dwarf(&s.image) && job->kind == SYMBOLIZE_FILE)
        debugfile_find(&s.debug, &s.image, job->path, job->debug_root);
    read_symbols(&s);
    objects_open(&s.objects, job->pcs, job_first_object(job), job->npcs, &s.image, &s.variables);
    read_dwarf(&s);
    objects_name_by_symbols(&s.objects, a);
    fill(&s, job, a);
    a->failed |= s.symbols.failed || s.stubs.failed || s.variables.failed || s.objects.failed;
    objects_close(&s.objects);
    symtab_free(&s.symbols);
    symtab_free(&s.stubs);
    symtab_free(&s.variables);
    image_close(&s.mini);
    free(s.mini_bytes);
    image_close(&s.alt.image);
    image_close(&s.debug.image);
    image_close(&s.image);
}

void job_resolve(const struct job *job, struct answer *a)
{
    if (job->kind == SYMBOLIZE_PERF_MAP) {
        struct job code = *job;
        code.npcs = job_first_local(job);
        perfmap_resolve(code.path, code.user, code.pcs, code.npcs, a);
        job_fill_unknown(&code, a);
        fill(NULL, &code, a);
    } else {
        resolve_elf(job, a);
    }
}
