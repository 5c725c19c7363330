/*
 * Every trace of the corpus, cut off after every byte; and with each integer of each event in turn as large as it can
 * be, and just too large to be a negative one. Nothing but a clear end may come of it.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "parser/raw_buffer.h"
#include "tests/fuzz/each-input.h"
#include "tests/fuzz/fuzz.h"

enum { LONGEST = 700 }; /* bytes of a trace, characters of a text: larger ones show the same, and take long */

static int cut_everywhere(const uint8_t *data, size_t size)
{
    for (size_t n = 0; size <= LONGEST && n < size; n++)
        fuzz_read_trace(data, n);
    return 0;
}

static int every_integer(const uint8_t *data, size_t size)
{
    static const char *const extremes[] = {"18446744073709551615", "9223372036854775808"};
    for (size_t i = 0; size <= 2 * LONGEST && i + 1 < size; i++) {
        size_t end = i + 1;
        while (data[i] == '=' && end < size && data[end] >= '0' && data[end] <= '9')
            end++;
        for (size_t e = 0; end > i + 1 && e < sizeof extremes / sizeof extremes[0]; e++) {
            struct raw_buffer text = {0};
            raw_buffer_add(&text, data, i + 1);
            raw_buffer_add_text(&text, extremes[e]);
            raw_buffer_add(&text, data + end, size - end);
            if (!text.failed)
                LLVMFuzzerTestOneInput(text.at, text.size);
            raw_buffer_free(&text);
        }
    }
    return 0;
}

int main(void)
{
    puts("1..2");
    printf("ok 1 - cut after every byte: %d traces\n", corpus_run("binary", cut_everywhere));
    printf("ok 2 - every integer at its extremes: %d traces\n", corpus_run("text", every_integer));
    return 0;
}
