#include "cmd/export/perfetto.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WRITTEN_AT_ONCE = 1 << 16 };
enum { SAID_STRING = 1, SAID_STACK = 2 };

/* Whether it has been said already; from now on it has. */
#define SAID(p, list, number, bit) (room_for((p), &(p)->list, (number)) || said(&(p)->list.v[number], (bit)))

static bool said(uint8_t *bits, uint8_t bit)
{
    bool was = *bits & bit;
    *bits |= bit;
    return was;
}

/* True: memory is short. */
static bool room_for(struct perfetto *p, struct perfetto_bits *list, size_t number)
{
    for (; list->n <= number; list->n++) {
        if (!VEC_ROOM(list)) {
            p->failed = true;
            return true;
        }
        list->v[list->n] = 0;
    }
    return false;
}

/* ---- packets ---------------------------------------------------------------------------------------------------- */

size_t perfetto_packet(struct perfetto *p)
{
    size_t from = protobuf_open(&p->packet, TRACE_PACKET);
    protobuf_number(&p->packet, SEQUENCE_ID, SEQUENCE);
    return from;
}

static void write_out(struct perfetto *p, size_t n)
{
    fwrite(p->packet.bytes.v, 1, n, p->to);
    p->packet.bytes.n -= n;
    memmove(p->packet.bytes.v, p->packet.bytes.v + n, p->packet.bytes.n);
}

void perfetto_flush(struct perfetto *p) { write_out(p, p->packet.bytes.n); }

void perfetto_packet_done(struct perfetto *p, size_t from)
{
    protobuf_close(&p->packet, from);
    p->t.failed |= p->failed | p->packet.failed;
    if (p->packet.bytes.n >= WRITTEN_AT_ONCE && !p->t.failed)
        write_out(p, p->packet.bytes.n - p->packet.bytes.n % WRITTEN_AT_ONCE); /* whole pages: out.h */
}

/* Traces of v1 may begin before 0, which a timestamp cannot: then 0 is their begin. */
size_t perfetto_timed(struct perfetto *p, int64_t now)
{
    size_t from = perfetto_packet(p);
    int64_t zero = p->t.spans.begin < 0 ? p->t.spans.begin : 0;
    protobuf_number(&p->packet, TIMESTAMP, (uint64_t)now - (uint64_t)zero);
    protobuf_number(&p->packet, SEQUENCE_FLAGS, NEEDS_STATE);
    return from;
}

void perfetto_intern(struct perfetto *p, unsigned field, uint64_t iid, const char *text, size_t len)
{
    size_t entry = protobuf_open(&p->packet, field);
    protobuf_number(&p->packet, 1, iid);
    protobuf_bytes(&p->packet, 2, text, len);
    protobuf_close(&p->packet, entry);
}

/* ---- what is interned ------------------------------------------------------------------------------------------- */

static size_t interned(struct perfetto *p, size_t *data)
{
    size_t from = perfetto_packet(p);
    protobuf_number(&p->packet, SEQUENCE_FLAGS, NEEDS_STATE);
    *data = protobuf_open(&p->packet, INTERNED_DATA);
    return from;
}

static void intern_string(struct perfetto *p, uint64_t iid, const char *text, size_t len)
{
    size_t data, from = interned(p, &data);
    perfetto_intern(p, INTERNED_STRING, iid, text, len);
    protobuf_close(&p->packet, data);
    perfetto_packet_done(p, from);
}

void perfetto_need_text(struct perfetto *p, uint32_t text)
{
    const char *s = stat_text_of(&p->t.spans.texts, text);
    if (text != p->t.none && !SAID(p, said_texts, text, SAID_STRING))
        intern_string(p, perfetto_text_iid(text), s, strlen(s));
}

static void add_text(struct perfetto *p, const char *text)
{
    for (; *text; text++) {
        if (!VEC_ROOM(&p->text)) {
            p->failed = true;
            return;
        }
        p->text.v[p->text.n++] = *text;
    }
}

/* The stack as an argument: a frame in each line, the innermost first. */
void perfetto_need_stack_text(struct perfetto *p, uint32_t number)
{
    const struct stack_store *s = p->t.stacks;
    if (!number || SAID(p, said_stacks, number, SAID_STRING))
        return;
    p->text.n = 0;
    for (size_t i = 0; i < s->stacks.v[number].n; i++) {
        const struct stored_frame *f = &s->frames.v[stack_store_frame(s, &s->stacks.v[number], i)];
        const char *file = stack_store_text_of(s, f->file);
        char line[32];
        snprintf(line, sizeof line, ":%llu)", (unsigned long long)f->line);
        add_text(p, i ? "\n" : "");
        add_text(p, stack_store_text_of(s, f->function));
        if (*file) {
            add_text(p, " (");
            add_text(p, file);
            add_text(p, f->line ? line : ")");
        }
    }
    intern_string(p, perfetto_stack_iid(number), p->text.n ? p->text.v : "", p->text.n);
}

static void intern_store_text(struct perfetto *p, uint32_t text)
{
    const char *s = stack_store_text_of(p->t.stacks, text);
    if (SAID(p, said_store, text, SAID_STRING))
        return;
    perfetto_intern(p, INTERNED_FUNCTION, (uint64_t)text + 1, s, strlen(s));
    perfetto_intern(p, INTERNED_SOURCE, (uint64_t)text + 1, s, strlen(s));
}

static void intern_frame(struct perfetto *p, uint32_t number)
{
    const struct stored_frame *f = &p->t.stacks->frames.v[number];
    if (SAID(p, said_frames, number, SAID_STRING))
        return;
    intern_store_text(p, f->function);
    intern_store_text(p, f->file);
    size_t frame = protobuf_open(&p->packet, INTERNED_FRAME);
    protobuf_number(&p->packet, 1, (uint64_t)number + 1);
    protobuf_number(&p->packet, FRAME_FUNCTION, (uint64_t)f->function + 1);
    protobuf_number(&p->packet, FRAME_MAPPING, 1);
    protobuf_number(&p->packet, FRAME_PC, f->pc);
    protobuf_number(&p->packet, FRAME_SOURCE, (uint64_t)f->file + 1);
    protobuf_number(&p->packet, FRAME_LINE, f->line > UINT32_MAX ? 0 : f->line);
    protobuf_close(&p->packet, frame);
}

void perfetto_need_stack(struct perfetto *p, uint32_t number)
{
    const struct stack_store *s = p->t.stacks;
    const struct stored_stack *stack = &s->stacks.v[number];
    if (!number || SAID(p, said_stacks, number, SAID_STACK))
        return;
    size_t data, from = interned(p, &data);
    for (size_t i = 0; i < stack->n; i++)
        intern_frame(p, stack_store_frame(s, stack, i));
    size_t entry = protobuf_open(&p->packet, INTERNED_STACK);
    protobuf_number(&p->packet, 1, (uint64_t)number);
    for (size_t i = stack->n; i-- > 0;)
        protobuf_number(&p->packet, 2, (uint64_t)stack_store_frame(s, stack, i) + 1);
    protobuf_close(&p->packet, entry);
    protobuf_close(&p->packet, data);
    perfetto_packet_done(p, from);
}

void perfetto_free(struct perfetto *p)
{
    timeline_free(&p->t);
    VEC_FREE(&p->packet.bytes);
    VEC_FREE(&p->text);
    VEC_FREE(&p->said_texts);
    VEC_FREE(&p->said_stacks);
    VEC_FREE(&p->said_frames);
    VEC_FREE(&p->said_store);
}
