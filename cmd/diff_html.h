/* The page of thrace diff --html: differential flame graphs. */
#ifndef THRACE_CMD_DIFF_HTML_H
#define THRACE_CMD_DIFF_HTML_H

#include "parser/analyze/profile.h"

struct diff_profile {
    struct profile profile;
    bool before; /* of side A */
};

/* units: of both sides, what numbers are per; per: its name, or NULL. False: memory is short. */
bool diff_html_put(const struct diff_profile *profiles, size_t n, const double units[2], const char *per,
                   const char *const names[2], FILE *to);

/* Whether the page may go there: not where the report goes, nor over one of the n traces. False: a complaint, too. */
bool diff_html_has_place(const char *path, char *const *traces, size_t n);

#endif
