/* Writes a tree as a picture that any browser shows, and that can be zoomed and searched (flame.js). */
#ifndef THRACE_CMD_EXPORT_FLAME_SVG_H
#define THRACE_CMD_EXPORT_FLAME_SVG_H

#include <stdio.h>

#include "cmd/export/flame_tree.h"

struct flame_look {
    const char *title, *name; /* "title: name" stands above */
    bool is_part;             /* of an HTML page */
    const void *arg;
    void (*put_amount)(const void *arg, const struct flame_node *f, FILE *to); /* behind the name of the frame */
    void (*put_color)(const void *arg, const struct flame_node *f, FILE *to);
};

/* Returns how many frames are left out, as they would be too narrow. */
uint64_t flame_svg_put(const struct flame_tree *t, const struct flame_look *look, FILE *to);

/* For XML and HTML. The text has no control characters. */
void flame_svg_text(const char *text, FILE *to);

#endif
