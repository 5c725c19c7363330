/* The files of this process's recordings, this image's and those of the images that it was before. */
#ifndef THRACE_PRELOAD_OWN_SPOOL_H
#define THRACE_PRELOAD_OWN_SPOOL_H

#include <stddef.h>
#include <stdint.h>

enum { MAX_EARLIER_IMAGES = 9 };

/*
 * Spools of the images that this process was before: OUT.1.spool, OUT.2.spool and so on. The program that runs to the
 * end has OUT to itself, whatever started it (sh -c 'exec …', env, taskset).
 */
extern int earlier_images;

/* path + ".N.spool", N one digit; 0: path + ".spool". */
void spool_name(char *name, const char *path, int n);

/*
 * Creates tracer.spool for a trace at `out`. Returns 0 or a negative errno. -EEXIST: another recording to the same file
 * is under way, by our parent, whose environment we inherited, or was not finished; it is left alone.
 */
int open_own_spool(const char *out);

/* When the process started: field 22 of /proc/self/stat. 0 when that cannot be read. */
uint64_t process_start_time(void);

void absolute_path(const char *path, char *out, size_t size);

#endif
