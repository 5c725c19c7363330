/* Loads a module that is linked with an OpenMP runtime, for itself alone, and calls it. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *module = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*kinds)(void) = module ? (int (*)(void))dlsym(module, "openmp_kinds") : NULL;
    if (!kinds) {
        puts(dlerror());
        return 2;
    }
    return kinds();
}
