/*
 * Code in Go. Its threads run on stacks of 2 KiB, so a handler without SA_ONSTACK writes over what lies below; and its
 * runtime waits and switches by system calls of its own, of which hooks see nothing.
 */
#ifndef THRACE_PRELOAD_GO_H
#define THRACE_PRELOAD_GO_H

#include <stdbool.h>

enum go_code {
    NO_GO,
    CGO, /* it makes threads and gives handlers by way of libc (cgo) */
    GO_WITHOUT_LIBC,     /* by system calls: nothing that we say of signals holds */
};

/* What the program begins with; in the constructor. */
enum go_code go_at_start(void);

/*
 * Somebody at this address makes a thread. True: in a module with Go in it, that was loaded since, and it is the first
 * time. Calls dl_iterate_phdr when another place makes threads than last time.
 */
bool go_comes_from(const void *caller);

/* There is, or was, code in Go. */
bool go_was_seen(void);

#endif
