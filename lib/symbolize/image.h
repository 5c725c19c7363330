/* An ELF file in memory (64 bit, little endian): its sections and build-id. No offset in it is trusted. */
#ifndef THRACE_LIB_SYMBOLIZE_IMAGE_H
#define THRACE_LIB_SYMBOLIZE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/symbolize/section.h"

struct image {
    const uint8_t *bytes;
    size_t len;
    bool mapped; /* bytes is a mapping of ours */
    uint16_t machine;
    struct section *sections;
    size_t nsections;
    const uint8_t *build_id;
    size_t build_id_len;
    uint64_t unpacked_total;
};

enum image_status { IMAGE_OK, IMAGE_UNREADABLE /* errno says why */, IMAGE_NOT_ELF, IMAGE_TOO_LARGE, IMAGE_NO_MEMORY };

enum image_status image_open(struct image *, const char *path);

/* How a file was found, or that it was not there (all 0). */
struct image_opened {
    struct {
        uint64_t dev, ino, size, mtime, mtime_ns, ctime, ctime_ns;
    } state;
    char path[512];
};

/* What image_open() was asked for, in a process that wants to know: the cache. */
enum { IMAGE_LOG_MAX = 64 };
struct image_log {
    struct image_opened v[IMAGE_LOG_MAX];
    size_t n;
    bool overflow; /* more than that, or too long a path */
};

/* From now on; NULL: no longer. */
void image_log_to(struct image_log *);
void image_look_at(const char *path, struct image_opened *);

/* The bytes must outlive the image. */
enum image_status image_parse(struct image *, const void *bytes, size_t len);
void image_close(struct image *);

/* The first section of this name, or NULL. */
struct section *image_section(const struct image *, const char *name);

/* A section's contents, decompressed when they are compressed; NULL when there are none or they are not readable. */
const uint8_t *image_contents(struct image *, struct section *, size_t *len);

/* The bytes of a section at an address of the module, up to its end; NULL when none holds it. */
const uint8_t *image_at(const struct image *, uint64_t addr, size_t *left);

bool image_has_build_id(const struct image *, const uint8_t *id, size_t len);

/* Whether .debug_info is there, in any of its spellings. */
bool image_has_dwarf(const struct image *);

#endif
