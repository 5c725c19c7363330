/*
 * modules-kept LIBRARY: it is loaded in a first session. In the second nothing is loaded, and what is where is known
 * from the first.
 */
#include "program.h"
#include "recording.h"

#include <dlfcn.h>

int main(int argc, char **argv)
{
    int (*nap)(void);
    CHECK(argc == 2);
    start_recording();
    void *library = dlopen(argv[1], RTLD_NOW);
    CHECK(library);
    *(void **)&nap = dlsym(library, "toil_nap");
    CHECK(nap);
    thrace_stop();
    start_recording();
    CHECK(nap());
    thrace_stop();
    puts("trace: block main sleep self usleep<toil_nap");
    return 0;
}
