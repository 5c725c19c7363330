/* Blocks of all kinds, in two threads, for a tool that watches each access. */
#include "program.h"

static void *work(void *self)
{
    introduce(self);
    for (size_t n = 0; n < 40; n++) {
        char *p = malloc(n * 100), *q = calloc(n, 7), *r = aligned_alloc(64, 64 * (n + 1));
        p = realloc(p, n * 200 + 1);
        CHECK(p && r);
        p[n * 200] = r[0] = 1;
        free(p);
        free(q);
        free(r);
    }
    return NULL;
}

int main(void)
{
    struct thread t;
    spawn(&t, work);
    join(&t);
    work(&t);
    puts("done");
    return 0;
}
