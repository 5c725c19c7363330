/* Data of a page: one gzip stream, which browsers take apart by themselves; inside of the page as base64. */
#ifndef THRACE_CMD_VIEW_PACK_H
#define THRACE_CMD_VIEW_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct pack;

/* NULL, with *why set: memory is short, or there is no zlib. */
struct pack *pack_new(FILE *to, bool base64, const char **why);

/* What cannot be written is the stream's to tell, by ferror(). */
void pack_put(struct pack *p, const void *data, size_t size);

/* Ends the stream, and frees it; NULL is fine. Returns whether all is in it. */
bool pack_end(struct pack *p);

#endif
