/*
 * "shared" of a processed profile: strings, functions, frames and stacks. A stack is a row that refers to its caller's;
 * frames of one function in one file are lines of it.
 */
#include "cmd/export/firefox.h"

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static bool number_source(struct firefox_stacks *to, const struct stack_store *s, uint32_t text)
{
    if (!*stack_store_text_of(s, text) || to->sources.v[text])
        return true;
    if (!VEC_ROOM(&to->file_names))
        return false;
    to->file_names.v[to->file_names.n++] = text;
    to->sources.v[text] = (uint32_t)to->file_names.n;
    return true;
}

/* The function + 1 of a frame; 0: memory is short. */
static uint32_t number_function(struct firefox_stacks *to, const struct stack_store *s, uint32_t frame)
{
    const struct stored_frame *f = &s->frames.v[frame];
    uint64_t key = (uint64_t)f->function << 32 | f->file;
    uint32_t function = idmap_get(&to->index, key);
    if (function)
        return function;
    if (!VEC_ROOM(&to->of_frame) || !number_source(to, s, f->file))
        return 0;
    to->of_frame.v[to->of_frame.n++] = frame;
    function = (uint32_t)to->of_frame.n;
    return idmap_add(&to->index, key, function) ? function : 0;
}

bool firefox_number_stacks(struct firefox *f)
{
    const struct stack_store *s = f->t.stacks;
    struct firefox_stacks *to = &f->stacks;
    for (; to->sources.n < s->texts.n; to->sources.v[to->sources.n++] = 0)
        if (!VEC_ROOM(&to->sources))
            return false;
    for (uint32_t i = 0; i < s->frames.n; i++) {
        uint32_t function = number_function(to, s, i);
        if (!function || !VEC_ROOM(&to->functions))
            return false;
        to->functions.v[to->functions.n++] = function - 1;
    }
    return stack_tree_fill(&to->tree, s);
}

void firefox_stacks_free(struct firefox_stacks *s)
{
    VEC_FREE(&s->functions);
    VEC_FREE(&s->of_frame);
    VEC_FREE(&s->sources);
    VEC_FREE(&s->file_names);
    idmap_free(&s->index);
    stack_tree_free(&s->tree);
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

/* A column that says the same in each row. */
static void put_same(struct json *j, const char *key, const char *value, size_t n)
{
    open_named(j, key, '[');
    for (size_t i = 0; i < n; i++)
        json_literal(j, value);
    json_close(j, ']');
}

/* A row of another table, counted from 1; 0: none. */
static void put_row(struct json *j, uint64_t row)
{
    if (row)
        json_number(j, row - 1);
    else
        json_null(j);
}

/* Of our own rows of stacks the frame, of frames the function. */
static void put_own(struct json *j)
{
    for (unsigned i = 0; i < FIREFOX_FIRST; i++)
        json_number(j, i);
}

static void put_nulls(struct json *j)
{
    for (unsigned i = 0; i < FIREFOX_FIRST; i++)
        json_null(j);
}

/* Strings are the texts of the timeline, then those of the store, then those of our own rows. */
static size_t string_of(const struct firefox *f, size_t text) { return f->t.spans.texts.list.n + text; }

static void put_strings(struct json *j, const struct firefox *f)
{
    const struct stack_store *s = f->t.stacks;
    open_named(j, "stringArray", '[');
    for (size_t i = 0; i < f->t.spans.texts.list.n; i++)
        json_text(j, f->t.spans.texts.list.v[i]);
    for (uint32_t i = 0; i < s->texts.n; i++)
        json_text(j, stack_store_text_of(s, i));
    json_text(j, "(not sampled)");
    json_text(j, "(no stack)");
    json_close(j, ']');
}

static void put_stacks(struct json *j, const struct stack_tree *tree)
{
    open_named(j, "stackTable", '{');
    put_number(j, "length", tree->nodes.n + FIREFOX_FIRST);
    open_named(j, "frame", '[');
    put_own(j);
    for (size_t i = 0; i < tree->nodes.n; i++)
        json_number(j, tree->nodes.v[i].frame + FIREFOX_FIRST);
    json_close(j, ']');
    open_named(j, "prefix", '[');
    put_nulls(j);
    for (size_t i = 0; i < tree->nodes.n; i++)
        put_row(j, tree->nodes.v[i].parent ? tree->nodes.v[i].parent + (uint64_t)FIREFOX_FIRST : 0);
    json_close(j, ']');
    json_close(j, '}');
}

static void put_frames(struct json *j, const struct firefox *f)
{
    const struct stack_store *s = f->t.stacks;
    size_t n = s->frames.n + FIREFOX_FIRST;
    open_named(j, "frameTable", '{');
    put_number(j, "length", n);
    open_named(j, "func", '[');
    put_own(j);
    for (size_t i = 0; i < s->frames.n; i++)
        json_number(j, f->stacks.functions.v[i] + FIREFOX_FIRST);
    json_close(j, ']');
    open_named(j, "line", '[');
    put_nulls(j);
    for (size_t i = 0; i < s->frames.n; i++)
        put_row(j, s->frames.v[i].line ? s->frames.v[i].line + 1 : 0);
    json_close(j, ']');
    open_named(j, "category", '[');
    json_number(j, FIREFOX_IDLE);
    for (size_t i = FIREFOX_NO_STACK; i < n; i++)
        json_number(j, FIREFOX_CATEGORY + FIREFOX_RUNNING);
    json_close(j, ']');
    put_same(j, "subcategory", "0", n);
    put_same(j, "address", "-1", n);
    put_same(j, "inlineDepth", "0", n);
    put_same(j, "nativeSymbol", "null", n);
    put_same(j, "innerWindowID", "0", n);
    put_same(j, "column", "null", n);
    json_close(j, '}');
}

static void put_functions(struct json *j, const struct firefox *f)
{
    const struct stored_frame *frames = f->t.stacks->frames.v;
    const struct firefox_stacks *s = &f->stacks;
    size_t n = s->of_frame.n + FIREFOX_FIRST;
    open_named(j, "funcTable", '{');
    put_number(j, "length", n);
    open_named(j, "name", '[');
    json_number(j, string_of(f, f->t.stacks->texts.n));
    json_number(j, string_of(f, f->t.stacks->texts.n + 1));
    for (size_t i = 0; i < s->of_frame.n; i++)
        json_number(j, string_of(f, frames[s->of_frame.v[i]].function));
    json_close(j, ']');
    open_named(j, "source", '[');
    put_nulls(j);
    for (size_t i = 0; i < s->of_frame.n; i++)
        put_row(j, s->sources.v[frames[s->of_frame.v[i]].file]);
    json_close(j, ']');
    put_same(j, "isJS", "false", n);
    put_same(j, "relevantForJS", "false", n);
    put_same(j, "resource", "-1", n);
    put_same(j, "lineNumber", "null", n);
    put_same(j, "columnNumber", "null", n);
    json_close(j, '}');
}

static void put_sources(struct json *j, const struct firefox *f)
{
    size_t n = f->stacks.file_names.n;
    open_named(j, "sources", '{');
    put_number(j, "length", n);
    open_named(j, "filename", '[');
    for (size_t i = 0; i < n; i++)
        json_number(j, string_of(f, f->stacks.file_names.v[i]));
    json_close(j, ']');
    put_same(j, "id", "null", n);
    put_same(j, "startLine", "1", n);
    put_same(j, "startColumn", "1", n);
    put_same(j, "sourceMapURL", "null", n);
    json_close(j, '}');
}

/* One that has no rows, as what it says is not in a trace. */
static void put_empty(struct json *j, const char *key, const char *const *columns)
{
    open_named(j, key, '{');
    put_number(j, "length", 0);
    for (; *columns; columns++)
        put_same(j, *columns, "", 0);
    json_close(j, '}');
}

void firefox_put_shared(struct json *j, const struct firefox *f)
{
    static const char *const resources[] = {"type", "lib", "name", "host", NULL},
                            *const symbols[] = {"libIndex", "address", "name", "functionSize", NULL};
    open_named(j, "shared", '{');
    put_stacks(j, &f->stacks.tree);
    put_frames(j, f);
    put_functions(j, f);
    put_sources(j, f);
    put_empty(j, "resourceTable", resources);
    put_empty(j, "nativeSymbols", symbols);
    put_strings(j, f);
    json_close(j, '}');
}
