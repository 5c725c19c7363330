/*
 * A program in C loads a library in C++ whose constructor, with the lock of the loader held, waits for a thread that
 * calls new. And dlerror reports only the program's own errors. Trap 54.
 */
#include "program.h"

#include <dlfcn.h>

int main(int argc, char **argv)
{
    CHECK(argc == 2 && !dlerror());
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    CHECK(library);
    int *(*make)(void) = (int *(*)(void))dlsym(library, "make_int");
    CHECK(make && !dlsym(library, "there_is_no_such_function"));
    int *made = make();
    const char *error = dlerror();
    CHECK(error && strstr(error, "there_is_no_such_function") && !dlerror());
    printf("made %d\n", *made);
    puts("trace: goroutines 2");
    return 0;
}
