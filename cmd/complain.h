/* What a verb says when something is wrong. */
#ifndef THRACE_CMD_COMPLAIN_H
#define THRACE_CMD_COMPLAIN_H

/* One line on stderr, "thrace VERB: …". */
__attribute__((format(printf, 2, 3))) void complain(const char *verb, const char *fmt, ...);

#endif
