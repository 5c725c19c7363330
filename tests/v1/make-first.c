/* Writes a trace of the tracer of 2014 to standard output: make-first SEED STEPS */
#include <stdio.h>
#include <stdlib.h>

#include "tests/v1/first.h"

int main(int argc, char **argv)
{
    struct raw_buffer trace = {0}, told = {0};
    if (argc != 3)
        return 2;
    first_trace(&trace, &told, (uint32_t)strtoul(argv[1], NULL, 10), (unsigned)strtoul(argv[2], NULL, 10));
    bool ok = !trace.failed && fwrite(trace.at, 1, trace.size, stdout) == trace.size && !fflush(stdout);
    raw_buffer_free(&trace);
    raw_buffer_free(&told);
    return ok ? 0 : 2;
}
