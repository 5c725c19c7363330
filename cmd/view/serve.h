/* Shows a page to the browsers of this machine only, to those that know its secret. */
#ifndef THRACE_CMD_VIEW_SERVE_H
#define THRACE_CMD_VIEW_SERVE_H

/* Where the data of a page is asked for, seen from the page. */
#define SERVE_DATA "data"

/*
 * Prints the address on stdout, and answers until a signal ends the process: with the two files, whatever they have
 * now, and nothing else. Returns what went wrong.
 */
const char *serve(int page, int data);

#endif
