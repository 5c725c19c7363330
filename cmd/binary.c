#include "cmd/binary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/complain.h"
#include "lib/symbolize/go_table.h"
#include "lib/symbolize/image.h"
#include "lib/symbolize/symbolize.h"
#include "parser/reader.h"

struct binary {
    const char *verb, *path;
    struct image image;
    const char *problem;   /* with its tables; a trace that has names does not ask for them */
    struct go_table table; /* data is NULL: there is none, and DWARF is asked */
    struct symbolizer *symbols;
    char why[300];
};

static const char *open_problem(enum image_status status)
{
    switch (status) {
    case IMAGE_UNREADABLE: return strerror(errno);
    case IMAGE_NOT_ELF: return "not a 64-bit ELF file";
    case IMAGE_TOO_LARGE: return "larger than 2 GB";
    case IMAGE_OK:
    case IMAGE_NO_MEMORY: break;
    }
    return "out of memory";
}

/* What keeps its tables from being used, NULL: nothing. */
static const char *table_problem(struct binary *b)
{
    struct section *s = image_section(&b->image, ".gopclntab");
    size_t size = 0;
    const uint8_t *data = image_contents(&b->image, s, &size);
    enum go_table_status status = data ? go_table_open(&b->table, data, size) : GO_TABLE_NONE;
    if (status == GO_TABLE_UNKNOWN)
        return "a program of Go 1.16 or later; traces without names are of Go 1.6 or earlier";
    if (status == GO_TABLE_OK)
        return NULL;
    b->table = (struct go_table){0};
    return image_has_dwarf(&b->image) ? NULL : "has neither a Go symbol table nor DWARF";
}

struct binary *binary_open(const char *verb, const char *path)
{
    struct binary *b = calloc(1, sizeof *b);
    if (!b) {
        complain(verb, "out of memory");
        return NULL;
    }
    b->verb = verb;
    b->path = path;
    enum image_status status = image_open(&b->image, path);
    if (status != IMAGE_OK) {
        complain(verb, "%s: %s", path, open_problem(status));
        binary_free(b);
        return NULL;
    }
    b->problem = table_problem(b);
    return b;
}

void binary_free(struct binary *b)
{
    if (!b)
        return;
    symbolize_free(b->symbols);
    image_close(&b->image);
    free(b);
}

/* Goroutines start with the first instruction of a function: another build of the program has others there. */
static bool starts_fit(struct binary *b, struct v1_trace *t)
{
    size_t starts = 0, fit = 0;
    for (const struct v1_event *ev; (ev = v1_next(t));) {
        struct go_line line;
        if (ev->id != V1_GoCreate)
            continue;
        starts++;
        fit += go_table_find(&b->table, ev->args[1], &line) && line.is_first;
    }
    v1_rewind(t);
    return fit >= starts - fit;
}

static const char *misfit(struct binary *b)
{
    if (b->problem)
        snprintf(b->why, sizeof b->why, "%s: %s", b->path, b->problem);
    else
        snprintf(b->why, sizeof b->why, "its PCs are not those of %s, which is another program or another build of it",
                 b->path);
    return b->why;
}

/* Names that the table has. False: it has none. */
static bool ask_table(struct binary *b, const uint64_t *pcs, size_t n, struct as_v2_name *names)
{
    size_t known = 0;
    for (size_t i = 0; i < n; i++) {
        struct go_line line;
        if (!go_table_find(&b->table, pcs[i] - 1, &line))
            continue;
        names[i] = (struct as_v2_name){line.function, line.file, line.line};
        known++;
    }
    return known > 0;
}

/* The symbolizer has something to say of every PC: the file's own name where it does not know the source. */
static bool ask_dwarf(struct binary *b, const uint64_t *pcs, size_t n, struct as_v2_name *names)
{
    struct symbolize_module module = {.kind = SYMBOLIZE_FILE, .path = b->path};
    size_t known = 0;
    b->symbols = symbolize_new();
    int number = b->symbols ? symbolize_add_module(b->symbols, &module) : -1;
    bool ok = number >= 0;
    for (size_t i = 0; ok && i < n; i++)
        ok = symbolize_add_pc(b->symbols, number, pcs[i]) == (int64_t)i;
    if (!ok || symbolize_run(b->symbols))
        return false;
    for (size_t i = 0; i < n; i++) {
        size_t nframes;
        const struct symbolize_frame *f = symbolize_frames(b->symbols, (int64_t)i, &nframes);
        if (!strcmp(f->file, b->path))
            continue;
        names[i] = (struct as_v2_name){f->function, f->file, f->line};
        known++;
    }
    return known > 0;
}

static const char *look_up(void *arg, struct v1_trace *t, const uint64_t *pcs, size_t n, struct as_v2_name *names)
{
    struct binary *b = arg;
    if (b->problem)
        return misfit(b);
    bool fits = b->table.data ? starts_fit(b, t) && ask_table(b, pcs, n, names) : ask_dwarf(b, pcs, n, names);
    return fits ? NULL : misfit(b);
}

void binary_name_frames(struct binary *b, struct gotrace_reader *r)
{
    if (b) {
        r->name = look_up;
        r->name_arg = b;
    }
}

bool binary_fits(struct binary *b, const char *trace, struct v1_trace *t)
{
    if (!b || t->form.names || (!b->problem && (!b->table.data || starts_fit(b, t))))
        return true;
    complain(b->verb, "%s: %s", trace, misfit(b));
    return false;
}
