/* Texts with numbers as JSON has them: each is escaped once, for all times that it comes. */
#ifndef THRACE_CMD_EXPORT_JSON_TEXTS_H
#define THRACE_CMD_EXPORT_JSON_TEXTS_H

#include <stdbool.h>

#include "gotrace/gotrace.h"
#include "parser/vec.h"

/* All fields begin as 0. */
struct json_texts {
    VEC(char) bytes;
    VEC(struct json_text_place {
        size_t at;
        size_t len; /* 0: not escaped so far, or there is nothing */
    }) places;      /* by the number of the text */
    bool failed;    /* memory is short */
};

/* The text of that number without quotes, until the next call. */
struct gotrace_str json_texts_get(struct json_texts *t, uint32_t number, const char *text);
void json_texts_free(struct json_texts *t);

#endif
