#include "config.h"

#include "cmd/export/heap_in_trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gotrace/raw.h"
#include "lib/wire/events.h"

/* "thrace heap.pb.gz NUMBER/OF BASE64": readers take strings of up to 1 KiB. */
#define MARK "thrace heap.pb.gz "
enum { PIECE = 720, TEXT_MAX = 1024, MAX_PIECES = 1 << 17 };

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static size_t encode(const uint8_t *data, size_t size, char *text)
{
    size_t n = 0;
    for (size_t i = 0; i < size; i += 3) {
        size_t rest = size - i;
        uint32_t v = (uint32_t)data[i] << 16 | (rest > 1 ? (uint32_t)data[i + 1] << 8 : 0) |
                     (rest > 2 ? data[i + 2] : 0);
        text[n++] = digits[v >> 18];
        text[n++] = digits[v >> 12 & 63];
        text[n++] = rest > 1 ? digits[v >> 6 & 63] : '=';
        text[n++] = rest > 2 ? digits[v & 63] : '=';
    }
    return n;
}

/* The number of bytes, or -1 when it is no such text. */
static int decode(const char *text, size_t len, uint8_t *data)
{
    int n = 0;
    if (len % 4)
        return -1;
    for (size_t i = 0; i < len; i += 4) {
        uint32_t v = 0;
        int padding = 0;
        for (size_t j = 0; j < 4; j++) {
            const char *digit = text[i + j] ? memchr(digits, text[i + j], sizeof digits - 1) : NULL;
            if (!digit && (text[i + j] != '=' || i + 4 < len || j < 2))
                return -1;
            padding += !digit;
            v = v << 6 | (digit ? (uint32_t)(digit - digits) : 0);
        }
        data[n++] = (uint8_t)(v >> 16);
        data[n++] = (uint8_t)(v >> 8);
        data[n++] = (uint8_t)v;
        n -= padding;
    }
    return n;
}

int heap_in_trace_write(struct gotrace_builder *b, const void *profile, size_t size)
{
    size_t of = (size + PIECE - 1) / PIECE;
    for (size_t i = 0; i < of && of <= MAX_PIECES; i++) {
        char text[TEXT_MAX];
        size_t rest = size - i * PIECE;
        int n = snprintf(text, sizeof text, MARK "%zu/%zu ", i, of);
        n += (int)encode((const uint8_t *)profile + i * PIECE, rest < PIECE ? rest : PIECE, text + n);
        if (!gotrace_builder_string(b, text, (size_t)n))
            return -1;
    }
    return 0;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* False: not a piece of the profile that the others are of, or out of memory. */
static bool take(struct heap_pieces *p, const char *text, size_t len)
{
    char head[64];
    size_t i, of, n = len < sizeof head - 1 ? len : sizeof head - 1;
    int skip = 0;
    memcpy(head, text, n);
    head[n] = 0;
    if (sscanf(head, MARK "%zu/%zu %n", &i, &of, &skip) != 2 || !skip || i >= of || of > MAX_PIECES)
        return false;
    if (!p->of) {
        p->of = of;
        p->data = malloc(of * PIECE + TEXT_MAX);
        p->there = calloc(of, sizeof *p->there);
    }
    if (!p->data || !p->there || of != p->of || p->there[i] || len - (size_t)skip > PIECE / 3 * 4)
        return false;
    int size = decode(text + skip, len - (size_t)skip, p->data + i * PIECE);
    if (size <= 0 || (i + 1 < of && size != PIECE))
        return false;
    p->there[i] = true;
    p->found++;
    p->size += (size_t)size;
    return true;
}

void heap_pieces_take(struct heap_pieces *p, const char *text, size_t len)
{
    if (len > strlen(MARK) && !memcmp(text, MARK, strlen(MARK)) && !p->damaged)
        p->damaged = !take(p, text, len);
}

bool heap_pieces_complete(const struct heap_pieces *p) { return !p->damaged && p->found == p->of; }

void heap_pieces_free(struct heap_pieces *p)
{
    free(p->there);
    free(p->data);
    *p = (struct heap_pieces){0};
}

void *heap_in_trace_read(FILE *trace, size_t *size, const char **error, int *invalid)
{
    static char text[256];
    struct gotrace_raw_event ev;
    struct heap_pieces p = {0};
    void *profile = NULL;
    int more = 0;
    struct gotrace_raw_reader *r = gotrace_raw_reader_open_file(GOTRACE_RAW_BYTES, trace);
    *error = NULL;
    *invalid = *size = 0;
    while (r && !p.damaged && (more = gotrace_raw_reader_next(r, &ev)) > 0)
        if (ev.id == EV_String)
            heap_pieces_take(&p, (const char *)ev.data, ev.size);
    if (!r || more < 0) {
        const struct gotrace_error *e = r ? gotrace_raw_reader_error(r) : NULL;
        snprintf(text, sizeof text, "%s", e ? e->message : "out of memory");
        *error = text;
        *invalid = e && !e->sys_errno;
    } else if (!heap_pieces_complete(&p)) {
        *error = "the heap profile in the trace is damaged";
        *invalid = 1;
    }
    gotrace_raw_reader_free(r);
    if (!*error && p.of) {
        *size = p.size;
        profile = p.data;
        p.data = NULL;
    }
    heap_pieces_free(&p);
    return profile;
}
