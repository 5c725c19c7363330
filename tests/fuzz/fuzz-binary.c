/* Any bytes as a trace. */
#include "tests/fuzz/fuzz.h"

const char *const fuzz_corpora[] = {"binary", NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_read_trace(data, size);
    return 0;
}
