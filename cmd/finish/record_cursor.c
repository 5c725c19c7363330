#include "config.h"

#include "cmd/finish/record_cursor.h"

#include "lib/meta.h"

void record_skip(struct cursor *c)
{
    static const char *const formats[] = META_FORMATS;
    uint8_t tag = *c->p++;
    size_t len;
    if (tag >= sizeof formats / sizeof formats[0] || !formats[tag]) {
        c->p = NULL;
        return;
    }
    for (const char *f = formats[tag]; *f; f++) {
        if (*f == 't')
            get_text(c, &len);
        else if (*f == 'i')
            get_int(c);
        else
            for (uint64_t n = get_int(c); n && c->p; n--)
                get_int(c);
    }
}
