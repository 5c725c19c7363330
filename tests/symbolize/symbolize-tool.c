/*
 * symbolize-tool [-m] [-r DEBUG-ROOT] ELF <ADDRESSES: prints functions and lines as addr2line -i -f -C does, so that the
 * two can be compared. -m: messages on stderr.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/symbolize/symbolize.h"

int main(int argc, char **argv)
{
    struct symbolizer *s = symbolize_new();
    int messages = 0;
    for (int c; (c = getopt(argc, argv, "mr:")) != -1;) {
        if (c == 'm')
            messages = 1;
        else if (c != 'r' || symbolize_set_debug_root(s, optarg))
            return 2;
    }
    if (optind + 1 != argc)
        return 2;
    struct symbolize_module m = {.kind = SYMBOLIZE_FILE, .path = argv[optind]};
    int module = symbolize_add_module(s, &m);
    char line[64];
    int64_t n = 0;
    while (fgets(line, sizeof line, stdin))
        n = symbolize_add_pc(s, module, strtoull(line, NULL, 16) + 1) + 1;
    if (symbolize_run(s))
        return 1;
    for (int64_t pc = 0; pc < n; pc++) {
        size_t depth;
        const struct symbolize_frame *f = symbolize_frames(s, pc, &depth);
        for (size_t i = 0; i < depth; i++)
            printf("%s\n%s:%" PRIu32 "\n", f[i].function, f[i].file, f[i].line);
    }
    const struct symbolize_message *said;
    for (size_t i = 0; messages && (said = symbolize_message(s, i)); i++)
        fprintf(stderr, "%s\n", said->text);
    symbolize_free(s);
    return 0;
}
