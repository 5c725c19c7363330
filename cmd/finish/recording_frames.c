#include "config.h"

#include "cmd/finish/recording_frames.h"

#include <stdio.h>
#include <string.h>

#include "lib/meta.h"
#include "lib/sched.h"
#include "lib/symbolize/symbolize.h"
#include "lib/wire/events.h"
#include "parser/analyze/place.h"

/*
 * A reader keeps one frame per PC. So inlined functions get PCs of their own, above every address that a program can
 * have. So do libraries in the place of others that are gone, and a thread's start, whose function may get the thread's
 * name.
 */
static uint64_t inlined_pc(const struct recording *r, const struct rec_pc *p, size_t level)
{
    uint64_t overlay = p->module >= 0 ? r->modules.mappings[r->modules.v[p->module].mapping].overlay : 0;
    return p->pc | (uint64_t)level << 48 | overlay << 54;
}

static uint64_t thread_start_pc(uint64_t g) { return UINT64_C(1) << 60 | g; }

struct frames {
    struct gotrace_builder_frame v[STACK_MAX_FRAMES];
    size_t n;
};

static void add_frame(struct frames *f, uint64_t pc, const char *func, const struct symbolize_frame *at)
{
    if (f->n < STACK_MAX_FRAMES)
        f->v[f->n++] = (struct gotrace_builder_frame){pc, func ? func : at->function, at->file, at->line};
}

static bool is_in_libc(const struct recording *r, const struct rec_pc *p)
{
    return p->module >= 0 && r->modules.v[p->module].libc;
}

/* The program's own first frame: libc is called from there. A stripped program has no name for it. */
static bool is_entry(const struct recording *r, const struct rec_pc *p)
{
    size_t n;
    const char *function = symbolize_frames(r->symbolizer, p->symbol, &n)->function;
    return p->module >= 0 && !strcmp(r->modules.v[p->module].path, r->exe) &&
           (!strcmp(function, "_start") || strstr(function, "+0x"));
}

/*
 * How many PCs of the stack, from the leaf on, are the program's: the outer end without what libc runs before main or
 * before a start routine. libc's names for that are local, and gone without its debug info, so the place of the code
 * decides.
 */
static size_t without_startup(const struct recording *r, const struct rec_stack *s)
{
    if (!s->n)
        return 0;
    const struct rec_pc *pcs = &r->stacks.pcs[s->first];
    size_t n = s->n;
    if (n > 2 && is_entry(r, &pcs[n - 1]) && is_in_libc(r, &pcs[n - 2]))
        n--;
    while (n > 1 && is_in_libc(r, &pcs[n - 1]))
        n--;
    return n;
}

/*
 * An inlined function of thrace/annotate.h or of the files beside it: without debug info it would not be seen, either.
 * A C++ template has its type in front, and what is Rust's the crate and maybe "<TYPE as TRAIT>".
 */
static bool is_annotation(const char *function)
{
    const char *name = function + (*function == '<'), *space = strstr(name, "thrace::");
    return !strncmp(name, "thrace_", 7) ||
           (space && strcspn(name, "(<") > (size_t)(space - name) && (space == name || strchr(" :", space[-1])));
}

/* A wrapped function gets its public name, whatever libc's own symbol for that address is. */
static void add_pc(const struct recording *r, const struct rec_pc *p, struct frames *f)
{
    static const struct symbolize_frame truncated = {"[more frames than a trace can hold]", "[truncated]", 1};
    static const struct symbolize_frame in_libc = {.file = "libc", .line = 1};
    size_t n;
    const struct symbolize_frame *s = symbolize_frames(r->symbolizer, p->symbol, &n);
    if (p->pc == STACK_TRUNCATED_PC) {
        add_frame(f, p->pc, NULL, &truncated);
        return;
    }
    bool ours = p->module >= 0 && r->modules.v[p->module].ours;
    if (p->hook) {
        add_frame(f, p->pc, p->hook, ours ? &in_libc : &s[n - 1]); /* one that retry.c does again */
        return;
    }
    if (ours)
        return;
    for (size_t i = 0; i < n; i++)
        if (i == n - 1 || !is_annotation(s[i].function))
            add_frame(f, inlined_pc(r, p, n - 1 - i), NULL, &s[i]);
}

static int write_stack(const struct recording *r, struct gotrace_builder *b, uint64_t id, struct frames *f)
{
    struct gotrace_raw_frame raw[STACK_MAX_FRAMES];
    for (size_t i = 0; i < f->n; i++)
        raw[i] = (struct gotrace_raw_frame){
            f->v[i].pc,
            gotrace_builder_string(b, f->v[i].function, strlen(f->v[i].function)),
            gotrace_builder_string(b, f->v[i].file, strlen(f->v[i].file)),
            f->v[i].line,
        };
    return gotrace_builder_stack_as(b, id, raw, f->n);
}

static const struct symbolize_frame in_thrace = {"[thrace]", "libthrace-preload.so", 1};

static void make_frames(const struct recording *r, const struct rec_stack *s, struct frames *f)
{
    f->n = 0;
    if (s->object) {
        const struct rec_object_name *o = &r->objects.names[r->objects.v[s->object - 1].number];
        const struct symbolize_frame at = {o->function, o->file, o->line};
        add_frame(f, o->pc, NULL, &at);
    }
    for (size_t i = 0, n = without_startup(r, s); i < n; i++)
        add_pc(r, &r->stacks.pcs[s->first + i], f);
    if (!f->n) /* a sample before the start routine or behind it */
        add_frame(f, r->stacks.pcs[s->first].pc, NULL, &in_thrace);
    if (!s->thread || s->ambiguous)
        return;
    const struct symbolize_frame at = {s->thread, f->v[f->n - 1].file, f->v[f->n - 1].line};
    f->n -= f->n == STACK_MAX_FRAMES;
    add_frame(f, thread_start_pc(s->thread_g), NULL, &at);
}

size_t recording_frames(const struct recording *r, uint64_t generation, uint64_t stack_id,
                        struct gotrace_builder_frame *v)
{
    struct frames f = {.n = 0};
    const struct rec_stack *s = stack_id ? stack_table_find(&r->stacks, generation, stack_id) : NULL;
    if (s)
        make_frames(r, s, &f);
    memcpy(v, f.v, f.n * sizeof *v);
    return f.n;
}

static bool is_program_code(const struct recording *r, const struct rec_pc *p)
{
    const struct rec_module *m = p->module >= 0 ? &r->modules.v[p->module] : NULL;
    return m && !m->ours && !m->libc && !m->runtime && !p->hook;
}

/* Of an event, or of a sample; NULL: it has none. */
static const struct rec_stack *first_stack_of(const struct recording *r, uint64_t g)
{
    if (g < r->seen.ngoroutines && r->seen.first[g].id)
        return stack_table_find(&r->stacks, r->seen.first[g].generation, r->seen.first[g].id);
    for (size_t i = 0; i < r->samples.n; i++)
        if (r->samples.v[i].g == g && r->samples.v[i].stack_id)
            return stack_table_find(&r->stacks, r->samples.v[i].generation, r->samples.v[i].stack_id);
    return NULL;
}

/*
 * A std::thread starts in the C++ library and goes through templates of namespace std before it comes to the function
 * that it was made for. That one names the thread: the outermost function of the program in its first stack.
 */
static const struct symbolize_frame *own_function(const struct recording *r, const struct rec_thread *t)
{
    const struct rec_stack *s = first_stack_of(r, t->g);
    for (size_t i = s ? s->n : 0; i-- > 0;) {
        size_t n;
        const struct rec_pc *p = &r->stacks.pcs[s->first + i];
        const struct symbolize_frame *f = symbolize_frames(r->symbolizer, p->symbol, &n);
        while (is_program_code(r, p) && n--)
            if (!strstr(f[n].function, "+0x") && !strstr(f[n].function, "std::") && strncmp(f[n].function, "__", 2))
                return &f[n];
    }
    return NULL;
}

static bool is_language(const struct symbolize_frame *f)
{
    return place_is_language(f->function, strlen(f->function), f->file, strlen(f->file)) || is_annotation(f->function);
}

/* Where the brackets begin that end before `end`; end: there are none. */
static const char *before_brackets(const char *start, const char *end, char open, char close)
{
    const char *p = end;
    for (int depth = 0; p > start && (p[-1] == close || depth); p--)
        depth += p[-1] == close ? 1 : p[-1] == open ? -1 : 0;
    return p;
}

/* "A::B::B(…)", where B may be a template. */
static bool is_constructor(const char *function)
{
    const char *end = before_brackets(function, function + strlen(function), '(', ')'), *name = end;
    while (name > function && name[-1] != ':')
        name--;
    if (name < function + 2 || name[-2] != ':')
        return false;
    const char *of = before_brackets(function, name - 2, '<', '>');
    size_t len = (size_t)(end - name);
    return len && (size_t)(of - function) >= len && !memcmp(of - len, name, len) &&
           ((size_t)(of - function) == len || strchr(": ", of[-len - 1]));
}

/* What makes locks for others is not what somebody looks for, either: pool_new of pool_new → my_mutex_init. */
static bool makes_locks(const struct symbolize_frame *f)
{
    return is_constructor(f->function) || strcasestr(f->function, "mutex") || strcasestr(f->function, "rwlock") ||
           strcasestr(f->function, "lock_init") || strcasestr(f->function, "cond_init") ||
           strcasestr(f->function, "sem_init");
}

static bool has_line(const struct symbolize_frame *f)
{
    const char *slash = strrchr(f->file, '/'), *name = slash ? slash + 1 : f->file;
    return place_has_line(name, strlen(name), f->line);
}

/* Where recording_program_frame finds its frame: the PC, and the frame of those that are inlined there. */
struct frame_place {
    size_t pc, frame;
};

static const struct symbolize_frame *find_program_frame(const struct recording *r, size_t first, size_t n, bool made,
                                                        struct frame_place *at)
{
    const struct symbolize_frame *found = NULL;
    bool passed_by = true; /* is what was found */
    for (size_t i = 0; i < n && passed_by; i++) {
        const struct rec_pc *p = &r->stacks.pcs[first + i];
        size_t k = 0;
        const struct symbolize_frame *f = is_program_code(r, p) ? symbolize_frames(r->symbolizer, p->symbol, &k) : NULL;
        for (size_t j = 0; j < k && passed_by; j++) {
            passed_by = is_language(&f[j]) || (made && makes_locks(&f[j]));
            if (passed_by && found)
                continue;
            found = &f[j];
            *at = (struct frame_place){i, j};
        }
    }
    return found;
}

bool recording_program_frame(const struct recording *r, size_t first, size_t n, bool made, struct symbolize_frame *at,
                             bool *line)
{
    struct frame_place place;
    const struct symbolize_frame *found = find_program_frame(r, first, n, made, &place);
    if (!found)
        return false;
    *at = *found;
    *line = has_line(found);
    return true;
}

/* How many of the PCs are not outside of main, or of the thread's function: libc calls these. */
static size_t within_start(const struct recording *r, size_t first, size_t n)
{
    size_t within = 0, k;
    for (size_t i = 0; i < n; i++) {
        const struct rec_pc *p = &r->stacks.pcs[first + i];
        const struct symbolize_frame *f = symbolize_frames(r->symbolizer, p->symbol, &k);
        if (k && !strcmp(f[k - 1].function, "main"))
            return i + 1;
        if (is_program_code(r, p))
            within = i + 1;
    }
    return within;
}

bool recording_frames_outwards(const struct recording *r, size_t first, size_t n,
                               bool (*f)(void *arg, const struct symbolize_frame *at, bool has_line), void *arg)
{
    struct frame_place place;
    if (!find_program_frame(r, first, n, false, &place))
        return false;
    for (size_t end = within_start(r, first, n); place.pc < end; place.pc++, place.frame = 0) {
        size_t k;
        const struct symbolize_frame *v = symbolize_frames(r->symbolizer, r->stacks.pcs[first + place.pc].symbol, &k);
        for (; place.frame < k; place.frame++)
            if (!f(arg, &v[place.frame], has_line(&v[place.frame])))
                return false;
    }
    return true;
}

static struct symbolize_frame start_of(const struct recording *r, const struct rec_thread *t)
{
    size_t n;
    const struct rec_pc *start = &r->stacks.pcs[t->pc];
    const struct symbolize_frame *frames = symbolize_frames(r->symbolizer, start->symbol, &n), *own = NULL;
    struct symbolize_frame at = frames[n - 1]; /* not what is inlined into its first instruction */
    if (t->start_pc == START_OF_MAIN)
        at = (struct symbolize_frame){"main", *r->exe ? r->exe : "main", 1};
    bool in_runtime = start->module >= 0 && r->modules.v[start->module].runtime;
    if (in_runtime || t->start_pc == START_NOT_KNOWN) {
        if ((own = own_function(r, t)))
            at = *own;
        else if (!in_runtime)
            at = (struct symbolize_frame){"[unknown]", "[unknown]", 1};
        else if (strstr(at.function, "+0x"))
            at.function = "std::thread"; /* it never waited, so no stack names a function */
    }
    return at;
}

/* The first thread is main, whatever title the program gives its process. */
static const char *name_of(const struct rec_thread *t) { return t->g > 1 && t->name && *t->name ? t->name : NULL; }

const char *recording_thread_start(const struct recording *r, uint64_t g, struct symbolize_frame *at)
{
    const struct rec_thread *t = recording_thread(r, g);
    *at = t ? start_of(r, t) : (struct symbolize_frame){"[unknown]", "[unknown]", 1};
    return t ? name_of(t) : NULL;
}

static int write_thread_start(const struct recording *r, struct gotrace_builder *b, const struct rec_thread *t)
{
    struct frames f = {.n = 0};
    const struct symbolize_frame at = start_of(r, t);
    add_frame(&f, thread_start_pc(t->g), name_of(t), &at);
    return write_stack(r, b, t->stack_id, &f);
}

static int write_reasons(struct gotrace_builder *b)
{
    for (int i = 0; i < REASON_COUNT; i++)
        if (gotrace_builder_string_as(b, reason_string_id((enum sched_reason)i), sched_reason_text[i],
                                      strlen(sched_reason_text[i])))
            return -1;
    return 0;
}

static int write_one(const struct recording *r, struct gotrace_builder *b, const struct rec_stack *s)
{
    struct frames f;
    make_frames(r, s, &f);
    return write_stack(r, b, s->id, &f);
}

int recording_write_opening_tables(const struct recording *r, struct gotrace_builder *b)
{
    if (write_reasons(b))
        return -1;
    for (size_t i = 0; i < r->seen.nstatuses; i++) {
        uint64_t g = r->seen.statuses[i].g;
        const struct rec_thread *t = recording_thread(r, g);
        const struct rec_status *waits = recording_status(r, g);
        uint64_t id = waits ? waits->stack_id : 0;
        const struct rec_stack *s = id ? stack_table_find(&r->stacks, r->first_generation, id) : NULL;
        if ((t && write_thread_start(r, b, t)) || (s && write_one(r, b, s)))
            return -1;
    }
    return 0;
}

/* Two threads that met the same new name at once have both defined it. */
static int write_strings(const struct recording *r, struct gotrace_builder *b, uint64_t generation)
{
    size_t i = 0, end = r->nstrings;
    while (i < end) {
        size_t middle = i + (end - i) / 2;
        if (r->strings[middle].generation < generation)
            i = middle + 1;
        else
            end = middle;
    }
    for (uint64_t last = 0; i < r->nstrings && r->strings[i].generation == generation; last = r->strings[i++].id)
        if (r->strings[i].id != last &&
            gotrace_builder_string_as(b, r->strings[i].id, r->strings[i].text, r->strings[i].len))
            return -1;
    return 0;
}

int recording_write_tables(const struct recording *r, struct gotrace_builder *b, uint64_t generation)
{
    if (write_reasons(b))
        return -1;
    const size_t end = stack_table_from(&r->stacks, generation, STATUS_STACK_BASE);
    const struct rec_thread *t;
    for (size_t i = stack_table_from(&r->stacks, generation, 0); i < end; i++)
        if (write_one(r, b, &r->stacks.v[i]))
            return -1;
    for (size_t i = recording_threads_from(r, generation); (t = recording_thread_of(r, i, generation)); i++)
        if (write_thread_start(r, b, t))
            return -1;
    return samples_write(&r->samples, b, generation, &r->time) || write_strings(r, b, generation) ? -1 : 0;
}
