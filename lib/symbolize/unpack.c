#include "config.h"

#include "lib/symbolize/unpack.h"

#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif
#ifdef HAVE_LZMA
#include <lzma.h>
#endif

#define ZDEBUG_MAGIC "ZLIB"
enum { ZDEBUG_HEADER = 12, CH_ZSTD = 2 /* ELFCOMPRESS_ZSTD, newer than this glibc's elf.h */ };

enum packing packing_of(const struct section *s)
{
    if (s->flags & SHF_COMPRESSED)
        return PACKED_SHF;
    if (!strncmp(s->name, ".zdebug_", 8) && s->len > ZDEBUG_HEADER && !memcmp(s->data, ZDEBUG_MAGIC, 4))
        return PACKED_ZDEBUG;
    return PACKED_NOT;
}

static bool inflate_into(uint8_t *out, size_t size, const uint8_t *in, size_t len)
{
#ifdef HAVE_ZLIB
    uLongf got = size;
    return uncompress(out, &got, in, len) == Z_OK && got == size;
#else
    return false;
#endif
}

static bool unzstd_into(uint8_t *out, size_t size, const uint8_t *in, size_t len)
{
#ifdef HAVE_ZSTD
    return ZSTD_decompress(out, size, in, len) == size;
#else
    return false;
#endif
}

uint8_t *unpack(const struct section *s, enum packing packing, uint64_t limit, size_t *len)
{
    const uint8_t *in = s->data;
    size_t in_len = s->len;
    uint64_t size = 0;
    uint32_t type = ELFCOMPRESS_ZLIB;
    if (packing == PACKED_ZDEBUG) {
        for (int i = 4; i < ZDEBUG_HEADER; i++)
            size = size << 8 | in[i];
        in += ZDEBUG_HEADER;
        in_len -= ZDEBUG_HEADER;
    } else {
        Elf64_Chdr ch;
        if (in_len < sizeof ch)
            return NULL;
        memcpy(&ch, in, sizeof ch);
        size = ch.ch_size;
        type = ch.ch_type;
        in += sizeof ch;
        in_len -= sizeof ch;
    }
    if (!size || size > limit)
        return NULL;
    uint8_t *out = malloc(size);
    if (out && (type == ELFCOMPRESS_ZLIB ? inflate_into(out, size, in, in_len)
                                         : type == CH_ZSTD && unzstd_into(out, size, in, in_len))) {
        *len = size;
        return out;
    }
    free(out);
    return NULL;
}

uint8_t *unpack_xz(const uint8_t *data, size_t len, size_t limit, size_t *out_len)
{
#ifdef HAVE_LZMA
    size_t in_pos = 0, out_pos = 0, size = len * 4 + 4096;
    uint8_t *out = NULL;
    lzma_stream stream = LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&stream, limit, 0) != LZMA_OK)
        return NULL;
    lzma_ret ret = LZMA_OK;
    while (ret == LZMA_OK) {
        if (size > limit)
            size = limit;
        uint8_t *grown = size > out_pos ? realloc(out, size) : NULL;
        if (!grown)
            break;
        out = grown;
        stream.next_in = data + in_pos;
        stream.avail_in = len - in_pos;
        stream.next_out = out + out_pos;
        stream.avail_out = size - out_pos;
        ret = lzma_code(&stream, LZMA_FINISH);
        in_pos = len - stream.avail_in;
        out_pos = size - stream.avail_out;
        if (ret == LZMA_OK && stream.avail_out)
            break;
        size *= 2;
    }
    lzma_end(&stream);
    if (ret == LZMA_STREAM_END && out_pos) {
        *out_len = out_pos;
        return out;
    }
    free(out);
#endif
    return NULL;
}
