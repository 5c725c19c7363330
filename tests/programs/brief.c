/* brief: makes a thread and ends, without waiting for it. */
#include "program.h"

static void *ends(void *self) { return self; }

int main(void)
{
    pthread_t thread;
    return pthread_create(&thread, NULL, ends, NULL) || pthread_detach(thread);
}
