#include "parser/rewrite/pseudonyms.h"

#include <string.h>

#include "lib/objects.h"

static bool begins(struct gotrace_str s, const char *with)
{
    size_t len = strlen(with);
    return s.len >= len && !memcmp(s.data, with, len);
}

/* The suffix that says what kind of file it is. It is one that many have: others may be names. */
static const char *suffix(struct gotrace_str file)
{
    static const char *const known[] = {".c",  ".h",  ".cc", ".hh", ".cpp", ".hpp", ".cxx",
                                        ".go", ".rs", ".py", ".S",  ".s",   ".java"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t len = strlen(known[i]);
        if (file.len > len && !memcmp(file.data + file.len - len, known[i], len))
            return known[i];
    }
    return file.len && memmem(file.data, file.len, ".so", 3) ? ".so" : "";
}

static struct gotrace_str base(struct gotrace_str path)
{
    const char *slash = path.len ? memrchr(path.data, '/', path.len) : NULL;
    size_t folders = slash ? (size_t)(slash + 1 - path.data) : 0;
    return (struct gotrace_str){path.data + folders, path.len - folders};
}

/* The word that says what kind of object it is. */
static const char *word(struct gotrace_str object)
{
    for (int kind = NO_OBJECT + 1; kind < OBJECT_KINDS; kind++) {
        const char *w = object_word((enum object_kind)kind);
        if (begins(object, w) && object.len > strlen(w) && object.data[strlen(w)] == ' ')
            return w;
    }
    return "";
}

static void put(struct pseudonyms *p, struct gotrace_str text, enum pseudonym as)
{
    static const char *const names[] = {[PSEUDONYM_THREAD] = "thread", [PSEUDONYM_OBJECT] = "object",
                                        [PSEUDONYM_FUNCTION] = "f",    [PSEUDONYM_FILE] = "file",
                                        [PSEUDONYM_LABEL] = "label",   [PSEUDONYM_TASK] = "task",
                                        [PSEUDONYM_REGION] = "region", [PSEUDONYM_KEY] = "key",
                                        [PSEUDONYM_MESSAGE] = "message", [PSEUDONYM_REASON] = "reason"};
    unsigned long long n = ++p->counts[as];
    switch (as) {
    case PSEUDONYM_KEPT: raw_buffer_add(&p->out, text.data, text.len); break;
    case PSEUDONYM_LIBRARY: raw_buffer_add(&p->out, base(text).data, base(text).len); break;
    case PSEUDONYM_OBJECT: raw_buffer_printf(&p->out, "%s object%llu", word(text), n); break;
    case PSEUDONYM_FILE: raw_buffer_printf(&p->out, "file%llu%s", n, suffix(text)); break;
    default: raw_buffer_printf(&p->out, "%s%llu", names[as], n);
    }
}

struct gotrace_str pseudonym_of(struct pseudonyms *p, struct gotrace_str text, enum pseudonym as)
{
    struct gotrace_str none = {"", 0};
    bool fresh;
    uint64_t n = text.len ? intern(&p->texts, text.data, text.len, &fresh) : 0;
    if (!text.len)
        return none;
    if (fresh && VEC_ROOM(&p->of)) {
        size_t offset = p->out.size;
        put(p, text, as);
        p->of.v[p->of.n++] = (struct pseudonym_bytes){offset, p->out.size - offset};
    }
    if (!n || n > p->of.n || p->out.failed) {
        p->failed = true;
        return none;
    }
    const struct pseudonym_bytes *of = &p->of.v[n - 1];
    return (struct gotrace_str){of->size ? (const char *)p->out.at + of->offset : "", of->size};
}

uint64_t pseudonym_of_address(struct pseudonyms *p, uint64_t address)
{
    bool fresh;
    uint64_t n = address ? intern(&p->addresses, &address, sizeof address, &fresh) : 0;
    p->failed |= address && !n;
    return n;
}

void pseudonyms_free(struct pseudonyms *p)
{
    intern_free(&p->texts);
    intern_free(&p->addresses);
    raw_buffer_free(&p->out);
    VEC_FREE(&p->of);
}
