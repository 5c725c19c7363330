/* Any bytes as a trace, of v1 or of v2. */
#include "tests/fuzz/fuzz.h"

const char *const fuzz_corpora[] = {"binary", "v1", NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_read_trace(data, size);
    return 0;
}
