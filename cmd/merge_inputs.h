/* The traces that are merged: opened, named, and read for what they are when they begin. */
#ifndef THRACE_CMD_MERGE_INPUTS_H
#define THRACE_CMD_MERGE_INPUTS_H

#include "cmd/input.h"
#include "parser/rewrite/merge.h"

/* Where one is from. */
struct merge_file {
    const char *operand; /* NAME=FILE, or FILE */
    const char *path;
    const char *given;   /* NAME, not terminated, or NULL */
    size_t given_len;
    struct twice twice;
    FILE *converted;     /* the same, if it is one of v1 */
    uint64_t read;       /* bytes, by now */
    char *name;
};

struct merge_files {
    struct merge_file *files;
    struct merge_input *inputs; /* in the same order */
    size_t n;
    int version; /* the newest */
};

/* Takes the operands. False, and a complaint: they cannot be merged. merge_files_free() is due in any case. */
bool merge_files_take(struct merge_files *m, char **operands, size_t n);
void merge_files_free(struct merge_files *m);

/* The input that an option means by that path or operand, or NULL. */
struct merge_input *merge_files_find(const struct merge_files *m, const char *path, size_t len);

/* Reads what they are like when they begin, and names them. The exit status, after a complaint. */
int merge_files_learn(struct merge_files *m);

/* Begins to read them. False, and a complaint: memory is short. */
bool merge_files_read(struct merge_files *m);

#endif
