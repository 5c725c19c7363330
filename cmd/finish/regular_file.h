/* Files at paths that others may have a hand in: what is there need not be a file. */
#ifndef THRACE_CMD_FINISH_REGULAR_FILE_H
#define THRACE_CMD_FINISH_REGULAR_FILE_H

#include <sys/stat.h>

/*
 * Opens a file for reading, and follows no link at the end of the path. Nothing else is opened, as a device may do
 * something when that happens. st: of what is there; the mode is 0 where nothing could be looked at. -1 with errno,
 * EINVAL: it is no file.
 */
int regular_file_open(const char *path, struct stat *st);

#endif
