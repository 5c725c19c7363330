/* Linked with early-lib: the code that ran before main must have worked, and the code after it must, too. */
#include "program.h"

int early_result(void);
int early_threads(void);
int chosen(void);

static NOINLINE void *later_thread(void *self)
{
    introduce(self);
    return NULL;
}

int main(void)
{
    struct thread t;
    spawn(&t, later_thread);
    join(&t);
    printf("%d %d %d\n", early_result(), early_threads(), chosen());
    puts("trace: goroutine later_thread 1");
    puts("trace: goroutine main 1");
    return 0;
}
