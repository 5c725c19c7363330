/* What is said of a finding. */
#ifndef THRACE_CMD_FINDING_TEXT_H
#define THRACE_CMD_FINDING_TEXT_H

#include "parser/analyze/findings_judge.h"
#include "parser/analyze/stat_collect.h"

/* A sentence, to be freed; NULL: memory is short. */
char *finding_sentence(const struct stat *s, const struct finding *it);

/* What programs know the kind by. */
const char *finding_word(enum finding_kind kind);

#endif
