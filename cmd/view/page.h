/* The page around the data: one HTML file, which refers to nothing outside of it. */
#ifndef THRACE_CMD_VIEW_PAGE_H
#define THRACE_CMD_VIEW_PAGE_H

#include <stdio.h>

/*
 * What stands before the data and behind it. The title is of the trace. With an address the data is not in between: the
 * page asks who has sent it for that.
 */
void page_begin(const char *title, const char *address, FILE *to);
void page_end(FILE *to);

#endif
