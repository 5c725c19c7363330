/* The notes that <sys/sdt.h> leaves in an ELF file, in .note.stapsdt: where there are probes, and their arguments. */
#ifndef THRACE_PRELOAD_PROBES_NOTES_H
#define THRACE_PRELOAD_PROBES_NOTES_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Addresses are those in the process. The texts end with a NUL and last as long as the file is open. */
struct probe_note {
    uintptr_t pc, semaphore; /* semaphore 0: it has none */
    const char *provider, *name, *arguments;
};

struct notes_file {
    const uint8_t *bytes;
    size_t size;
};

/* Opens the file of a module. False: it cannot be read, or is another one than what is mapped. */
bool notes_open(struct notes_file *, const char *path, const struct dl_phdr_info *);
void notes_close(struct notes_file *);

/* Calls visit with each note that is whole. The file may be hostile. */
void notes_visit(const struct notes_file *, const struct dl_phdr_info *,
                 void (*visit)(const struct probe_note *, void *), void *arg);

/* The address of a symbol of the module, 0: it is not known. */
uintptr_t notes_symbol(const struct notes_file *, const struct dl_phdr_info *, const char *name, size_t len);

#endif
