#include "lib/options/options.h"

#include <string.h>

#include "lib/options/classes.h"
#include "lib/options/out_path.h"
#include "lib/options/probes.h"
#include "lib/options/spelling.h"
#include "lib/options/values.h"
#include "lib/spool.h"
#include "lib/unwind/unwind.h"
#include "lib/wire/events.h"
#include "lib/wire/version.h"

static bool parse_number(const char *s, void *field) { return value_number(piece_of(s), field); }
static bool parse_duration(const char *s, void *field) { return value_duration(piece_of(s), field); }
static bool parse_flag(const char *s, void *field) { return parse_number(s, field) && *(uint64_t *)field <= 1; }

static bool parse_path(const char *s, void *field)
{
    *(const char **)field = s;
    return *s && strlen(s) < SPOOL_PATH_MAX - 64 && out_pattern_ok(s);
}

/* 0 is a size, too: none. */
static bool parse_bytes(const char *s, void *field)
{
    return value_size(piece_of(s), field) || (parse_number(s, field) && !*(uint64_t *)field);
}

static bool parse_version(const char *s, void *field)
{
    const struct wire_version *v = wire_version_named(s);
    if (v)
        *(uint64_t *)field = v->nn;
    return v;
}

#define DEFAULT_COOLDOWN_NS UINT64_C(10000000000)
enum { MIN_MEMORY = SPOOL_EXTENT_CHUNKS * SPOOL_CHUNK_SIZE, DEFAULT_MEMORY = 64 << 20 };
#define DEFAULT_SIZE (UINT64_C(16) << 30)

static bool parse_memory(const char *s, void *field)
{
    return value_size(piece_of(s), field) && *(uint64_t *)field >= MIN_MEMORY;
}

static bool parse_start(const char *value, void *field)
{
    struct start_option *start = field;
    struct piece s = piece_of(value);
    *start = (struct start_option){.when = START_OFF};
    if (piece_is(s, "off"))
        return true;
    if (piece_has_key(&s, "signal"))
        return value_signal(s, &start->signal);
    start->when = START_DELAYED;
    if (piece_has_key(&s, "delay"))
        return value_duration(s, &start->delay_ns);
    start->when = START_NOW;
    return piece_is(s, "now");
}

static bool parse_stop(const char *value, void *field)
{
    struct stop_option *stop = field;
    struct piece s = piece_of(value), one;
    *stop = (struct stop_option){.size = DEFAULT_SIZE};
    do {
        one = piece_take(&s, ',');
        if (!(piece_has_key(&one, "after") && value_duration(one, &stop->after_ns)) &&
            !(piece_has_key(&one, "size") && value_size(one, &stop->size)) &&
            !(piece_has_key(&one, "signal") && value_signal(one, &stop->signal)))
            return false;
    } while (s.len);
    return true;
}

static bool parse_hz(const char *s, void *field)
{
    return parse_number(s, field) && *(uint64_t *)field <= SAMPLE_HZ_MAX;
}

static bool parse_objects(const char *s, void *field)
{
    return parse_number(s, field) && *(uint64_t *)field <= OBJECTS_MAX;
}

static bool parse_depth(const char *s, void *field)
{
    return parse_number(s, field) && *(uint64_t *)field >= 1 && *(uint64_t *)field <= STACK_MAX_FRAMES;
}

static bool is_word(const char *s, size_t len, const char *word)
{
    return strlen(word) == len && !memcmp(s, word, len);
}

/* The value is the place of the word. */
static bool parse_word(const char *s, const char *const *words, size_t n, uint64_t *value)
{
    for (*value = 0; *value < n; ++*value)
        if (!strcmp(s, words[*value]))
            return true;
    return false;
}
#define PARSE_WORD(s, words, field) parse_word(s, words, sizeof(words) / sizeof *(words), field)

static bool parse_unwind(const char *s, void *field)
{
    static const char *const modes[] = {
        [UNWIND_AUTO] = "auto", [UNWIND_FP] = "fp", [UNWIND_CFI] = "cfi", [UNWIND_NONE] = "none"};
    return PARSE_WORD(s, modes, field);
}

static bool parse_errors(const char *s, void *field)
{
    static const char *const shown[] = {[ERRORS_NONE] = "none", [ERRORS_MOST] = "most", [ERRORS_ALL] = "all"};
    return PARSE_WORD(s, shown, field);
}

static uint64_t stack_kind(const char *s, size_t len)
{
#define THRACE_STACK_KIND(name, text, meaning)                                                                         \
    if (is_word(s, len, text))                                                                                         \
        return STACK_OF_##name;
#include "lib/options/stack_kinds.def"
#undef THRACE_STACK_KIND
    return 0;
}

static uint64_t annotations_of(const char *s, size_t len)
{
#define THRACE_ANNOTATIONS(name, text, variable)                                                                       \
    if (is_word(s, len, text))                                                                                         \
        return ANNOTATIONS_##name;
#include "lib/options/annotations.def"
#undef THRACE_ANNOTATIONS
    return 0;
}

/* "all", "none", or words with commas between them. */
static bool parse_bits(const char *s, void *field, uint64_t (*bit_of)(const char *s, size_t len), uint64_t all)
{
    uint64_t kinds = 0;
    if (!strcmp(s, "all") || !strcmp(s, "none")) {
        *(uint64_t *)field = *s == 'a' ? all : 0;
        return true;
    }
    for (;; s++) {
        size_t len = strcspn(s, ",");
        uint64_t kind = bit_of(s, len);
        kinds |= kind;
        s += len;
        if (!kind || !*s) {
            *(uint64_t *)field = kinds;
            return kind;
        }
    }
}

static bool parse_kinds(const char *s, void *field) { return parse_bits(s, field, stack_kind, STACK_OF_ANY); }

static bool parse_annotations(const char *s, void *field)
{
    return parse_bits(s, field, annotations_of, ANNOTATIONS_ALL);
}

static bool parse_probes(const char *s, void *field)
{
    struct piece bad;
    *(const char **)field = s;
    return probe_mappings_ok(piece_of(s), &bad);
}

#define MIN_FLIGHT_BYTES (UINT64_C(1) << 20)
#define DEFAULT_FLIGHT_BYTES (UINT64_C(64) << 20)

static bool parse_flight(const char *value, void *field)
{
    struct flight_option *f = field;
    struct piece s = piece_of(value), one;
    *f = (struct flight_option){.generations = SPOOL_MARKS};
    do {
        one = piece_take(&s, ',');
        uint64_t v;
        if (piece_has_key(&one, "generations")) {
            if (!value_number(one, &f->generations) || f->generations < 2 || f->generations > SPOOL_MARKS)
                return false;
        } else if (value_duration(one, &v) && v)
            f->window_ns = v;
        else if (value_size(one, &v))
            f->bytes = v;
        else
            return false;
    } while (s.len);
    if (!f->bytes)
        f->bytes = DEFAULT_FLIGHT_BYTES;
    return f->bytes >= MIN_FLIGHT_BYTES;
}

/* wait:100ms, wait:any:100ms, or wait:pthread_mutex_lock:100ms. */
static bool parse_wait(struct piece s, struct snapshot_option *o)
{
    struct piece first = piece_take(&s, ':');
    if (!s.len)
        s = first;
    else
        o->function = first;
    return value_duration(s, &o->wait_ns) && o->wait_ns;
}

static bool parse_snapshot(const char *value, void *field)
{
    struct snapshot_option *o = field;
    struct piece s = piece_of(value), one;
    *o = (struct snapshot_option){0};
    do {
        one = piece_take(&s, ',');
        if (piece_is(one, "exit"))
            o->exit = true;
        else if (!(piece_has_key(&one, "signal") && value_signal(one, &o->signal)) &&
                 !(piece_has_key(&one, "wait") && parse_wait(one, o)))
            return false;
    } while (s.len);
    return true;
}

/* The bit of the class that the first len bytes of text name; CLASS_NONE when there is no such class. */
static uint32_t class_named(const char *text, size_t len)
{
#define THRACE_CLASS(name, word, meaning)                                                                              \
    if (is_word(text, len, word))                                                                                      \
        return CLASS_##name;
#include "lib/options/classes.def"
#undef THRACE_CLASS
    return len == 3 && !strncmp(text, "all", len) ? CLASS_EVERY : CLASS_NONE;
}

/* "sync,net": these only. "-mem,-file": all but these. "none" is a word of its own. */
static bool parse_classes(const char *s, void *field)
{
    uint64_t *classes = field;
    *classes = *s == '-' ? CLASS_EVERY : CLASS_NONE;
    if (!strcmp(s, "none"))
        return true;
    do {
        bool without = *s == '-';
        s += without;
        size_t len = strcspn(s, ",");
        uint32_t class = class_named(s, len);
        if (class == CLASS_NONE)
            return false;
        *classes = without ? *classes & ~(uint64_t)class : *classes | class;
        s += len;
    } while (*s && *++s);
    return !*s && s[-1] != ',';
}

#define TAKES_VERSION WIRE_VERSION_NAMES
#define TAKES_FLAG "0 or 1"
#define TAKES_TIME "a time of at most 3600s, as in 250us, 10ms or 1s; or 0"

static const struct kind {
    struct option_kind shown;
    bool (*parse)(const char *value, void *field);
    size_t offset;
} kinds[] = {
#define THRACE_OPTION(name, flag, field, parse, takes, meaning)                                                        \
    {{name, flag, takes}, parse, offsetof(struct options, field)},
#include "lib/options/options.def"
#undef THRACE_OPTION
};

enum { NOPTIONS = sizeof kinds / sizeof kinds[0] };

const struct option_kind *option_kind(unsigned i) { return i < NOPTIONS ? &kinds[i].shown : NULL; }

bool option_is_switch(const struct option_kind *kind)
{
    return ((const struct kind *)(const void *)kind)->parse == parse_flag;
}

static const char *value_of(const char *entry, const char *name)
{
    size_t len = strlen(name);
    return !strncmp(entry, name, len) && entry[len] == '=' ? entry + len + 1 : NULL;
}

/* An empty value counts as none: that is how a shell, a unit file or a container's description unsets a variable. */
static void read_entry(struct options *o, const char *entry, struct option_fault *fault)
{
    for (int i = 0; i < NOPTIONS; i++) {
        const char *value = value_of(entry, kinds[i].shown.variable);
        if (value && *value && !kinds[i].parse(value, (char *)o + kinds[i].offset) && !fault->kind)
            *fault = (struct option_fault){&kinds[i].shown, value};
    }
}

bool options_read(struct options *o, char **envp, struct option_fault *fault)
{
    *fault = (struct option_fault){0};
    *o = (struct options){.period_ns = 1000000000,
                          .trace_version = wire_version_first()->nn,
                          .classes = CLASS_EVERY,
                          .cpu_hz = SAMPLE_HZ_DEFAULT,
                          .unwind = UNWIND_AUTO,
                          .stack_depth = STACK_MAX_FRAMES,
                          .stack_kinds = STACK_OF_ANY,
                          .annotations = ANNOTATIONS_ALL,
                          .max_objects = OBJECTS_MAX,
                          .errors = ERRORS_MOST,
                          .memory = DEFAULT_MEMORY,
                          .cooldown_ns = DEFAULT_COOLDOWN_NS,
                          .symbol_cache = 1,
                          .stop.size = DEFAULT_SIZE};
    for (; envp && *envp; envp++)
        read_entry(o, *envp, fault);
    if (o->heap_events && o->trace_version < wire_version_of_experiments()->nn &&
        !wire_version_is_old(o->trace_version))
        o->trace_version = wire_version_of_experiments()->nn;
    return !fault->kind;
}

const char *option_meant(const char *entry, struct piece *name)
{
    static const char prefix[] = "THRACE_";
    struct piece rest = piece_of(entry);
    *name = piece_take(&rest, '=');
    if (name->len < sizeof prefix || memcmp(entry, prefix, sizeof prefix - 1) != 0)
        return NULL;
    struct spelling s = spelling_of((struct piece){entry + sizeof prefix - 1, name->len - (sizeof prefix - 1)});
    for (int i = 0; i < NOPTIONS; i++) {
        const char *variable = kinds[i].shown.variable;
        if (piece_is(*name, variable))
            return NULL;
        spelling_try(&s, variable + sizeof prefix - 1);
    }
    return s.nearest ? s.nearest - (sizeof prefix - 1) : NULL;
}
