/* goroutines-host LIBRARY: calls Work of a library in Go that it loads. */
#include "program.h"

#include <dlfcn.h>

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    void *library = dlopen(argv[1], RTLD_NOW);
    CHECK(library);
    void (*work)(void) = (void (*)(void))dlsym(library, "Work");
    CHECK(work);
    work();
    puts("done");
    return 0;
}
