/* Where names and lines are kept between runs. */
#ifndef THRACE_CMD_FINISH_SYMBOL_CACHE_H
#define THRACE_CMD_FINISH_SYMBOL_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* Makes $XDG_CACHE_HOME/thrace, which only the user may look into. False: switched off, or there is no safe place. */
bool symbol_cache_folder(char *path, size_t size);

/* One line about a bad THRACE_SYMBOL_CACHE, on the first call; else NULL. */
const char *symbol_cache_fault(void);

#endif
