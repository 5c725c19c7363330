/*
 * damaged-files [ELF [ROUNDS [SEED]]]: damages the sections of a real file, its own without arguments; every address
 * must get a function, a file and a line all the same, an object those or nothing, and no worker may die.
 */
#include "config.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/symbolize/image.h"
#include "lib/symbolize/symbolize.h"

enum { NPCS = 64, NOBJECTS = 32 };

/* Something with parts, where objects are asked for. */
static volatile struct {
    struct {
        char name[8];
        struct {
            short x, y;
        } places[4][3];
    } rows[16];
    union {
        long number;
        void *pointer;
    } either;
} parts[64];

static uint64_t rng;

static uint64_t next_random(void)
{
    rng ^= rng << 13;
    rng ^= rng >> 7;
    return rng ^= rng << 17;
}

struct damaged {
    uint8_t *bytes;
    size_t len;
    Elf64_Shdr targets[64];
    size_t ntargets;
    uint64_t text, text_len, data, data_len, parts; /* parts: 0 in another file than our own */
};

/* Debug info and symbols are what is read: damage that, and now and then a section header. */
static void find_targets(struct damaged *d)
{
    struct image im;
    if (image_parse(&im, d->bytes, d->len) != IMAGE_OK)
        exit(2);
    for (size_t i = 0; i < im.nsections && d->ntargets < 64; i++) {
        const struct section *s = &im.sections[i];
        if (!strcmp(s->name, ".text")) {
            d->text = s->addr;
            d->text_len = s->len;
        }
        if ((s->flags & SHF_WRITE) && !(s->flags & SHF_TLS)) {
            d->data = d->data_len ? d->data : s->addr;
            d->data_len = s->addr + s->size - d->data;
        }
        if (s->data && s->len && (!strncmp(s->name, ".debug_", 7) || s->type == SHT_SYMTAB || s->type == SHT_RELA))
            d->targets[d->ntargets++] = (Elf64_Shdr){.sh_offset = (uint64_t)(s->data - d->bytes), .sh_size = s->len};
    }
    Elf64_Ehdr eh;
    memcpy(&eh, d->bytes, sizeof eh);
    if (d->ntargets && d->ntargets < 63)
        d->targets[d->ntargets++] = (Elf64_Shdr){.sh_offset = eh.e_shoff, .sh_size = (uint64_t)eh.e_shnum * 64};
    image_close(&im);
    if (!d->ntargets || !d->text_len || !d->data_len)
        exit(2);
}

static int run_round(const struct damaged *d)
{
    struct symbolizer *s = symbolize_new();
    struct symbolize_module m = {.kind = SYMBOLIZE_IMAGE, .path = "fuzz", .image = d->bytes, .image_len = d->len};
    int module = symbolize_add_module(s, &m), bad = 0;
    for (size_t i = 0; i < NPCS; i++)
        symbolize_add_pc(s, module, d->text + next_random() % d->text_len + 1);
    for (size_t i = 0; i < NOBJECTS; i++)
        symbolize_add_object(s, module, i % 2 && d->parts ? d->parts + next_random() % sizeof parts
                                                          : d->data + next_random() % d->data_len);
    if (symbolize_run(s))
        bad = 1;
    for (int64_t pc = 0; pc < NPCS + NOBJECTS && !bad; pc++) {
        size_t n;
        const struct symbolize_frame *f = symbolize_frames(s, pc, &n);
        bad |= pc < NPCS ? !n : n > 1;
        for (size_t i = 0; i < n; i++)
            bad |= !*f[i].function || !*f[i].file || !f[i].line;
    }
    const struct symbolize_message *said = symbolize_message(s, 0);
    int died = said && strstr(said->text, "no lines") != NULL;
    symbolize_free(s);
    if (bad)
        abort();
    return died;
}

static int keep_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
    (void)size;
    *(uint64_t *)bias = info->dlpi_addr;
    return 1;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "/proc/self/exe";
    long rounds = argc > 2 ? strtol(argv[2], NULL, 10) : 50, died = 0;
    rng = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    rng = rng * UINT64_C(0x9e3779b97f4a7c15) | 1;
    struct image im;
    if (image_open(&im, path) != IMAGE_OK)
        return 2;
    struct damaged d = {.bytes = malloc(im.len), .len = im.len};
    if (!d.bytes)
        return 2;
    uint64_t bias;
    dl_iterate_phdr(keep_bias, &bias);
    parts[0].either.number = 0;
    d.parts = argc > 1 ? 0 : (uint64_t)(uintptr_t)parts - bias;
    for (long round = 0; round < rounds; round++) {
        memcpy(d.bytes, im.bytes, im.len);
        if (!d.ntargets)
            find_targets(&d);
        for (uint64_t n = UINT64_C(1) << next_random() % 7; n > 0; n--) {
            const Elf64_Shdr *t = &d.targets[next_random() % d.ntargets];
            static const uint8_t edges[] = {0, 1, 0x7f, 0x80, 0xff, 0x10, 0x42, 0xfe};
            /* Headers stand at the beginning, and a mistake in them does more. */
            uint64_t span = next_random() % 3 ? t->sh_size : t->sh_size < 64 ? t->sh_size : 64;
            d.bytes[t->sh_offset + next_random() % span] =
                next_random() % 2 ? edges[next_random() % sizeof edges] : (uint8_t)next_random();
        }
        died += run_round(&d);
    }
    printf("1..1\n%s 1 - %ld damaged files, %ld workers died\n", died ? "not ok" : "ok", rounds, died);
    free(d.bytes);
    image_close(&im);
    return 0;
}
