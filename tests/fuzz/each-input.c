#include "config.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "parser/raw_buffer.h"
#include "tests/fuzz/each-input.h"
#include "tests/fuzz/fuzz.h"

void corpus_run_file(const char *path, corpus_fn *fn)
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
    fn(input.at, input.size);
    raw_buffer_free(&input);
}

int corpus_run(const char *folder, corpus_fn *fn)
{
    const char *top = getenv("top_srcdir");
    char path[4096];
    struct dirent **entries;
    snprintf(path, sizeof path, "%s/tests/fuzz/corpus/%s", top ? top : ".", folder);
    int n = scandir(path, &entries, NULL, alphasort), files = 0;
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;
        if (name[0] != '.') {
            snprintf(path, sizeof path, "%s/tests/fuzz/corpus/%s/%s", top ? top : ".", folder, name);
            corpus_run_file(path, fn);
            files++;
        }
        free(entries[i]);
    }
    if (!files)
        fuzz_fail("no corpus in %s", path);
    free(entries);
    return files;
}
