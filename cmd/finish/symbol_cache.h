/* Where names and lines are kept between runs. */
#ifndef THRACE_CMD_FINISH_SYMBOL_CACHE_H
#define THRACE_CMD_FINISH_SYMBOL_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* Makes $XDG_CACHE_HOME/thrace, which only the user may look into. False: switched off, or there is no safe place. */
bool symbol_cache_folder(char *path, size_t size);

#endif
