#include "config.h"

#include "lib/symbolize/debugfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_BUILD_ID = 3, MAX_BUILD_ID = 64 };

static uint32_t crc32_of(const uint8_t *p, size_t len)
{
    uint32_t table[256], crc = UINT32_MAX;
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] & 1 ? table[i] >> 1 ^ 0xedb88320 : table[i] >> 1;
    }
    for (size_t i = 0; i < len; i++)
        crc = crc >> 8 ^ table[(crc ^ p[i]) & 0xff];
    return ~crc;
}

/* Opens the candidate whose path was just printed, with the length that snprintf returned. */
static bool open_candidate(struct debugfile *f, int printed)
{
    if (printed < 0 || printed >= DEBUGFILE_PATH)
        return false;
    enum image_status status = image_open(&f->image, f->path);
    if (status == IMAGE_TOO_LARGE)
        f->refused = status;
    return status == IMAGE_OK;
}

static bool open_build_id(struct debugfile *f, const uint8_t *id, size_t len, const char *root)
{
    char hex[2 * MAX_BUILD_ID + 1];
    if (len < MIN_BUILD_ID || len > MAX_BUILD_ID)
        return false;
    for (size_t i = 0; i < len; i++)
        sprintf(hex + 2 * i, "%02x", id[i]);
    if (!open_candidate(f, snprintf(f->path, sizeof f->path, "%s/.build-id/%.2s/%s.debug", root, hex, hex + 2)))
        return false;
    if (image_has_build_id(&f->image, id, len))
        return true;
    image_close(&f->image);
    return false;
}

static bool belongs(const struct debugfile *f, const struct image *im, uint32_t crc)
{
    if (!image_has_dwarf(&f->image))
        return false;
    if (im->build_id_len && f->image.build_id_len)
        return image_has_build_id(&f->image, im->build_id, im->build_id_len);
    return crc32_of(f->image.bytes, f->image.len) == crc;
}

static bool open_debuglink(struct debugfile *f, const struct image *im, const char *path, const char *root)
{
    const struct section *s = image_section(im, ".gnu_debuglink");
    if (!s || !s->data)
        return false;
    const char *name = (const char *)s->data;
    size_t len = strnlen(name, s->len), crc_at = (len + 4) & ~(size_t)3;
    uint32_t crc;
    if (!len || crc_at > s->len || s->len - crc_at < sizeof crc)
        return false;
    memcpy(&crc, s->data + crc_at, sizeof crc);
    const char *slash = strrchr(path, '/');
    int dir = slash ? (int)(slash - path) : 1;
    const char *base = slash ? path : ".";
    for (int i = 0; i < 3; i++) {
        int n = i == 0   ? snprintf(f->path, sizeof f->path, "%.*s/%s", dir, base, name)
                : i == 1 ? snprintf(f->path, sizeof f->path, "%.*s/.debug/%s", dir, base, name)
                         : snprintf(f->path, sizeof f->path, "%s%.*s/%s", root, dir, base, name);
        if (!open_candidate(f, n))
            continue;
        if (belongs(f, im, crc))
            return true;
        image_close(&f->image);
    }
    return false;
}

bool debugfile_find(struct debugfile *f, const struct image *im, const char *path, const char *root)
{
    *f = (struct debugfile){.refused = IMAGE_OK};
    return open_build_id(f, im->build_id, im->build_id_len, root) || open_debuglink(f, im, path, root);
}

bool debugfile_wants_alt(const struct image *im) { return image_section(im, ".gnu_debugaltlink") != NULL; }

bool debugfile_find_alt(struct debugfile *f, struct image *im, const char *path, const char *root)
{
    *f = (struct debugfile){.refused = IMAGE_OK};
    struct section *s = image_section(im, ".gnu_debugaltlink");
    size_t len;
    const char *name = (const char *)image_contents(im, s, &len);
    size_t name_len = name ? strnlen(name, len) : 0;
    if (!name_len || name_len == len)
        return false;
    const uint8_t *id = (const uint8_t *)name + name_len + 1;
    size_t id_len = len - name_len - 1;
    const char *slash = strrchr(path, '/');
    int n = *name == '/' || !slash ? snprintf(f->path, sizeof f->path, "%s", name)
                                   : snprintf(f->path, sizeof f->path, "%.*s/%s", (int)(slash - path), path, name);
    if (open_candidate(f, n)) {
        if (image_has_build_id(&f->image, id, id_len))
            return true;
        image_close(&f->image);
    }
    return open_build_id(f, id, id_len, root);
}
