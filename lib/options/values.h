/* The values of options: numbers, durations, sizes, signals. Each function returns false for any other text. */
#ifndef THRACE_LIB_OPTIONS_VALUES_H
#define THRACE_LIB_OPTIONS_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of a value, of len bytes. */
struct piece {
    const char *text;
    size_t len;
};

/* The whole of it. */
struct piece piece_of(const char *s);

/* Takes off what comes before the first c, or all when there is no c. */
struct piece piece_take(struct piece *from, char c);

bool piece_is(struct piece s, const char *word);

/* Takes "name:" off. */
bool piece_has_key(struct piece *s, const char *key);

bool value_number(struct piece s, uint64_t *v);

/* 250us, 1.5ms, 30s, at most an hour; 0 needs no unit. */
bool value_duration(struct piece s, uint64_t *ns);

/* 65536, 64K, 64M, 4G. */
bool value_size(struct piece s, uint64_t *bytes);

/* USR2, SIGUSR2, 12. */
bool value_signal(struct piece s, int *sig);

#endif
