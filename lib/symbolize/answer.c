#include "config.h"

#include "lib/symbolize/answer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct header {
    uint64_t string_bytes, nframes, npcs;
    uint32_t message, advice;
};

bool answer_init(struct answer *a, size_t npcs)
{
    *a = (struct answer){.npcs = npcs};
    a->pcs = calloc(npcs ? npcs : 1, sizeof *a->pcs);
    if (!strings_init(&a->strings) || !a->pcs) {
        answer_free(a);
        a->failed = true;
        return false;
    }
    return true;
}

void answer_free(struct answer *a)
{
    strings_free(&a->strings);
    free(a->frames);
    free(a->pcs);
    *a = (struct answer){0};
}

size_t answer_first_pc(const uint64_t *pcs, size_t npcs, uint64_t addr)
{
    size_t a = 0, b = npcs;
    while (a < b) {
        size_t m = a + (b - a) / 2;
        if (pcs[m] < addr)
            a = m + 1;
        else
            b = m;
    }
    return a;
}

void answer_add(struct answer *a, size_t pc, struct answer_frame f)
{
    if (a->nframes == a->frames_cap) {
        size_t cap = a->frames_cap ? a->frames_cap * 2 : a->npcs * 2 + 16;
        struct answer_frame *frames = cap < UINT32_MAX ? realloc(a->frames, cap * sizeof *frames) : NULL;
        if (!frames) {
            a->failed = true;
            return;
        }
        a->frames = frames;
        a->frames_cap = cap;
    }
    if (!a->pcs[pc].n)
        a->pcs[pc].first = (uint32_t)a->nframes;
    a->pcs[pc].n++;
    a->frames[a->nframes++] = f;
}

void answer_say(struct answer *a, enum symbolize_advice advice, const char *fmt, ...)
{
    if (a->message)
        return;
    char text[4096 + 512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = '?';
    a->message = strings_add(&a->strings, text, strlen(text));
    a->advice = advice;
}

static bool write_all(int fd, const void *data, size_t len)
{
    const char *p = data;
    while (len) {
        ssize_t n = write(fd, p, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        p += n;
        len -= (size_t)n;
    }
    return true;
}

bool answer_write(const struct answer *a, int fd)
{
    struct header h = {.string_bytes = a->strings.len, .nframes = a->nframes, .npcs = a->npcs,
                       .message = a->message, .advice = a->advice};
    return !a->failed && !a->strings.failed && write_all(fd, &h, sizeof h) &&
           write_all(fd, a->strings.bytes, a->strings.len) &&
           write_all(fd, a->frames, a->nframes * sizeof *a->frames) &&
           write_all(fd, a->pcs, a->npcs * sizeof *a->pcs);
}

static bool parse_strings(struct answer *a, const char *p, size_t len)
{
    if (!len || p[len - 1] || p[0])
        return false;
    for (const char *end = p + len, *s = p + 1; s < end; s += strlen(s) + 1)
        if (strings_add(&a->strings, s, (size_t)(end - s)) != a->strings.n - 1)
            return false;
    return !a->strings.failed;
}

static bool parse_frames(struct answer *a, const uint8_t *frames, const uint8_t *pcs)
{
    a->frames = malloc((a->frames_cap + 1) * sizeof *a->frames);
    if (!a->frames)
        return false;
    a->nframes = a->frames_cap;
    memcpy(a->frames, frames, a->nframes * sizeof *a->frames);
    memcpy(a->pcs, pcs, a->npcs * sizeof *a->pcs);
    for (size_t i = 0; i < a->nframes; i++)
        if (a->frames[i].function >= a->strings.n || a->frames[i].file >= a->strings.n)
            return false;
    for (size_t i = 0; i < a->npcs; i++)
        if (a->pcs[i].first > a->nframes || a->pcs[i].n > a->nframes - a->pcs[i].first)
            return false;
    return true;
}

bool answer_parse(struct answer *a, size_t npcs, const uint8_t *data, size_t len)
{
    struct header h;
    *a = (struct answer){0};
    if (len < sizeof h)
        return false;
    memcpy(&h, data, sizeof h);
    data += sizeof h;
    len -= sizeof h;
    uint64_t pcs_bytes = npcs * sizeof(struct answer_pc);
    if (h.npcs != npcs || h.string_bytes > len || pcs_bytes > len - h.string_bytes ||
        h.nframes != (len - h.string_bytes - pcs_bytes) / sizeof(struct answer_frame) || h.nframes > UINT32_MAX ||
        h.advice > SYMBOLIZE_BAD_DEBUG_INFO || !answer_init(a, npcs))
        return false;
    const uint8_t *frames = data + h.string_bytes;
    a->frames_cap = h.nframes;
    a->message = h.message;
    a->advice = (enum symbolize_advice)h.advice;
    if (parse_strings(a, (const char *)data, h.string_bytes) &&
        parse_frames(a, frames, frames + h.nframes * sizeof(struct answer_frame)) && h.message < a->strings.n)
        return true;
    answer_free(a);
    return false;
}
