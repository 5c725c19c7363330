/* Without libFuzzer: runs the target over its corpora, a test each, or over the files that it is given. */
#include "config.h"

#include <stdio.h>

#include "tests/fuzz/each-input.h"
#include "tests/fuzz/fuzz.h"

int main(int argc, char **argv)
{
    int n = 0;
    for (int i = 1; i < argc; i++)
        corpus_run_file(argv[i], LLVMFuzzerTestOneInput);
    for (; argc == 1 && fuzz_corpora[n]; n++) {
        int files = corpus_run(fuzz_corpora[n], LLVMFuzzerTestOneInput);
        printf("ok %d - %s: %d inputs\n", n + 1, fuzz_corpora[n], files);
    }
    if (argc == 1 && !n)
        fuzz_fail("no corpora");
    printf("1..%d\n", n);
    return 0;
}
