/* Where the debug info of a stripped file may be: by build-id, by .gnu_debuglink, and dwz's common file. */
#ifndef THRACE_LIB_SYMBOLIZE_DEBUGFILE_H
#define THRACE_LIB_SYMBOLIZE_DEBUGFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/symbolize/image.h"

enum { DEBUGFILE_PATH = 4096 };

#define DEBUGFILE_ROOT "/usr/lib/debug"

struct debugfile {
    struct image image;
    char path[DEBUGFILE_PATH];
    enum image_status refused; /* IMAGE_TOO_LARGE when a file was there but not opened for that reason */
};

/* Opens the separate debug file of the image that was read from path. Only one that proves to belong to it counts. */
bool debugfile_find(struct debugfile *, const struct image *, const char *path, const char *root);

/* Opens the common file that dwz moved shared DWARF to, as the image at path names it. */
bool debugfile_find_alt(struct debugfile *, struct image *, const char *path, const char *root);

/* Whether the image says that there is one. */
bool debugfile_wants_alt(const struct image *);

#endif
