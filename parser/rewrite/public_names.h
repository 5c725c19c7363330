/*
 * Which names tell nothing of the program, and stay: those of libraries that all programs use, and words of Go's
 * runtime. As names may be chosen by anybody, a name stays only if all of its path is known.
 */
#ifndef THRACE_PARSER_REWRITE_PUBLIC_NAMES_H
#define THRACE_PARSER_REWRITE_PUBLIC_NAMES_H

#include "gotrace/reader.h"
#include "parser/rewrite/pseudonyms.h"

/* What the frame's function and its file are. outermost: threads are called after it. */
enum pseudonym public_function(const struct gotrace_frame *f, bool outermost);
enum pseudonym public_file(const struct gotrace_frame *f);

/* The words for why goroutines and the world stop, whatever else in the program is called so. False: memory is short.
 */
bool keep_words(struct pseudonyms *names);

/* What the recorder says in strings that nothing refers to; such a one that has nothing but numbers of ours. */
bool text_is_note(struct gotrace_str s);
bool text_is_number_note(struct gotrace_str s);

#endif
