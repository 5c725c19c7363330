/* The files of this process's recordings, this image's and those of the images that it was before. */
#ifndef THRACE_PRELOAD_SESSION_OWN_SPOOL_H
#define THRACE_PRELOAD_SESSION_OWN_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_EARLIER_IMAGES = 9 };

/* path + ".N.spool", N one digit; 0: path + ".spool". */
void spool_name(char *name, const char *path, int n);

/*
 * Ours is the spool of this process, from this program or from one that it was before. It may be ours if the kernel does
 * not let us look, as when there is no descriptor left. Not reentrant.
 */
enum whose_spool { SPOOL_IS_NOT_OURS, SPOOL_IS_OURS, SPOOL_MAY_BE_OURS };
enum whose_spool whose_spool(const char *spool);

/* A regular file of this user, and no symbolic link. */
bool is_plain_file(const char *path);

/*
 * Makes room for the program that runs now: the spool of the one before becomes OUT.1.spool, OUT.2.spool and so on. So
 * the program that runs to the end has OUT to itself, whatever started it (sh -c 'exec …', env, taskset). Returns the
 * number, 0 when that could not be done.
 */
uint32_t move_own_spool(const char *out, const char *spool);

/* Nobody writes to it any more, though its process lives. */
bool mark_torn(const char *spool);

/* The spool of the program before stays where it is; the one that runs now is not recorded there. */
void mark_unrecorded(const char *spool);

/* When the process started: field 22 of /proc/self/stat. 0 when that cannot be read. */
uint64_t process_start_time(void);

/* From now on it is this one: who asks sees it from outside, where it may be another, or /proc is not here. */
void process_start_time_is(uint64_t time);

/* Which process this is on this machine, beyond its pid: the namespace of that, and the boot. */
struct spool_header;
void fill_place(struct spool_header *h);

void absolute_path(const char *path, char *out, size_t size);

#endif
