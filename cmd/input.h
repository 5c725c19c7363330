/* The trace that an argument of a verb names. */
#ifndef THRACE_CMD_INPUT_H
#define THRACE_CMD_INPUT_H

#include <stdbool.h>
#include <sys/types.h>

#include "gotrace/gotrace.h"

/* Opens path, or stdin for "-"; NULL, and a complaint, when memory is short. */
struct gotrace_reader *open_input(const char *verb, const char *path);

/* Whether what would be written replaces what is read; "-" is no file. */
bool is_same_file(const char *in, const char *out);

/*
 * Shows on stderr, if that is a terminal and it takes more than a second, how much of the path has been read. For verbs
 * that print only when all is read. hide_progress() wipes what is left of that, where reading ends before the input.
 */
void show_progress(struct gotrace_reader *r, const char *verb, const char *path);
void hide_progress(void);

/* Likewise for who reads without a reader: what is to be told of the bytes that were read; NULL: nothing. */
gotrace_progress_fn *begin_progress(const char *verb, const char *path);

/* What can be read twice: a file as it is, of anything else a copy, which nobody sees. */
struct twice {
    const char *path;
    int fd;       /* -1: the path is opened each time */
    int copy;     /* the same, if it is ours */
    off_t start;
};

/* False, and a complaint, if it cannot. twice_close() is due in any case. */
bool twice_open(struct twice *t, const char *verb, const char *path);
void twice_close(struct twice *t);

/* Likewise for a descriptor, which stays the caller's and is read from where it stands. */
bool twice_open_fd(struct twice *t, const char *verb, const char *path, int fd);

/* From the beginning; NULL, and a complaint, when memory is short. */
struct gotrace_reader *twice_read(struct twice *t, const char *verb);

/*
 * As show_progress() does, but of several that are read by turns: how much of all together. read: of each a place for
 * how much of it was read, which lives as long as the reader.
 */
void begin_progress_of_all(const char *verb);
void add_to_progress(struct gotrace_reader *r, const struct twice *file, uint64_t *read);

/* Prints "PATH: generation 2, thread 101, byte 1234, GoStart: message", without the parts that are not known. */
void print_error(FILE *out, const char *path, const struct gotrace_error *e);

/* The verb's exit status after the error; EXIT_OK if e is NULL. */
int error_status(const struct gotrace_error *e);

#endif
