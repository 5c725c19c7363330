/*
 * print-many: reads traces from standard input, each behind its size in four bytes, the lowest first, and writes what
 * the reader says of each in the same way: its events as gotrace_event_print shows them, with a NUL behind each, and,
 * last, "end" or "error MESSAGE". The differential test talks to it.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "gotrace/gotrace.h"
#include "parser/event_print.h"

static bool get_size(uint32_t *size)
{
    unsigned char b[4];
    if (fread(b, 1, sizeof b, stdin) != sizeof b)
        return false;
    *size = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    return true;
}

static void put(const struct raw_buffer *o)
{
    unsigned char b[4] = {(unsigned char)o->size, (unsigned char)(o->size >> 8), (unsigned char)(o->size >> 16),
                          (unsigned char)(o->size >> 24)};
    if (o->failed || fwrite(b, 1, sizeof b, stdout) != sizeof b || fwrite(o->at, 1, o->size, stdout) != o->size ||
        fflush(stdout)) {
        fputs("print-many: cannot answer\n", stderr);
        exit(2);
    }
}

static void answer(const void *trace, size_t size)
{
    struct raw_buffer o = {0};
    struct stack_texts stacks = {0};
    struct gotrace_reader *r = gotrace_reader_open_memory(trace, size);
    const struct gotrace_event *ev;
    while (r && (ev = gotrace_reader_next(r))) {
        event_print(&o, ev, &stacks);
        raw_buffer_add(&o, "", 1);
    }
    const struct gotrace_error *e = r ? gotrace_reader_error(r) : NULL;
    char last[600];
    int n = r && !e ? snprintf(last, sizeof last, "end")
                    : snprintf(last, sizeof last, "error %s: byte %llu", e ? e->message : "out of memory",
                               e ? (unsigned long long)e->offset : 0);
    raw_buffer_add(&o, last, (size_t)n);
    put(&o);
    gotrace_reader_free(r);
    stack_texts_free(&stacks);
    raw_buffer_free(&o);
}

int main(void)
{
    uint32_t size;
    while (get_size(&size)) {
        void *trace = malloc(size ? size : 1);
        if (!trace || fread(trace, 1, size, stdin) != size) {
            fputs("print-many: no such trace\n", stderr);
            return 2;
        }
        answer(trace, size);
        free(trace);
    }
    return 0;
}
