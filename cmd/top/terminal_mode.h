/* The terminal while a program draws on all of it: a screen of its own, keys one by one. */
#ifndef THRACE_CMD_TOP_TERMINAL_MODE_H
#define THRACE_CMD_TOP_TERMINAL_MODE_H

#include <stdbool.h>
#include <stddef.h>

/* False: input and output are no terminal that can do this. What was there comes back with terminal_mode_end(). */
bool terminal_mode_begin(void);
void terminal_mode_end(void);

/*
 * Whether a signal wants the program to end. A second one ends it at once, with the terminal as it was, unless
 * terminal_mode_insist() says that something else is to be put back, too: then signals are only taken note of, also
 * where there is no terminal, and what nobody reads is an error of writing.
 */
bool terminal_mode_stops(void);
void terminal_mode_insist(void);

void terminal_mode_size(size_t *rows, size_t *columns);

/* The keys that are no characters. */
enum { KEY_NONE = 256, KEY_UP, KEY_DOWN, KEY_PAGE_UP, KEY_PAGE_DOWN, KEY_ESCAPE, KEY_RESIZED, KEY_STOP };

/*
 * Waits for a key for so long. KEY_NONE: there was none; KEY_RESIZED: the terminal has another size, or the program
 * went on after it was stopped; KEY_STOP: a signal, or the end of the input, wants the program to end.
 */
int terminal_mode_key(int timeout_ms);

/* Draws the text, from that line on, and the line at the bottom. What is too much is left out. */
void terminal_mode_draw(const char *text, size_t from, const char *bottom);

#endif
