/*
 * symbolize-tool [-amo] [-c CACHE] [-r DEBUG-ROOT] ELF <ADDRESSES: prints functions and lines as addr2line -i -f -C
 * does, so that the two can be compared. -a: each address before its frames. -m: messages on stderr. -o: addresses are
 * those of objects; each gets one line, "-" when no variable holds it.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/symbolize/image.h"
#include "lib/symbolize/symbolize.h"

int main(int argc, char **argv)
{
    struct symbolizer *s = symbolize_new();
    int messages = 0, addresses = 0, objects = 0;
    for (int c; (c = getopt(argc, argv, "ac:mor:")) != -1;) {
        if (c == 'm')
            messages = 1;
        else if (c == 'a')
            addresses = 1;
        else if (c == 'o')
            objects = 1;
        else if (c == 'c' && !symbolize_set_cache(s, optarg))
            continue;
        else if (c != 'r' || symbolize_set_debug_root(s, optarg))
            return 2;
    }
    if (optind + 1 != argc)
        return 2;
    struct image image;
    struct symbolize_module m = {.kind = SYMBOLIZE_FILE, .path = argv[optind]};
    if (image_open(&image, m.path) == IMAGE_OK) {
        m.build_id = image.build_id;
        m.build_id_len = image.build_id_len;
    }
    int module = symbolize_add_module(s, &m);
    image_close(&image);
    char line[64];
    int64_t n = 0;
    uint64_t *pcs = NULL;
    while (fgets(line, sizeof line, stdin)) {
        uint64_t pc = strtoull(line, NULL, 16);
        if (!(n & (n - 1)) && !(pcs = realloc(pcs, (size_t)(n ? 2 * n : 1) * sizeof *pcs)))
            return 1;
        pcs[n] = pc;
        n = 1 + (objects ? symbolize_add_object(s, module, pc) : symbolize_add_pc(s, module, pc + 1));
    }
    if (symbolize_run(s))
        return 1;
    for (int64_t pc = 0; pc < n; pc++) {
        size_t depth;
        if (addresses)
            printf("0x%016" PRIx64 "\n", pcs[pc]);
        const struct symbolize_frame *f = symbolize_frames(s, pc, &depth);
        if (!depth)
            puts("-");
        for (size_t i = 0; i < depth; i++)
            printf(objects ? "%s %s:%" PRIu32 "\n" : "%s\n%s:%" PRIu32 "\n", f[i].function, f[i].file, f[i].line);
    }
    const struct symbolize_message *said;
    for (size_t i = 0; messages && (said = symbolize_message(s, i)); i++)
        fprintf(stderr, "%s\n", said->text);
    symbolize_free(s);
    free(pcs);
    return 0;
}
