/* Calls of wrapped functions in a program that did not have us from its beginning. */
#ifndef THRACE_PRELOAD_SESSION_SLOTS_H
#define THRACE_PRELOAD_SESSION_SLOTS_H

/*
 * From now on what all modules call by their slots is ours, and what it was before. A function whose address the
 * program has kept somewhere else, as what dlsym said, is still called there. Both return how many slots could not be
 * written to. In a thread that may call dlsym: it waits for whoever is loading something.
 */
unsigned slots_take(void);
unsigned slots_give_back(void);

/* As long as they are taken: those of modules that were loaded since, too. */
void slots_take_new(void);

#endif
