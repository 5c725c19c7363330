/*
 * Without libFuzzer: runs the target over its corpora, a test each, or over the files that it is given. An input that
 * ends the program is the one named last.
 */
#include "config.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parser/raw_buffer.h"
#include "tests/fuzz/fuzz.h"

static void run_file(const char *path)
{
    printf("# %s\n", path);
    fflush(stdout);
    struct raw_buffer input = {0};
    FILE *file = fopen(path, "r");
    if (!file)
        fuzz_fail("cannot open %s", path);
    for (size_t n = 1; n;) {
        uint8_t *room = raw_buffer_reserve(&input, 4096);
        n = room ? fread(room, 1, 4096, file) : 0;
        input.size += n;
    }
    fclose(file);
    LLVMFuzzerTestOneInput(input.at ? input.at : (const uint8_t *)"", input.size);
    raw_buffer_free(&input);
}

static void run_folder(int number, const char *folder)
{
    const char *top = getenv("top_srcdir");
    char path[4096];
    struct dirent **entries;
    snprintf(path, sizeof path, "%s/tests/fuzz/corpus/%s", top ? top : ".", folder);
    int n = scandir(path, &entries, NULL, alphasort);
    if (n <= 2)
        fuzz_fail("no corpus in %s", path);
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;
        if (name[0] != '.') {
            snprintf(path, sizeof path, "%s/tests/fuzz/corpus/%s/%s", top ? top : ".", folder, name);
            run_file(path);
        }
        free(entries[i]);
    }
    free(entries);
    printf("ok %d - %s: %d inputs\n", number, folder, n - 2);
}

int main(int argc, char **argv)
{
    int n = 0;
    for (int i = 1; i < argc; i++)
        run_file(argv[i]);
    for (; argc == 1 && fuzz_corpora[n]; n++)
        run_folder(n + 1, fuzz_corpora[n]);
    printf("1..%d\n", n);
    return 0;
}
