/* Who holds the locks that threads of a window wait for at its end: glibc's locks say so in their memory. */
#ifndef THRACE_CMD_TOP_HOLDERS_H
#define THRACE_CMD_TOP_HOLDERS_H

#include "cmd/top/window.h"

/*
 * Says it behind what each such thread waits for, if it has done so for a while: what is in memory is what is now.
 * waits: those at the end of the window. Without the right to read the process's memory nothing is said. False: memory
 * is short.
 */
bool holders_tell(struct window *w, const struct open_waits *waits, pid_t pid);

#endif
