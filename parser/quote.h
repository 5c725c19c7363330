/* Go's quoted strings, both ways, byte for byte as strconv.Quote and strconv.Unquote do it. */
#ifndef THRACE_PARSER_QUOTE_H
#define THRACE_PARSER_QUOTE_H

#include <stdbool.h>

#include "parser/raw_buffer.h"

/* Appends data, quoted, to out. */
void go_quote(struct raw_buffer *out, const uint8_t *data, size_t size);

/*
 * Appends to out what the literal at the start of [p, end) stands for: "…", `…` or '…'. Returns the byte after the
 * literal, or NULL when there is none that is well formed.
 */
const uint8_t *go_unquote(struct raw_buffer *out, const uint8_t *p, const uint8_t *end);

/* Whether rune is white space to Go's unicode.IsSpace. */
bool go_is_space(uint32_t rune);

#endif
