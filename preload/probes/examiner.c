#include "preload/probes/examiner.h"

#include <dlfcn.h>
#include <string.h>

#include "lib/spool.h"
#include "preload/recorder.h"

/* It lies beside us. */
static int find_path(struct dl_phdr_info *info, size_t size, void *arg)
{
    static const char name[] = "/libthrace-usdt.so";
    char *path = arg;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        if (ph->p_type != PT_LOAD || (uintptr_t)__ehdr_start - (info->dlpi_addr + ph->p_vaddr) >= ph->p_memsz)
            continue;
        const char *slash = strrchr(info->dlpi_name, '/');
        size_t n = slash ? (size_t)(slash - info->dlpi_name) : 0;
        if (!n || n + sizeof name > SPOOL_PATH_MAX)
            return 1;
        memcpy(path, info->dlpi_name, n);
        memcpy(path + n, name, sizeof name);
        return 1;
    }
    return 0;
}

const char *examiner_load(struct examiner *e)
{
    static char path[SPOOL_PATH_MAX];
    e->library = NULL;
    dl_iterate_phdr(find_path, path);
    if (!*path || !(e->library = dlopen(path, RTLD_NOW | RTLD_LOCAL))) {
        dlerror(); /* which nobody else is to find */
        return "thrace was built without libZydis, or that is not installed (libthrace-usdt.so)";
    }
    e->examine = (examine_function *)dlsym(e->library, "thrace_examine");
    if (e->examine)
        return NULL;
    dlerror();
    examiner_unload(e);
    return "libthrace-usdt.so is of another version";
}

void examiner_unload(struct examiner *e)
{
    if (e->library)
        dlclose(e->library);
    e->library = NULL;
}
