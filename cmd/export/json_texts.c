#include "cmd/export/json_texts.h"

#include <string.h>

#include "cmd/export/json.h"

static bool add(struct json_texts *t, uint32_t number, const char *text)
{
    const char *end = text + strlen(text);
    size_t at = t->bytes.n;
    char piece[JSON_PIECE];
    while (t->places.n <= number)
        if (VEC_ROOM(&t->places))
            t->places.v[t->places.n++] = (struct json_text_place){0, 0};
        else
            return false;
    while (text < end) {
        size_t n = json_piece(&text, end, piece);
        for (size_t i = 0; i < n; i++)
            if (VEC_ROOM(&t->bytes))
                t->bytes.v[t->bytes.n++] = piece[i];
            else
                return false;
    }
    t->places.v[number] = (struct json_text_place){at, t->bytes.n - at};
    return true;
}

struct gotrace_str json_texts_get(struct json_texts *t, uint32_t number, const char *text)
{
    bool known = number < t->places.n && t->places.v[number].len;
    if (!known && *text)
        t->failed |= !(known = add(t, number, text));
    if (!known)
        return (struct gotrace_str){"", 0};
    return (struct gotrace_str){t->bytes.v + t->places.v[number].at, t->places.v[number].len};
}

void json_texts_free(struct json_texts *t)
{
    VEC_FREE(&t->bytes);
    VEC_FREE(&t->places);
}
