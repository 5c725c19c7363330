/* Text that grows, and a string in Go's double quotes. */
#ifndef THRACE_PARSER_GOQUOTE_H
#define THRACE_PARSER_GOQUOTE_H

#include "gotrace/reader.h"
#include "parser/vec.h"

struct out {
    char *v;
    size_t n, cap;
    bool failed; /* out of memory: the text is incomplete */
};

/* Room for n more bytes, at v + n; NULL: out of memory. */
char *out_room(struct out *o, size_t n);

void out_bytes(struct out *o, const char *s, size_t n);
void out_str(struct out *o, const char *s);
void out_u64(struct out *o, uint64_t v);
void out_i64(struct out *o, int64_t v);
void out_hex(struct out *o, uint64_t v);

/* The string as Go's %q shows it. */
void out_quoted(struct out *o, struct gotrace_str s);

#endif
