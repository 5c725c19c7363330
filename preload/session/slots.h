/* Calls of wrapped functions in a program that did not have us from its beginning. */
#ifndef THRACE_PRELOAD_SESSION_SLOTS_H
#define THRACE_PRELOAD_SESSION_SLOTS_H

/*
 * From now on what all modules call by their slots is ours, and what it was before. A function whose address the
 * program has kept somewhere else, as what dlsym said, is still called there. Both return how many slots could not be
 * written to. In a thread that may call dlsym.
 */
unsigned slots_take(void);
unsigned slots_give_back(void);

#endif
