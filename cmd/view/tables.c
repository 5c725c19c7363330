#include "cmd/view/tables.h"

#include <stdlib.h>

#include "cmd/export/json.h"
#include "cmd/export/memory_file.h"
#include "lib/wire/varint.h"

enum { LINES = 1 };

void tables_put_text(struct pack *to, char kind, const char *text, size_t size)
{
    uint8_t head[1 + VARINT_MAX] = {(uint8_t)kind};
    pack_put(to, head, (size_t)(varint_put(head + 1, size) - head));
    pack_put(to, text, size);
}

/* The texts of the spans stand behind those of the marks; number 0 of both is the same. */
static uint64_t text_number(const struct lanes *l, uint32_t text)
{
    return text ? l->texts.list.n - 1 + text : 0;
}

static void put_facts(const struct lanes *l, const char *file, bool complete, struct json *j)
{
    json_key(j, "file");
    json_text(j, file);
    json_key(j, "complete");
    json_bool(j, complete);
    json_key(j, "duration");
    json_number(j, (uint64_t)l->spans->end - (uint64_t)l->spans->begin);
    json_key(j, "events");
    json_number(j, l->spans->nevents);
    json_key(j, "samples");
    json_number(j, l->nsamples);
}

static void put_threads(const struct lanes *l, struct json *j)
{
    json_key(j, "threads");
    json_open(j, '[');
    for (size_t i = 0; i < l->threads.n; i++) {
        const struct lane_thread *t = &l->threads.v[i];
        json_number(j, t->id);
        if (t->tid == GOTRACE_NONE)
            json_null(j);
        else
            json_number(j, t->tid);
        json_number(j, text_number(l, t->name));
        json_number(j, t->maker);
        json_number(j, (uint64_t)t->begin - (uint64_t)l->spans->begin);
        json_number(j, (uint64_t)t->end - (uint64_t)l->spans->begin);
    }
    json_close(j, ']');
}

static void put_whats(const struct lanes *l, struct json *j)
{
    json_key(j, "whats");
    json_open(j, '[');
    for (size_t i = 0; i < l->whats.n; i++) {
        const struct lane_what *w = &l->whats.v[i];
        const uint64_t numbers[] = {w->state, w->kind, text_number(l, w->reason), text_number(l, w->object),
                                    text_number(l, w->place), w->stack};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            json_number(j, numbers[k]);
    }
    json_close(j, ']');
}

static void put_stacks(const struct stack_store *s, struct json *j)
{
    json_key(j, "names");
    json_open(j, '[');
    for (uint32_t i = 0; i < s->texts.n; i++)
        json_text(j, stack_store_text_of(s, i));
    json_close(j, ']');
    json_key(j, "frames");
    json_open(j, '[');
    for (size_t i = 0; i < s->frames.n; i++) {
        json_number(j, s->frames.v[i].function);
        json_number(j, s->frames.v[i].file);
        json_number(j, s->frames.v[i].line);
    }
    json_close(j, ']');
    json_key(j, "stacks");
    json_open(j, '[');
    for (size_t i = 0; i < s->stacks.n; i++) {
        json_open(j, '[');
        for (size_t k = 0; k < s->stacks.v[i].n; k++)
            json_number(j, stack_store_frame(s, &s->stacks.v[i], k));
        json_close(j, ']');
    }
    json_close(j, ']');
}

static void put_texts(const struct lanes *l, struct json *j)
{
    json_key(j, "texts");
    json_open(j, '[');
    for (size_t i = 0; i < l->texts.list.n; i++)
        json_text(j, l->texts.list.v[i]);
    for (size_t i = 1; i < l->spans->texts.list.n; i++)
        json_text(j, l->spans->texts.list.v[i]);
    json_close(j, ']');
}

bool tables_put(struct lanes *l, const char *file, bool complete)
{
    struct json j;
    char *text = NULL;
    size_t size = 0;
    FILE *to = memory_file(&text, &size);
    if (!to)
        return false;
    json_init(&j, to, LINES);
    json_open(&j, '{');
    put_facts(l, file, complete, &j);
    put_threads(l, &j);
    put_whats(l, &j);
    put_texts(l, &j);
    put_stacks(l->stacks, &j);
    json_close(&j, '}');
    bool ok = !ferror(to);
    ok = !fclose(to) && ok;
    if (ok)
        tables_put_text(l->out.to, 'J', text, size);
    free(text);
    return ok;
}
