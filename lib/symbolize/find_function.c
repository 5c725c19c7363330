#include "config.h"

#include <string.h>

#include "lib/symbolize/image.h"
#include "lib/symbolize/symbolize.h"
#include "lib/symbolize/symtab.h"

uint64_t symbolize_function_address(const char *path, const char *name)
{
    struct image im;
    struct symtab t = {0};
    uint64_t address = 0;
    if (image_open(&im, path) != IMAGE_OK)
        return 0;
    symtab_add_image(&t, &im);
    for (size_t i = 0; i < t.n && !address; i++)
        if (t.symbols[i].name_len == strlen(name) && !memcmp(t.symbols[i].name, name, t.symbols[i].name_len))
            address = t.symbols[i].start;
    symtab_free(&t);
    image_close(&im);
    return address;
}
