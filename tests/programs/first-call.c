/* first-call [NAME]: a library's constructor makes that call, before any other; without NAME, prints those it knows. */
#include "program.h"

#include <errno.h>

int first_call(const char *name, int *result);
extern int first_result, first_errno;

static void *later(void *arg) { return arg; }

int main(int argc, char **argv)
{
    if (argc == 1) {
        first_call(NULL, NULL);
        return 0;
    }
    printf("%s: %d %s\n", argv[1], first_result, strerrorname_np(first_errno));
    pthread_t t;
    CHECK(pthread_create(&t, NULL, later, NULL) == 0);
    CHECK(pthread_join(t, NULL) == 0);
    return 0;
}
