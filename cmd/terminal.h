/* What a terminal can show besides text: colours and pages. */
#ifndef THRACE_CMD_TERMINAL_H
#define THRACE_CMD_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* What getopt_long returns for --color; no letter. Of an array of options, and of a usage. */
enum { OPTION_COLOR = 240 };
#define COLOR_OPTION {"color", optional_argument, NULL, OPTION_COLOR}
#define COLOR_USAGE "  --color[=WHEN]  always, never or auto: on a terminal, unless NO_COLOR is set (default)\n"

/* Takes the option's value, or NULL. False, and a complaint: it is none. */
bool take_color(const char *verb, const char *when);

/* Whether what goes there has colours, by the option and the environment. */
bool wants_color(FILE *out);

/* The sequence that begins a style and ends the one before; "" without colours. */
enum style { STYLE_PLAIN, STYLE_TITLE, STYLE_WARNING };
const char *style_begin(bool color, enum style style);

/*
 * From now on standard output, if it is a terminal, goes through the user's pager: PAGER, or less. So do complaints.
 * Lines stay as wide as the terminal. main() ends it.
 */
void begin_pages(void);

/* Waits until the user has left the pager, if there is one. False, and a complaint: it could not be run. */
bool end_pages(const char *verb);

#endif
