/* Reads a trace before it is summed up, for a filter that must know more than the begin of a stretch. */
#ifndef THRACE_PARSER_ANALYZE_SPAN_LEARN_H
#define THRACE_PARSER_ANALYZE_SPAN_LEARN_H

#include "parser/analyze/span_filter.h"

/* As far as the trace is valid. False: memory is short. */
bool span_filter_learn(struct span_filter *f, struct gotrace_reader *r);

#endif
