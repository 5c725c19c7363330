/* Built with AddressSanitizer, whose runtime wants to come first. Trap 26. */
#include "program.h"

static NOINLINE void *allocates(void *self)
{
    introduce(self);
    free(malloc(10));
    return NULL;
}

int main(void)
{
    struct thread t;
    spawn(&t, allocates);
    join(&t);
    puts("sanitized");
    return 0;
}
