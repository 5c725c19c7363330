#include "lib/options/spelling.h"

#include <string.h>

enum { WORD_MAX = 40, LEAST_PREFIX = 3, PREFIX_DISTANCE = 2 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* The number of letters left out, put in, mistaken or swapped with the next one, for words up to WORD_MAX. */
static size_t mistakes(const char *a, size_t m, const char *b, size_t n)
{
    size_t rows[3][WORD_MAX + 1];
    for (size_t j = 0; j <= n; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            row[j] = least(above[j - 1] + (a[i - 1] != b[j - 1]), least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return rows[m % 3][n];
}

void spelling_try(struct spelling *s, const char *word)
{
    size_t m = s->given.len, n = strlen(word), shorter = least(m, n);
    if (m > WORD_MAX || n > WORD_MAX || !m)
        return;
    size_t distance = mistakes(s->given.text, m, word, n);
    bool begins = shorter >= LEAST_PREFIX && !memcmp(s->given.text, word, shorter);
    if (distance > (m + 2) / 4) { /* a word of four letters may have one mistake, of six two */
        if (!begins)
            return;
        distance = PREFIX_DISTANCE;
    }
    if (s->nearest && (distance > s->distance || (distance == s->distance && !begins)))
        return;
    s->nearest = word;
    s->distance = distance;
}
