/* Any bytes as the symbol table of a Go program: what is found is in the table, and ends there. */
#include "config.h"

#include <string.h>

#include "lib/symbolize/go_table.h"
#include "tests/fuzz/fuzz.h"

const char *const fuzz_corpora[] = {"go-table", NULL};

static void check_string(const struct go_table *t, const char *s)
{
    const uint8_t *p = (const uint8_t *)s;
    if (p < t->data || p >= t->data + t->size || !*p || !memchr(p, 0, (size_t)(t->data + t->size - p)))
        fuzz_fail("a string that is not in the table");
}

static void look_up(struct go_table *t, uint64_t pc)
{
    struct go_line line;
    if (!go_table_find(t, pc, &line))
        return;
    check_string(t, line.function);
    if (line.file)
        check_string(t, line.file);
    else if (line.line)
        fuzz_fail("a line without a file");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST = 200, HEADER = 8 };
    struct go_table t;
    if (go_table_open(&t, data, size) != GO_TABLE_OK)
        return 0;
    for (uint64_t i = 0; i < t.nfuncs && i < MOST; i++) {
        uint64_t pc = 0;
        memcpy(&pc, data + HEADER + (1 + 2 * i) * t.word, t.word);
        for (int step = -1; step < 40; step += 3)
            look_up(&t, pc + (uint64_t)step);
    }
    look_up(&t, UINT64_MAX);
    return 0;
}
