#include "config.h"

#include "cmd/view/pack.h"

#if HAVE_ZLIB

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

enum {
    GZIP = 16, /* added to the bits of the window */
    LEVEL = 1, /* with 2 a page would be 6 % smaller, and take 6 % longer to make */
    LINE = 3 * 4096,
};

struct pack {
    FILE *to;
    z_stream z;
    bool base64, failed;
    size_t n; /* in line */
    uint8_t line[LINE];
    uint8_t deflated[1 << 16];
};

struct pack *pack_new(FILE *to, bool base64, const char **why)
{
    struct pack *p = malloc(sizeof *p);
    *why = "out of memory";
    if (!p)
        return NULL;
    p->to = to;
    p->z = (z_stream){.next_in = NULL};
    p->base64 = base64;
    p->failed = false;
    p->n = 0;
    if (deflateInit2(&p->z, LEVEL, Z_DEFLATED, MAX_WBITS + GZIP, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK)
        return p;
    free(p);
    return NULL;
}

/* A line; only the last one has a length that three does not divide. */
static void put_line(struct pack *p)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[LINE / 3 * 4 + 1], *t = text;
    size_t i = 0;
    for (; i < p->n; i += 3) {
        size_t left = p->n - i;
        uint32_t v = (uint32_t)p->line[i] << 16 | (left > 1 ? (uint32_t)p->line[i + 1] << 8 : 0) |
                     (left > 2 ? p->line[i + 2] : 0);
        *t++ = digits[v >> 18];
        *t++ = digits[v >> 12 & 63];
        *t++ = left > 1 ? digits[v >> 6 & 63] : '=';
        *t++ = left > 2 ? digits[v & 63] : '=';
    }
    *t++ = '\n';
    fwrite(text, 1, (size_t)(t - text), p->to);
    p->n = 0;
}

static void put_deflated(struct pack *p, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        p->line[p->n++] = data[i];
        if (p->n == LINE)
            put_line(p);
    }
}

static void run(struct pack *p, int flush)
{
    int result;
    do {
        p->z.next_out = p->deflated;
        p->z.avail_out = sizeof p->deflated;
        result = deflate(&p->z, flush);
        size_t size = sizeof p->deflated - p->z.avail_out;
        if (p->base64)
            put_deflated(p, p->deflated, size);
        else
            fwrite(p->deflated, 1, size, p->to);
    } while (result == Z_OK && !p->z.avail_out);
    p->failed |= result == Z_STREAM_ERROR || (flush == Z_FINISH && result != Z_STREAM_END);
}

void pack_put(struct pack *p, const void *data, size_t size)
{
    const uint8_t *from = data;
    while (size && !p->failed) {
        uInt n = size < UINT_MAX ? (uInt)size : UINT_MAX;
        p->z.next_in = (Bytef *)from;
        p->z.avail_in = n;
        run(p, Z_NO_FLUSH);
        from += n;
        size -= n;
    }
}

bool pack_end(struct pack *p)
{
    if (!p)
        return true;
    p->z.avail_in = 0;
    run(p, Z_FINISH);
    if (p->base64)
        put_line(p);
    deflateEnd(&p->z);
    bool ok = !p->failed;
    free(p);
    return ok;
}

#else

struct pack *pack_new(FILE *to, bool base64, const char **why)
{
    (void)to, (void)base64;
    *why = "thrace was built without zlib, which pages need";
    return NULL;
}

void pack_put(struct pack *p, const void *data, size_t size) { (void)p, (void)data, (void)size; }
bool pack_end(struct pack *p) { return !p; }

#endif
